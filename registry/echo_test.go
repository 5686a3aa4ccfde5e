package registry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

type login struct {
	User     string
	Password string `cfn:"secret"`
}

type doorProps struct {
	Name   string `cfn:"required"`
	Note   string
	Pin    string `cfn:"secret"`
	Login  login
	Logins []login
}

// A door is one resource, in memory.
type door struct {
	is doorProps
}

func (d *door) Create(_ context.Context, req *cfnresource.CreateRequest[doorProps]) (none struct{}, err error) {
	d.is = req.Properties
	return none, nil
}

func (d *door) Update(_ context.Context, req *cfnresource.UpdateRequest[doorProps]) (none struct{}, err error) {
	d.is = req.Properties
	return none, nil
}

func (d *door) Delete(context.Context, *cfnresource.DeleteRequest[doorProps]) error { return nil }

func (d *door) Read(context.Context, *registry.ReadRequest) (registry.Model[doorProps, struct{}], error) {
	return registry.Model[doorProps, struct{}]{Properties: d.is}, nil
}

func (d *door) List(context.Context, *registry.ListRequest) ([]string, string, error) {
	return nil, "", nil
}

// A property is answered as it came where Read has the same, and as Read has it where
// a secret is in it, in whatever depth.
func TestAnswersHaveNoSecretAtAnyDepth(t *testing.T) {
	const first = `"Name":"a","Pin":"hush-hush","Login":{"User":"u","Password":"hush-hush"},"Logins":[{"User":"v","Password":"hush-hush"}]`
	const id = `"PhysicalResourceId":"door-1"`
	d := registry.New(typeName, &door{})
	for _, e := range []event{
		{action: "CREATE", properties: "{" + first + "}"},
		{action: "UPDATE", token: "2", properties: "{" + first + `,"Note":"b",` + id + "}", previous: "{" + first + "," + id + "}"},
	} {
		a := invoke(t, d, e.json())
		if a.Status != "SUCCESS" || strings.Contains(string(a.ResourceModel), "hush") ||
			!strings.Contains(string(a.ResourceModel), `"Login":{"User":"u"},"Logins":[{"User":"v"}]`) {
			t.Errorf("%s is answered %s %s", e.action, a.Status, a.ResourceModel)
		}
	}
}
