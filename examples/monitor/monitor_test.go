package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/monitor/fakeapi/server"
)

var orders = Props{URL: "https://example.com/orders", Seconds: 60, Email: "ada@example.com"}

// newMonitor returns a handler over an API without monitors.
func newMonitor(t *testing.T, habits server.Habits) (*Monitor, *server.Store) {
	t.Helper()
	store, err := server.Open("", habits)
	if err != nil {
		t.Fatal(err)
	}
	a := newAPI("https://api.example.com", "token")
	a.client.Transport = inProcess{server.New(store, "token")}
	return &Monitor{api: a}, store
}

// A request is a struct: the methods can be tested without any event.
func TestTheIDNamesTheFirstThingMade(t *testing.T) {
	m, store := newMonitor(t, server.Habits{})
	req := &cfnresource.CreateRequest[Props]{Properties: orders}
	data, err := m.Create(t.Context(), req)
	if err != nil || req.CreatedID() != "1001" || data.RuleID != "1002" {
		t.Fatalf("Create returned %+v, %v and created %q", data, err, req.CreatedID())
	}
	want := []server.Monitor{{ID: 1001, State: "active", URL: orders.URL, Seconds: 60, Labels: map[string]string{label: req.StableID()}}}
	if diff := cmp.Diff(want, store.Monitors()); diff != "" {
		t.Errorf("monitors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]server.Rule{{ID: 1002, Monitor: 1001, Email: orders.Email}}, store.Rules()); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

// Ten minutes pass within one event, in virtual time.
func TestCreateWaitsForMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, store := newMonitor(t, server.Habits{Lag: 10 * time.Second, Ready: 10 * time.Minute, Rate: 3})
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		start := time.Now()
		got := cfntest.InvokeContext(ctx, t, cfnresource.New(m, listsLag), cfntest.CreateEvent(orders))
		if got.Status != "SUCCESS" || got.PhysicalResourceID != "1001" || len(store.Rules()) != 1 {
			t.Errorf("answered %+v, with the rules %v", got, store.Rules())
		}
		if took := time.Since(start); took < 10*time.Minute || took > 11*time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// The list does not show the rule that was just made, and the API refuses a
// second one, and to delete the monitor: the calls are tried again until it does.
func TestWhatTheListDoesNotShowYetIsMetAsAConflict(t *testing.T) {
	other := orders
	other.Email = "grace@example.com"
	for _, tc := range []struct {
		name  string
		event func(id string) []byte
		want  []server.Rule
	}{
		{"Update", func(id string) []byte { return cfntest.UpdateEvent(id, other, orders) }, []server.Rule{{ID: 1002, Monitor: 1001, Email: other.Email}}},
		{"Delete", func(id string) []byte { return cfntest.DeleteEvent(id, orders) }, []server.Rule{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, store := newMonitor(t, server.Habits{Lag: 10 * time.Second})
				d := cfnresource.New(m, listsLag)
				id := cfntest.Invoke(t, d, cfntest.CreateEvent(orders)).PhysicalResourceID
				got := cfntest.Invoke(t, d, tc.event(id))
				if diff := cmp.Diff(tc.want, store.Rules()); got.Status != "SUCCESS" || diff != "" {
					t.Errorf("answered %+v, and the rules are (-want +got):\n%s", got, diff)
				}
			})
		})
	}
}

// Whoever deletes the rule by hand has it back after the next Update, also while
// the list shows it still.
func TestUpdateMakesWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, store := newMonitor(t, server.Habits{Lag: 10 * time.Second})
		d := cfnresource.New(m, listsLag)
		id := cfntest.Invoke(t, d, cfntest.CreateEvent(orders)).PhysicalResourceID
		<-time.After(time.Minute)
		if err := m.api.removeRule(t.Context(), store.Rules()[0].ID); err != nil {
			t.Fatal(err)
		}
		got := cfntest.Invoke(t, d, cfntest.UpdateEvent(id, orders, orders))
		if diff := cmp.Diff([]server.Rule{{ID: 1003, Monitor: 1001, Email: orders.Email}}, store.Rules()); got.Status != "SUCCESS" || diff != "" {
			t.Errorf("answered %+v, and the rules are (-want +got):\n%s", got, diff)
		}
	})
}

// What another program made is found again once it has been updated.
func TestUpdateLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, store := newMonitor(t, server.Habits{})
		if _, err := m.api.createMonitor(t.Context(), "", settings(orders)); err != nil {
			t.Fatal(err)
		}
		got := cfntest.Invoke(t, cfnresource.New(m, listsLag), cfntest.UpdateEvent("1001", orders, orders))
		if labels := store.Monitors()[0].Labels; got.Status != "SUCCESS" || labels[label] == "" {
			t.Errorf("answered %+v, and it is labelled %v", got, labels)
		}
	})
}

// By its code, and by Retry-After, the dispatcher knows what to try again.
func TestStatusesHaveCodes(t *testing.T) {
	for status, want := range map[int]cfnresource.Code{
		http.StatusNotFound:        cfnresource.CodeNotFound,
		http.StatusConflict:        cfnresource.CodeResourceConflict,
		http.StatusTooManyRequests: cfnresource.CodeThrottling,
		http.StatusBadGateway:      cfnresource.CodeServiceInternalError,
	} {
		a := newAPI("https://api.example.com", "token")
		a.client.Transport = inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the API's own words", status)
		})}
		err := a.removeMonitor(t.Context(), "1001")
		if cfnresource.CodeOf(err) != want || !strings.Contains(err.Error(), "the API's own words") {
			t.Errorf("status %d: code %q, want %q; error %v", status, cfnresource.CodeOf(err), want, err)
		}
	}
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	if err := newAPI(srv.URL, "token").removeMonitor(t.Context(), "1001"); cfnresource.CodeOf(err) != cfnresource.CodeNetworkFailure {
		t.Errorf("an API that is not there: %v", err)
	}
}

// A function without its settings answers all the same.
func TestAFunctionWithoutSettingsAnswers(t *testing.T) {
	t.Setenv("API_URL", "")
	got := cfntest.Invoke(t, cfnresource.New(cfnresource.Lazy(open)), cfntest.CreateEvent(orders))
	if got.Status != "FAILED" || !strings.Contains(got.Reason, "API_URL") {
		t.Errorf("answered %+v", got)
	}
}
