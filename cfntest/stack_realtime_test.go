package cfntest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // those in real time wait, and need hardly a processor
		panic(err)
	}
	m.Run()
}

// A shop sells books over HTTP.
type shop struct {
	mu    sync.Mutex
	books map[string]bool
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodPut:
		s.books[r.URL.Path] = true
	case http.MethodDelete:
		delete(s.books, r.URL.Path)
	}
}

func (s *shop) sells() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.books)
}

// A dealer manages books in a shop.
type dealer struct {
	url    string
	client *http.Client
}

func (d dealer) do(ctx context.Context, method, id string) error {
	req, err := http.NewRequestWithContext(ctx, method, d.url+"/"+id, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	res, err := d.client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return errors.Join(err, res.Body.Close())
}

func (d dealer) Create(ctx context.Context, req *cfnresource.CreateRequest[bookProps]) (data bookData, err error) {
	return data, d.do(ctx, http.MethodPut, req.StableID())
}

func (d dealer) Update(ctx context.Context, req *cfnresource.UpdateRequest[bookProps]) (data bookData, err error) {
	return data, d.do(ctx, http.MethodPut, req.PhysicalID)
}

func (d dealer) Delete(ctx context.Context, req *cfnresource.DeleteRequest[bookProps]) error {
	return d.do(ctx, http.MethodDelete, req.PhysicalID)
}

// In real time, over sockets, no fault takes longer than its handler does, and
// nothing is left behind.
func TestStackRealTime(t *testing.T) {
	for _, fault := range []fault.Fault{
		{Kind: fault.Redeliver}, {Kind: fault.Twice}, {Kind: fault.Late}, {Kind: fault.LoseAnswer}, {Kind: fault.Undelivered},
		{Kind: fault.DieBefore}, {Kind: fault.DieAfter}, {Kind: fault.DieForGood}, {Kind: fault.DieAtStep, Step: 1}, {Kind: fault.DieAtStep, Step: 2},
		{Kind: fault.ErrorAfter}, {Kind: fault.PanicAfter}, {Kind: fault.FailAtStep, Step: 2},
	} {
		t.Run(string(fault.Kind)+fmt.Sprint(fault.Step), func(t *testing.T) {
			shop := &shop{books: make(map[string]bool)}
			server := httptest.NewServer(shop)
			t.Cleanup(server.Close)
			client := &http.Client{Transport: cfntest.Steps(server.Client().Transport)}
			began := time.Now()
			s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
				return cfnresource.New(dealer{server.URL, client}, quietly)
			}}, inRealTime)
			tellOnFailure(t, s)
			s.Inject(fault)
			s.Deploy(book("Emma", 100))
			if s.Status() == "CREATE_COMPLETE" && shop.sells() != 1 {
				t.Errorf("the shop sells %d books", shop.sells())
			}
			if got := s.Destroy(); got != "DELETE_COMPLETE" {
				t.Errorf("it ends in %s", got)
			}
			s.Settle()
			if n := shop.sells(); n > 0 {
				t.Errorf("the shop still sells %d books", n)
			}
			if got := s.Requests()[0].Fault; got != fault.Kind {
				t.Errorf("the Create met the fault %q", got)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// Only a Delete is dated back: no Create is older than its ServiceTimeout.
func TestStackRealTimeDates(t *testing.T) {
	_, service := library()
	s := cfntest.NewStack(t, service, inRealTime)
	template := cfntest.Template{"Book": {Properties: bookProps{Title: "Emma"}, ServiceTimeout: 30}}
	if got := s.Deploy(template); got != "CREATE_COMPLETE" {
		t.Errorf("it ends in %s, after\n%s", got, s.Story())
	}
}

// What takes the function's time takes it in real time.
func TestStackRealTimeOfTheFunction(t *testing.T) {
	for _, fault := range []fault.Fault{{Kind: fault.HangAtStep, Step: 2}, {Kind: fault.OutOfTimeAfter}, {Kind: fault.CancelWhileRunning}} {
		t.Run(string(fault.Kind), func(t *testing.T) {
			t.Parallel()
			shelf, service := library()
			service.Function = func() cfntest.Function {
				return cfnresource.New(librarian{shelf}, quietly, func(o *cfnresource.Options) {
					o.ResponseMargin = 2 * time.Second // for the answer on a busy machine
				})
			}
			s := cfntest.NewStack(t, service, inRealTime, func(o *cfntest.StackOptions) { o.Timeout = 6 * time.Second })
			tellOnFailure(t, s)
			s.Inject(fault)
			s.Deploy(book("Emma", 100))
			s.Destroy()
			s.Settle()
			if left := shelf.names(); len(left) > 0 || s.Status() != "DELETE_COMPLETE" {
				t.Errorf("in %s there is %v", s.Status(), left)
			}
		})
	}
}
