package browser

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A naive handler makes a ticket for each Create, and remembers none: an event that
// comes again makes another one.
type naive struct{ desk *desk }

type ticket struct{ Subject string }

type data struct{}

// A desk is a service that numbers what it makes.
type desk struct {
	mu      sync.Mutex
	made    int
	tickets map[string]ticket
}

func (h naive) Create(_ context.Context, r *cfnresource.CreateRequest[ticket]) (data, error) {
	h.desk.mu.Lock()
	defer h.desk.mu.Unlock()
	h.desk.made++
	id := "ticket-" + strconv.Itoa(h.desk.made)
	h.desk.tickets[id] = r.Properties
	r.Created(id)
	return data{}, nil
}

func (h naive) Update(_ context.Context, r *cfnresource.UpdateRequest[ticket]) (data, error) {
	h.desk.mu.Lock()
	defer h.desk.mu.Unlock()
	h.desk.tickets[r.PhysicalID] = r.Properties
	return data{}, nil
}

func (h naive) Delete(_ context.Context, r *cfnresource.DeleteRequest[ticket]) error {
	h.desk.mu.Lock()
	defer h.desk.mu.Unlock()
	delete(h.desk.tickets, r.PhysicalID)
	return nil
}

// TestPictures makes the pictures of the documents, from real runs: a page of a stack's
// life, and that of a history that Explore has found. PICTURES says where they are to be.
func TestPictures(t *testing.T) {
	b := newBed(t)
	dir := os.Getenv("PICTURES")
	if dir == "" {
		t.Skip("there is no PICTURES: make pictures says where they are to be")
	}
	b.deploy("things", "things.yaml", "--function", "Fn="+b.handler)
	b.deploy("things", "things.yaml", "--parameter", "Value=large", "--fault", "lose@Queue.Update", "--fault", "crash-before@Index.Update")
	stack := b.file(b.stacks(), "things")

	pages := filepath.Join(b.dir, "histories")
	if err := flag.Set("explore.html", pages); err != nil {
		t.Fatal(err)
	}
	testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "Tickets", F: func(t *testing.T) {
		cfntest.Explore(t, cfntest.Contract{
			ResourceType: "Custom::Ticket", Properties: ticket{"printer"}, InPlace: ticket{"the printer"},
			New: func(testing.TB) cfntest.Service {
				d := &desk{tickets: map[string]ticket{}}
				return cfntest.Service{
					Function: func() cfntest.Function { return cfnresource.New(naive{d}) },
					List: func() []string {
						d.mu.Lock()
						defer d.mu.Unlock()
						return slices.Sorted(maps.Keys(d.tickets))
					},
				}
			},
		})
	}}})
	history := filepath.Join(pages, "Tickets-1.html")
	if _, err := os.Stat(history); err != nil {
		t.Fatal(err)
	}
	drive(t, map[string]any{"pages": []subject{}, "pictures": []map[string]string{
		{"url": stack.URL, "part": ".operation:nth-of-type(2)", "file": filepath.Join(dir, "timeline.png")},
		{"url": "file://" + history, "part": "body", "file": filepath.Join(dir, "history.png")},
	}})
	judge(t, look(t, subject{Name: "history", URL: "file://" + history}), 3)
}
