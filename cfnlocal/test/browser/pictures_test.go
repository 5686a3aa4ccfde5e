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
type naiveHandler struct{ service *ticketService }

type ticket struct{ Subject string }

type data struct{}

// A ticketService numbers the tickets that it makes.
type ticketService struct {
	mu      sync.Mutex
	made    int
	tickets map[string]ticket
}

func (h naiveHandler) Create(_ context.Context, r *cfnresource.CreateRequest[ticket]) (data, error) {
	h.service.mu.Lock()
	defer h.service.mu.Unlock()
	h.service.made++
	id := "ticket-" + strconv.Itoa(h.service.made)
	h.service.tickets[id] = r.Properties
	r.Created(id)
	return data{}, nil
}

func (h naiveHandler) Update(_ context.Context, r *cfnresource.UpdateRequest[ticket]) (data, error) {
	h.service.mu.Lock()
	defer h.service.mu.Unlock()
	h.service.tickets[r.PhysicalID] = r.Properties
	return data{}, nil
}

func (h naiveHandler) Delete(_ context.Context, r *cfnresource.DeleteRequest[ticket]) error {
	h.service.mu.Lock()
	defer h.service.mu.Unlock()
	delete(h.service.tickets, r.PhysicalID)
	return nil
}

// TestPictures makes the pictures of the documents, from real runs: a page of a stack's
// life, and that of a history that Explore has found. PICTURES says where they are to be.
func TestPictures(t *testing.T) {
	b := newFixture(t)
	dir := os.Getenv("PICTURES")
	if dir == "" {
		t.Skip("there is no PICTURES: make pictures says where they are to be")
	}
	b.deploy("things", "things.yaml", "--function", "Fn="+b.handler)
	b.deploy("things", "things.yaml", "--parameter", "Value=large", "--fault", "lose-answer@Queue.Update", "--fault", "die-before@Index.Update")
	stack := b.storyPage(b.stacks(), "things")

	pages := filepath.Join(b.dir, "histories")
	if err := flag.Set("explore.html", pages); err != nil {
		t.Fatal(err)
	}
	testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "Tickets", F: func(t *testing.T) {
		cfntest.Explore(t, cfntest.Contract{
			ResourceType: "Custom::Ticket", Properties: ticket{"printer"}, InPlace: ticket{"the printer"},
			New: func(testing.TB) cfntest.Service {
				d := &ticketService{tickets: map[string]ticket{}}
				return cfntest.Service{
					Function: func() cfntest.Function { return cfnresource.New(naiveHandler{d}) },
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
	runLook(t, map[string]any{"pages": []pageToView{}, "pictures": []map[string]string{
		{"url": stack.URL, "part": ".operation:nth-of-type(2)", "file": filepath.Join(dir, "timeline.png")},
		{"url": "file://" + history, "part": "body", "file": filepath.Join(dir, "history.png")},
	}})
	checkReports(t, viewPages(t, pageToView{Name: "history", URL: "file://" + history}), 3)
}
