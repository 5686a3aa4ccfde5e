package main

import (
	"errors"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A handler's methods can be tested without any event: a request is a struct.

func TestCreateSaysWhatItMade(t *testing.T) {
	hub := NewMemoryHub()
	req := &cfnresource.CreateRequest[Props]{Properties: Props{Topic: "orders", Days: 14}}
	data, err := (&Subscription{hub: hub}).Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if data.Secret == "" || req.CreatedID() != req.StableID() || len(hub.subscriptions) != 1 {
		t.Errorf("Create returned %+v, created %q, made %v", data, req.CreatedID(), hub.subscriptions)
	}
}

func TestCreateSaysNothingOfWhatItDidNotMake(t *testing.T) {
	hub := NewMemoryHub()
	req := &cfnresource.CreateRequest[Props]{Properties: Props{Topic: "orders", Days: -1}}
	if _, err := (&Subscription{hub: hub}).Create(t.Context(), req); err == nil || req.CreatedID() != "" {
		t.Errorf("Create returned error %v and created %q", err, req.CreatedID())
	}
}

func TestUpdateMakesWhatIsMissing(t *testing.T) {
	hub := NewMemoryHub()
	req := &cfnresource.UpdateRequest[Props]{PhysicalID: "id", Properties: Props{Topic: "orders", Days: 14}}
	if _, err := (&Subscription{hub: hub}).Update(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if got := hub.subscriptions["id"].Topic; got != "orders" {
		t.Errorf("after Update the subscription's topic is %q", got)
	}
}

// What CloudFormation does to a handler, event by event.

func TestPropertiesArriveAsStringsAndWithDefaults(t *testing.T) {
	hub := NewMemoryHub()
	d := cfnresource.New(&Subscription{hub: hub})
	created := cfntest.Invoke(t, d, cfntest.CreateEvent(map[string]any{"Topic": "orders", "Active": true}))
	want := Settings{Topic: "orders", Active: true, Days: 14}
	if got := hub.subscriptions[created.PhysicalResourceID].Settings; got != want {
		t.Errorf("made %+v, want %+v", got, want)
	}
}

func TestAMistakeInTheTemplateMakesNothing(t *testing.T) {
	for name, props := range map[string]map[string]any{
		"Topic missing":       {"Days": 14},
		"Topic misspelt":      {"Topic": "orders", "Actve": true},
		"Days not a number":   {"Topic": "orders", "Days": "many"},
		"Days out of range":   {"Topic": "orders", "Days": 1000},
		"Active not a truth ": {"Topic": "orders", "Active": "perhaps"},
	} {
		t.Run(name, func(t *testing.T) {
			hub := NewMemoryHub()
			d := cfnresource.New(&Subscription{hub: hub})
			created := cfntest.Invoke(t, d, cfntest.CreateEvent(props))
			if created.Status != "FAILED" || len(hub.subscriptions) != 0 {
				t.Fatalf("Create answered %+v and made %v", created, hub.subscriptions)
			}
			// CloudFormation deletes also what failed.
			deleted := cfntest.Invoke(t, d, cfntest.DeleteEvent(created.PhysicalResourceID, props))
			if deleted.Status != "SUCCESS" {
				t.Errorf("Delete answered %+v", deleted)
			}
		})
	}
}

func TestMemoryHub(t *testing.T) {
	hub, s := NewMemoryHub(), Settings{Topic: "a", Days: 1}
	if err := hub.Delete(t.Context(), "x"); cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
		t.Errorf("Delete of nothing returned %v", err)
	}
	secret, err := hub.Create(t.Context(), "x", s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hub.Create(t.Context(), "x", s); !errors.Is(err, ErrExists) {
		t.Errorf("the second Create returned %v", err)
	}
	if again, err := hub.Put(t.Context(), "x", s); err != nil || again != secret {
		t.Errorf("Put changed the secret, error %v", err)
	}
}
