package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/monitor/fakeapi/server"
)

var contract = cfntest.Contract{
	New: func(t testing.TB) cfntest.Service {
		store, err := server.Open("", server.Habits{Lag: 10 * time.Second, Ready: 4 * time.Second, Rate: 5})
		if err != nil {
			t.Fatal(err)
		}
		client := func(transport http.RoundTripper) *api {
			a := newAPI("https://api.example.com", "token")
			a.client.Transport = transport
			return a
		}
		service := inProcess{server.New(store, "token")}
		return cfntest.Service{
			Function: func() cfntest.Function {
				return cfnresource.New(&Monitor{api: client(cfntest.Steps(service))}, listsLag)
			},
			State: func(id string) any { return stateOf(store, id) },
			List:  func() []string { return owners(store) },
			Before: func(props any) string { // by a program that set no label
				p, _ := props.(Props)
				a := client(service)
				made, err := a.createMonitor(t.Context(), "", settings(p))
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Minute)
				if _, err := a.createRule(t.Context(), rule{Monitor: made.ID, Email: p.Email}); err != nil {
					t.Fatal(err)
				}
				return strconv.Itoa(made.ID)
			},
		}
	},
	Properties: Props{URL: "https://example.com/orders", Seconds: 60, Email: "ada@example.com"},
	InPlace:    Props{URL: "https://example.com/orders", Seconds: 300, Email: "grace@example.com"},
	Replacing:  Props{URL: "https://example.com/returns", Seconds: 60, Email: "ada@example.com"},
	Refused:    Props{URL: "https://example.com/orders", Seconds: 1, Email: "ada@example.com"},
	Timeout:    5 * time.Minute,
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

// All histories of three operations take many seconds: by default it plays some.
func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) {
		if os.Getenv("TEST_THOROUGH") == "" {
			o.Histories = 500
		}
	})
}

// stateOf is what there is of a resource: its monitor, its rule, or both,
// without what differs from run to run.
func stateOf(store *server.Store, id string) any {
	state := map[string]any{}
	for _, m := range store.Monitors() {
		if strconv.Itoa(m.ID) == id {
			state["monitor"] = Props{URL: m.URL, Seconds: m.Seconds}
		}
	}
	for _, r := range store.Rules() {
		if strconv.Itoa(r.Monitor) == id {
			state["told"] = r.Email
		}
	}
	if len(state) == 0 {
		return nil
	}
	return state
}

// owners are the IDs of all resources of which there is anything: a rule belongs
// to its monitor's, also when that is gone.
func owners(store *server.Store) (ids []string) {
	for _, m := range store.Monitors() {
		ids = append(ids, strconv.Itoa(m.ID))
	}
	for _, r := range store.Rules() {
		ids = append(ids, strconv.Itoa(r.Monitor))
	}
	return ids
}

// inProcess is a transport that calls a server without a network.
type inProcess struct{ server http.Handler }

func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	reply := httptest.NewRecorder()
	p.server.ServeHTTP(reply, req)
	return reply.Result(), nil
}
