package main

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A service is ready after some time.
type service struct{ ready time.Time }

func (s service) RoundTrip(*http.Request) (*http.Response, error) {
	status := http.StatusOK
	if time.Now().Before(s.ready) {
		status = http.StatusServiceUnavailable
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}

// What is ready in time is a SUCCESS; what is not is answered FAILED, in time,
// and says how long it was waited for.
func TestWaitIsAnsweredBeforeTheDeadline(t *testing.T) {
	transport := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = transport })
	for name, test := range map[string]struct {
		takes          time.Duration
		status, waited string
		reason         string
	}{
		"ready":             {0, "SUCCESS", "0", ""},
		"ready soon":        {12 * time.Second, "SUCCESS", "15", ""},
		"not ready in time": {time.Hour, "FAILED", "", "not ready after"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				http.DefaultTransport = service{time.Now().Add(test.takes)}
				got := cfntest.Invoke(t, cfnresource.New(cfnresource.Action(Wait)), cfntest.CreateEvent(Props{URL: "https://service.example.com"}))
				waited, _ := got.Data["WaitedSeconds"].(string)
				if got.Status != test.status || waited != test.waited || !strings.Contains(got.Reason, test.reason) {
					t.Errorf("answered %+v, want %s after %q seconds", got, test.status, test.waited)
				}
			})
		})
	}
}
