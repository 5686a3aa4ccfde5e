package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A fake is the service: the colors of labels, by their IDs.
type fake struct {
	mu     sync.Mutex
	colors map[string]string
}

func (f *fake) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := req.URL.Path[1:]
	_, exists := f.colors[id]
	color, _ := io.ReadAll(req.Body)
	switch {
	case req.Method == http.MethodPost && exists:
		w.WriteHeader(http.StatusConflict)
	case req.Method != http.MethodPost && !exists:
		w.WriteHeader(http.StatusNotFound)
	case req.Method == http.MethodDelete:
		delete(f.colors, id)
	default:
		f.colors[id] = string(color)
	}
}

func (f *fake) state(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if color, exists := f.colors[id]; exists {
		return color
	}
	return nil
}

// inProcess is a transport that calls a service in this process, without a socket.
type inProcess struct{ service http.Handler }

func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	reply := httptest.NewRecorder()
	p.service.ServeHTTP(reply, req)
	return reply.Result(), nil
}

func TestLabel(t *testing.T) {
	cfntest.TestHandler(t, cfntest.Contract{
		New: func(testing.TB) cfntest.Service {
			labels := &fake{colors: map[string]string{}}
			client := &http.Client{Transport: cfntest.Steps(inProcess{labels})}
			return cfntest.Service{
				Function: func() cfntest.Function { return cfnresource.New(&Label{client}) },
				State:    labels.state,
			}
		},
		Properties: Props{Color: "red"},
		InPlace:    Props{Color: "green"},
	})
}
