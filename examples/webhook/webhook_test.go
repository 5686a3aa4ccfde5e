package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/webhook/fakeapi/server"
)

const token = "test"

// newWebhook returns a handler over an API without webhooks.
func newWebhook(t *testing.T) (*Webhook, *server.Store) {
	t.Helper()
	store, err := server.Open("")
	if err != nil {
		t.Fatal(err)
	}
	w := &Webhook{api: newAPI("https://api.example.com", token)}
	w.api.client.Transport = inProcess{server.New(store, token)}
	return w, store
}

// made returns the IDs and URLs of the webhooks that there are.
func made(store *server.Store) map[string]string {
	hooks := map[string]string{}
	for _, h := range store.All() {
		hooks[h.ID] = h.URL
	}
	return hooks
}

var (
	orders  = Props{URL: "https://example.com/orders", Events: []string{"created", "paid"}}
	returns = Props{URL: "https://example.com/returns", Events: []string{"created"}}
)

// A handler's methods can be tested without any event: a request is a struct.
func TestCreateTagsAndNamesWhatItMade(t *testing.T) {
	w, store := newWebhook(t)
	req := &cfnresource.CreateRequest[Props]{Properties: orders}
	data, err := w.Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if req.CreatedID() != "hook-1" || data.Secret == "" {
		t.Errorf("Create returned %+v and created %q", data, req.CreatedID())
	}
	want := []server.Webhook{{
		ID: "hook-1", URL: orders.URL, Events: orders.Events, Active: true, Secret: data.Secret,
		Tags: map[string]string{"cloudformation": req.StableID()},
	}}
	if diff := cmp.Diff(want, store.All()); diff != "" {
		t.Errorf("webhooks (-want +got):\n%s", diff)
	}
	id, err := w.Find(t.Context(), &cfnresource.FindRequest[Props]{Properties: orders})
	if err != nil || id != "hook-1" {
		t.Errorf("Find returned %q, %v", id, err)
	}
}

func TestCreateNamesNothingThatItDidNotMake(t *testing.T) {
	w, _ := newWebhook(t)
	w.api.token = "wrong"
	req := &cfnresource.CreateRequest[Props]{Properties: orders}
	_, err := w.Create(t.Context(), req)
	if cfnresource.CodeOf(err) != cfnresource.CodeInvalidCredentials || req.CreatedID() != "" {
		t.Errorf("Create returned error %v and created %q", err, req.CreatedID())
	}
}

// A search may lag, show what is deleted, and find two that bear the tag.
func TestFindReadsWhatItAnswers(t *testing.T) {
	w, store := newWebhook(t)
	req := &cfnresource.FindRequest[Props]{Properties: orders}
	mine := settings(orders)
	mine.Tags = map[string]string{tag: req.StableID()}
	for _, h := range []hook{settings(orders), mine, mine} {
		if _, err := w.api.create(t.Context(), "", h); err != nil {
			t.Fatal(err)
		}
	}
	deleted := store.All()[1]
	if err := w.api.remove(t.Context(), deleted.ID); err != nil {
		t.Fatal(err)
	}
	blind, stale := []server.Webhook{}, []server.Webhook{deleted, store.All()[1]}
	for _, tc := range []struct {
		name  string
		at    string
		shows []server.Webhook
		want  string
	}{
		{"the search lags", "hook-3", blind, "hook-3"},
		{"the search shows what is deleted", "", stale, "hook-3"},
		{"the event's webhook is gone", "hook-2", stale, "hook-3"},
		{"the event's webhook is not tagged", "hook-1", stale, "hook-3"},
		{"the event's ID is made up", "my-stack-Webhook-1ABCDEFGHIJKL", blind, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			searching := *w.api
			searching.client = &http.Client{Transport: search{tc.shows, w.api.client.Transport}}
			got, err := (&Webhook{api: &searching}).Find(t.Context(), &cfnresource.FindRequest[Props]{PhysicalID: tc.at, Properties: orders})
			if err != nil || got != tc.want {
				t.Errorf("Find returned %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

// A search is a transport that answers searches itself.
type search struct {
	shows []server.Webhook
	http.RoundTripper
}

func (s search) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Query().Get("tag") == "" {
		return s.RoundTripper.RoundTrip(req)
	}
	reply := httptest.NewRecorder()
	err := json.NewEncoder(reply).Encode(s.shows)
	return reply.Result(), err
}

func TestDeleteOfWhatIsGoneIsNotFound(t *testing.T) {
	w, _ := newWebhook(t)
	for _, id := range []string{"hook-7", "my-stack-Webhook-1ABCDEFGHIJKL", "a/b?c"} {
		err := w.Delete(t.Context(), &cfnresource.DeleteRequest[Props]{PhysicalID: id})
		if cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
			t.Errorf("Delete of %q returned %v", id, err)
		}
	}
}

// What CloudFormation does to a handler, event by event.

func TestLifeOfAWebhook(t *testing.T) {
	w, store := newWebhook(t)
	d := cfnresource.New(w)
	created := cfntest.Invoke(t, d, cfntest.CreateEvent(orders))
	if created.Status != "SUCCESS" || !created.NoEcho || created.Data["Secret"] != store.All()[0].Secret {
		t.Fatalf("Create answered %+v", created)
	}
	paused := orders
	paused.Paused = true
	updated := cfntest.Invoke(t, d, cfntest.UpdateEvent(created.PhysicalResourceID, paused, orders))
	if diff := cmp.Diff(created, updated); diff != "" {
		t.Errorf("Update answers the same ID and secret (-Create +Update):\n%s", diff)
	}
	if store.All()[0].Active {
		t.Error("Update did not pause the webhook")
	}
	for range 2 { // CloudFormation may ask twice
		deleted := cfntest.Invoke(t, d, cfntest.DeleteEvent(created.PhysicalResourceID, paused))
		if deleted.Status != "SUCCESS" || len(store.All()) != 0 {
			t.Errorf("Delete answered %+v and left %v", deleted, made(store))
		}
	}
}

// A webhook that another program made has no tag: it is never replaced, and
// the rollback of an update leads back to it.
func TestAnotherProgramsWebhookIsChangedInPlace(t *testing.T) {
	w, store := newWebhook(t)
	synctest.Test(t, func(t *testing.T) { // Find waits, since the older webhook might be found yet
		d := cfnresource.New(w)
		older, err := w.api.create(t.Context(), "", settings(orders))
		if err != nil {
			t.Fatal(err)
		}
		cfntest.Invoke(t, d, cfntest.UpdateEvent(older.ID, returns, orders))
		if diff := cmp.Diff(map[string]string{older.ID: returns.URL}, made(store)); diff != "" {
			t.Fatalf("webhooks after the update (-want +got):\n%s", diff)
		}
		back := cfntest.Invoke(t, d, cfntest.UpdateEvent(older.ID, orders, returns))
		if back.PhysicalResourceID != older.ID {
			t.Errorf("the rollback answered %+v, want %q", back, older.ID)
		}
		if diff := cmp.Diff(map[string]string{older.ID: orders.URL}, made(store)); diff != "" {
			t.Errorf("webhooks after the rollback (-want +got):\n%s", diff)
		}
	})
}

// From its first ordinary update on, it is this resource's, and is found.
func TestAnotherProgramsWebhookIsTaggedByAnUpdate(t *testing.T) {
	w, store := newWebhook(t)
	d := cfnresource.New(w)
	older, err := w.api.create(t.Context(), "", settings(orders))
	if err != nil {
		t.Fatal(err)
	}
	cfntest.Invoke(t, d, cfntest.UpdateEvent(older.ID, orders, orders))
	replaced := cfntest.Invoke(t, d, cfntest.UpdateEvent(older.ID, returns, orders))
	if replaced.Status != "SUCCESS" || replaced.PhysicalResourceID == older.ID {
		t.Errorf("an Update to another endpoint answered %+v; there are %v", replaced, made(store))
	}
}

func TestAMistakeInTheTemplateMakesNothing(t *testing.T) {
	for _, tc := range []struct {
		name  string
		props map[string]any
		want  string // part of the Reason
	}{
		{"no Url", map[string]any{"Events": []string{"paid"}}, "Url"},
		{"Url not HTTPS", map[string]any{"Url": "http://example.com", "Events": []string{"paid"}}, "Url is not of the form"},
		{"no Events", map[string]any{"Url": orders.URL}, "Events"},
		{"Paused misspelt", map[string]any{"Url": orders.URL, "Events": []string{"paid"}, "Pause": true}, "Paused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, store := newWebhook(t)
			created := cfntest.Invoke(t, cfnresource.New(w), cfntest.CreateEvent(tc.props))
			if created.Status != "FAILED" || !strings.Contains(created.Reason, tc.want) || len(store.All()) != 0 {
				t.Errorf("Create answered %+v and made %v, want a Reason with %q", created, made(store), tc.want)
			}
		})
	}
}

// A function without its settings answers all the same.
func TestAFunctionWithoutSettingsAnswers(t *testing.T) {
	t.Setenv("API_URL", "")
	d := cfnresource.New(cfnresource.Lazy(open))
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	got := cfntest.Invoke(t, d, cfntest.CreateEvent(orders))
	if got.Status != "FAILED" || !strings.Contains(got.Reason, "API_URL") {
		t.Errorf("answered %+v", got)
	}
}

// Lazy keeps Find.
func TestTheHandlerOfMainFinds(t *testing.T) {
	w, store := newWebhook(t)
	d := cfnresource.New(cfnresource.Lazy(func(context.Context) (*Webhook, error) { return w, nil }))
	cfntest.Invoke(t, d, cfntest.CreateEvent(orders))
	cfntest.Invoke(t, d, cfntest.DeleteEvent(store.All()[0].Tags[tag], orders))
	if len(store.All()) != 0 {
		t.Errorf("Delete left %v", made(store))
	}
}
