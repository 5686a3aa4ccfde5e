package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// What is ready in time is a SUCCESS; what is not is answered FAILED, in time,
// and says how long it was waited for.
func TestWaitIsAnsweredBeforeTheDeadline(t *testing.T) {
	var healthy atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !healthy.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	d := cfnresource.New(cfnresource.Action(Wait))
	ask := func() cfntest.Response {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		return cfntest.InvokeContext(ctx, t, d, cfntest.CreateEvent(Props{URL: server.URL}))
	}
	if got := ask(); got.Status != "FAILED" || !strings.Contains(got.Reason, "not ready after") {
		t.Errorf("not ready in time: %+v", got)
	}
	healthy.Store(true)
	if got := ask(); got.Status != "SUCCESS" || got.Data["WaitedSeconds"] != "0" {
		t.Errorf("ready: %+v", got)
	}
}
