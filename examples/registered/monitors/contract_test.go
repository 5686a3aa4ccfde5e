package monitors

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/registered/fakeapi/server"
	"github.com/cfnresource/sdk-go/registry"
	"github.com/cfnresource/sdk-go/registry/registrytest"
)

var (
	orders  = Props{URL: "https://example.com/orders/", Seconds: 60, Bearer: "open-sesame"}
	changed = Props{URL: "https://example.com/orders/", Seconds: 300, Bearer: "shut-sesame"}
)

// newService returns an API without monitors, whose monitors take so long to get
// ready, and a function that starts a handler of it.
func newService(t testing.TB, ready time.Duration) (*server.Store, func() *Monitor) {
	t.Helper()
	store, err := server.Open("", ready)
	if err != nil {
		t.Fatal(err)
	}
	return store, func() *Monitor {
		return &Monitor{API: func(context.Context) (*API, error) {
			a := NewAPI("https://api.example.com", "token")
			a.client.Transport = cfntest.Steps(inProcess{server.New(store, "token")})
			return a, nil
		}}
	}
}

// inProcess is a transport that calls a server without a network.
type inProcess struct{ server http.Handler }

func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	reply := httptest.NewRecorder()
	p.server.ServeHTTP(reply, req)
	return reply.Result(), nil
}

// The custom resource.
var contract = cfntest.Contract{
	New: func(t testing.TB) cfntest.Service {
		store, start := newService(t, 4*time.Second)
		before := func(props any) string { // by a program that set no label
			a := NewAPI("https://api.example.com", "token")
			a.client.Transport = inProcess{server.New(store, "token")}
			p, _ := props.(Props)
			made, err := a.create(t.Context(), "", settingsOf(p))
			if err != nil {
				t.Fatal(err)
			}
			return strconv.Itoa(made.ID)
		}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(start(), cfntest.Continues) }, // as the registry calls it again
			State: func(id string) any {
				all := store.Monitors()
				i := slices.IndexFunc(all, func(m server.Monitor) bool { return strconv.Itoa(m.ID) == id })
				if i < 0 {
					return nil
				}
				return Props{URL: Address(all[i].URL), Seconds: Interval(all[i].Seconds)} // which is the same in each run
			},
			List: func() (ids []string) {
				for _, m := range store.Monitors() {
					ids = append(ids, strconv.Itoa(m.ID))
				}
				return ids
			},
			Accepts: func(id, bearer string) bool {
				n, err := strconv.Atoi(id)
				return err == nil && store.Sends(n, bearer)
			},
			Before: before,
		}
	},
	Properties: orders,
	InPlace:    changed,
	Replacing:  Props{URL: "https://example.com/returns", Seconds: 60},
	Refused:    Props{URL: "https://example.com/orders/", Seconds: 1},
	Timeout:    5 * time.Minute,
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 1 })
}

var registered = registrytest.Inputs[Props]{
	Create: orders,
	Update: changed,
	Beside: Props{URL: "https://example.com/returns", Seconds: 60},
}

// The registered type, whose monitors are ready at once, or only after many calls of a minute.
func TestRegistryContract(t *testing.T) {
	for name, ready := range map[string]time.Duration{"at once": 0, "ten minutes": 10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			registrytest.TestContract(t, registered, service(ready))
		})
	}
}

// The registered type with a fault at each step.
func TestRegistryExplore(t *testing.T) {
	registrytest.Explore(t, registered, service(4*time.Second))
}

func service(ready time.Duration) func(*testing.T) registrytest.Process {
	return func(t *testing.T) registrytest.Process {
		_, start := newService(t, ready)
		return func() *registry.Dispatcher { return registry.New("Example::Monitors::Monitor", start()) }
	}
}
