package main

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/webhook/fakeapi/server"
)

var contract = cfntest.Contract{
	New: func(t testing.TB) cfntest.Service {
		store, err := server.Open("")
		if err != nil {
			t.Fatal(err)
		}
		a := newAPI("https://api.example.com", "token")
		a.client.Transport = cfntest.Steps(inProcess{server.New(store, "token")})
		others := newAPI("https://api.example.com", "token") // as another program calls the API
		others.client.Transport = inProcess{server.New(store, "token")}
		untagged := func(props any) string {
			p, _ := props.(Props)
			made, err := others.create(t.Context(), rand.Text(), settings(p))
			if err != nil {
				t.Fatal(err)
			}
			return made.ID
		}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(&Webhook{api: a}) },
			State: func(id string) any {
				all := store.All()
				i := slices.IndexFunc(all, func(w server.Webhook) bool { return w.ID == id })
				if i < 0 {
					return nil
				}
				return settingsOf(all[i])
			},
			List: func() (ids []string) {
				for _, w := range store.All() {
					ids = append(ids, w.ID)
				}
				return ids
			},
			Crowd:  func() { untagged(Props{URL: "https://example.com/orders"}) }, // by hand, for the same endpoint
			Before: untagged,
		}
	},
	Properties: Props{URL: "https://example.com/orders", Events: []string{"created", "paid"}},
	InPlace:    Props{URL: "https://example.com/orders", Events: []string{"paid"}, Paused: true},
	Replacing:  Props{URL: "https://example.com/returns", Events: []string{"created"}},
	Refused:    Props{URL: "http://example.com/orders", Events: []string{"created"}},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

// settingsOf is a webhook without what differs from run to run: its ID, its secret and its tag.
func settingsOf(w server.Webhook) Props {
	return Props{URL: w.URL, Events: w.Events, Paused: !w.Active}
}

// inProcess is a transport that calls a server without a network.
type inProcess struct{ server http.Handler }

func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	reply := httptest.NewRecorder()
	p.server.ServeHTTP(reply, req)
	return reply.Result(), nil
}

func TestExplore(t *testing.T) {
	t.Parallel()
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}
