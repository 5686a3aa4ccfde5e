package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

// What cannot be done is refused with the contract's code, and nothing is done.
func TestRefusals(t *testing.T) {
	const there = `{"PhysicalResourceId":"t-1","Name":"a","Size":1}`
	callback := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, test := range []struct {
		name string
		event
		code string
	}{
		{"an unknown action", event{action: "EXPLODE"}, "InvalidRequest"},
		{"an action in other letters", event{action: "create", properties: asked}, "InvalidRequest"},
		{"a model that is no object", event{action: "CREATE", properties: `[1]`}, "InvalidRequest"},
		{"a property of another type", event{action: "CREATE", properties: `{"Name":"b","Size":"many"}`}, "InvalidRequest"},
		{"a required property that is missing", event{action: "CREATE", properties: `{}`}, "InvalidRequest"},
		{"an unknown property", event{action: "CREATE", properties: `{"Name":"b","Colour":"red"}`}, "InvalidRequest"},
		{"an identifier in a CREATE", event{action: "CREATE", properties: `{"Name":"b","PhysicalResourceId":"t-9"}`}, "InvalidRequest"},
		{"credentials without a key", event{action: "CREATE", properties: asked, more: `,"callerCredentials":{"accessKeyId":"AKIA"}`}, "InvalidCredentials"},
		{"another's callbackContext", event{action: "CREATE", properties: asked, context: callback(`{"attempt":3}`)}, "InvalidRequest"},
		{"another action's", event{action: "CREATE", properties: asked, context: callback(`{"cfnresource":1,"action":"DELETE","token":"token-1","calls":1}`)}, "InvalidRequest"},
		{"another request's", event{action: "CREATE", properties: asked, context: callback(`{"cfnresource":1,"action":"CREATE","token":"token-2","calls":1,"created":"t-1"}`)}, "InvalidRequest"},
		{"one that is no object", event{action: "DELETE", properties: there, context: callback(`"t-1"`)}, "InvalidRequest"},
		{"one of a READ", event{action: "READ", properties: there, context: callback(`{"cfnresource":1,"action":"READ","token":"token-1","calls":1}`)}, "InvalidRequest"},
		{"previous properties that are no object", event{action: "UPDATE", properties: there, previous: `[1]`}, "InvalidRequest"},
		{"an identifier that is none", event{action: "DELETE", properties: `{"PhysicalResourceId":"` + strings.Repeat("t", 2000) + `"}`}, "InvalidRequest"},
		{"credentials of another form", event{action: "CREATE", properties: asked, more: `,"callerCredentials":"AKIA"`}, "InvalidRequest"},
		{"an UPDATE without an identifier", event{action: "UPDATE", properties: `{"Name":"a"}`}, "NotFound"},
		{"an UPDATE of what is not there", event{action: "UPDATE", properties: `{"Name":"a","PhysicalResourceId":"t-7"}`}, "NotFound"},
		{"a DELETE of what is not there", event{action: "DELETE", properties: `{"PhysicalResourceId":"t-7"}`}, "NotFound"},
		{"a READ of what is not there", event{action: "READ", properties: `{"PhysicalResourceId":"t-7"}`}, "NotFound"},
		{"a createOnly property that changes", event{action: "UPDATE", properties: `{"Name":"b","PhysicalResourceId":"t-1"}`, previous: there}, "NotUpdatable"},
		{"an UPDATE that does not decode", event{action: "UPDATE", properties: `{"Name":"a","Size":"many","PhysicalResourceId":"t-1"}`, previous: there}, "InvalidRequest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf()
				s.things["t-1"] = &thing{props: props{Name: "a", Size: 1}}
				got := invoke(t, newType(t, s), test.json())
				if got.Status != "FAILED" || got.ErrorCode != test.code || got.Message == "" {
					t.Errorf("the answer is %s %s %q, want FAILED %s", got.Status, got.ErrorCode, got.Message, test.code)
				}
				if len(s.calls) > 0 || got.CallbackDelaySeconds != 0 || got.CallbackContext != nil {
					t.Errorf("something was done: %q, callback %s", s.calls, got.CallbackContext)
				}
			})
		})
	}
}

// A payload that is none of the registry's is answered, too.
func TestForeignPayloads(t *testing.T) {
	for _, payload := range []string{``, `null`, `[]`, `{`, `"x"`, `{"action":7}`, `{"action":"CREATE","resourceType":"Other::Type::Name","bearerToken":"t"}`, `{"action":"CREATE"}`} {
		s := newShelf()
		if a := invoke(t, newType(t, s), []byte(payload)); a.Status != "FAILED" || a.ErrorCode != "InvalidRequest" || len(s.calls) > 0 {
			t.Errorf("%s is answered %+v, calls %q", payload, a, s.calls)
		}
	}
}

// The handler's codes are the answer's, and its secrets are struck out.
func TestFailuresHaveTheirCode(t *testing.T) {
	for _, test := range []struct {
		err  error
		code string
	}{
		{cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "too many"), "ServiceLimitExceeded"},
		{cfnresource.Errorf(cfnresource.CodeThrottling, "slower"), "Throttling"},
		{cfnresource.Errorf(cfnresource.CodeInvalidTypeConfiguration, "no key"), "InvalidTypeConfiguration"},
		{errors.New("the password hush-hush is refused"), "GeneralServiceException"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			s.fails = test.err
			a := invoke(t, newType(t, s), event{action: "CREATE", properties: asked}.json())
			if a.Status != "FAILED" || a.ErrorCode != test.code || strings.Contains(a.Message, "hush") {
				t.Errorf("%v is answered %s %s %q, want %s", test.err, a.Status, a.ErrorCode, a.Message, test.code)
			}
		})
	}
}

// A panic, in whichever method, is an answer.
func TestPanicsAreAnswered(t *testing.T) {
	for _, action := range []string{"CREATE", "READ", "LIST"} {
		a := invoke(t, registry.New(typeName, panics{newShelf()}), event{action: action, properties: `{"PhysicalResourceId":"t-1"}`}.json())
		if a.Status != "FAILED" || a.ErrorCode != "InternalFailure" {
			t.Errorf("%s is answered %+v", action, a)
		}
	}
}

type panics struct{ *shelf }

func (panics) Read(context.Context, *registry.ReadRequest) (registry.Model[props, data], error) {
	panic("no")
}

func (panics) List(context.Context, *registry.ListRequest) ([]string, string, error) { panic("no") }

// What is wrong with a type is said by Err, and fails every request.
func TestErr(t *testing.T) {
	for _, d := range []*registry.Dispatcher{
		registry.New("Thing", newShelf()),
		registry.New[*shelf](typeName, nil),
		registry.New(typeName, newShelf(), func(*registry.Options) { panic("no") }),
	} {
		if d.Err() == nil {
			t.Error("there is no error")
		}
		if a := invoke(t, d, event{action: "LIST"}.json()); a.ErrorCode != "InternalFailure" {
			t.Errorf("the answer is %+v", a)
		}
	}
}
