package main

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

func TestSubscription(t *testing.T) {
	hub := NewMemoryHub()
	d := cfnresource.New(&Subscription{hub: hub})
	props := Props{Topic: "orders", Active: true, Days: 30}

	created := cfntest.Invoke(t, d, cfntest.CreateEvent(props))
	id := created.PhysicalResourceID
	if created.Status != "SUCCESS" || created.Data["Secret"] != hub.subscriptions[id].Secret || !created.NoEcho {
		t.Fatalf("Create answered %+v", created)
	}
	if got := hub.subscriptions[id].Settings; got != Settings(props) {
		t.Errorf("Create made %+v, want %+v", got, props)
	}

	deleted := cfntest.Invoke(t, d, cfntest.DeleteEvent(id, props))
	if deleted.Status != "SUCCESS" || len(hub.subscriptions) != 0 {
		t.Errorf("Delete answered %+v and left %v", deleted, hub.subscriptions)
	}
}
