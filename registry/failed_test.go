package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

// brokenDoor is a door whose changes fail after they took effect.
type brokenDoor struct{ *door }

var errJammed = errors.New("the door is jammed")

func (b brokenDoor) Create(ctx context.Context, req *cfnresource.CreateRequest[doorProps]) (none struct{}, err error) {
	_, _ = b.door.Create(ctx, req)
	req.Created("door-1")
	return none, errJammed
}

func (brokenDoor) Update(context.Context, *cfnresource.UpdateRequest[doorProps]) (none struct{}, err error) {
	return none, errJammed
}

func (brokenDoor) Delete(context.Context, *cfnresource.DeleteRequest[doorProps]) error {
	return errJammed
}

// A FAILED answer goes on nowhere: it names the resource, and has no secret, at any depth.
func TestFailedAnswersHaveNoSecret(t *testing.T) {
	const all = `"Name":"a","Pin":"hush-hush","Login":{"User":"u","Password":"hush-hush"},"Logins":[{"User":"v","Password":"hush-hush"}]`
	const id = `"PhysicalResourceId":"door-1"`
	d := registry.New(typeName, brokenDoor{&door{}})
	for _, e := range []event{
		{action: "CREATE", properties: "{" + all + "}"},
		{action: "UPDATE", token: "2", properties: "{" + all + "," + id + "}", previous: "{" + all + "," + id + "}"},
		{action: "DELETE", token: "3", properties: "{" + all + "," + id + "}"},
	} {
		a := invoke(t, d, e.json())
		if a.Status != "FAILED" || strings.Contains(string(a.ResourceModel), "hush") ||
			!strings.Contains(string(a.ResourceModel), `"PhysicalResourceId":`) || !strings.Contains(string(a.ResourceModel), `"Name":"a"`) {
			t.Errorf("%s is answered %s %s", e.action, a.Status, a.ResourceModel)
		}
	}
}
