package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

const question = `{"cfnresource":"describe"}`

// TestDescribe: a function that has its schema gives it to who asks, and one that
// has none takes the question for a request that it does not know.
func TestDescribe(t *testing.T) {
	schema := `{"typeName":"Example::Paper::Note"}`
	for _, test := range []struct {
		name string
		opts []func(*registry.Options)
		want string
		err  string
	}{
		{"with a schema", []func(*registry.Options){func(o *registry.Options) { o.Schema = func() ([]byte, error) { return []byte(schema), nil } }}, `"schema":` + schema, ""},
		{"without", nil, `"errorCode":"InvalidRequest"`, ""},
		{"with one that fails", []func(*registry.Options){func(o *registry.Options) {
			o.Schema = func() ([]byte, error) { return nil, errors.New("no luck") }
		}}, "", "the schema: no luck"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := registry.New(typeName, newShelf(), test.opts...)
			got, err := d.Invoke(t.Context(), []byte(question))
			switch {
			case test.err != "" && (err == nil || err.Error() != test.err), test.err == "" && err != nil:
				t.Errorf("the error is %v, want %q", err, test.err)
			case !strings.Contains(string(got), test.want), test.err == "" && !json.Valid(got):
				t.Errorf("the answer is %s, want %s in it", got, test.want)
			}
		})
	}
}

// Lazy opens the resource once, and tries again at the next request if that
// failed. The failure says nothing of the resource, whatever its code.
func TestLazy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, opened := newShelf(), 0
		d := registry.New(typeName, registry.Lazy(func(context.Context) (*shelf, error) {
			if opened++; opened <= 6 {
				return nil, cfnresource.Errorf(cfnresource.CodeNotFound, "no vault")
			}
			return s, nil
		}))
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
		for _, action := range []string{"READ", "LIST", "UPDATE", "DELETE"} {
			a := invoke(t, d, event{action: action, properties: `{"Name":"a","PhysicalResourceId":"t-1"}`}.json())
			if a.ErrorCode != "InternalFailure" || !strings.Contains(a.Message, "no vault") {
				t.Errorf("%s is answered %+v", action, a)
			}
		}
		opened = 6
		for range 2 {
			if a := invoke(t, d, event{action: "LIST"}.json()); a.Status != "SUCCESS" {
				t.Errorf("the answer is %+v", a)
			}
		}
		if opened != 7 {
			t.Errorf("the resource was opened %d times", opened)
		}
	})
}

// An open that never returns fails its own request. The next one opens anew beside it.
func TestLazyThatHangsFailsOnlyItsOwnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, end := 0, make(chan struct{})
		defer close(end)
		d := registry.New(typeName, registry.Lazy(func(context.Context) (*shelf, error) {
			if opened++; opened == 1 {
				<-end
			}
			return newShelf(), nil
		}))
		if a := invoke(t, d, event{action: "LIST"}.json()); a.ErrorCode != "InternalFailure" {
			t.Errorf("the answer is %+v", a)
		}
		if a := invoke(t, d, event{action: "LIST"}.json()); a.Status != "SUCCESS" {
			t.Errorf("the answer is %+v", a)
		}
	})
}

// What Lazy opens keeps all that it is: its methods, and a Find only if it has one.
func TestLazyKeepsWhatTheResourceIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		d := registry.New(typeName, registry.Lazy(func(context.Context) (*shelf, error) { return s, nil }))
		if a := invoke(t, d, event{action: "CREATE", properties: asked}.json()); a.Status != "SUCCESS" {
			t.Errorf("CREATE is answered %+v", a)
		}
		const there = `{"PhysicalResourceId":"t-1","Name":"a","Size":4}`
		for _, action := range []string{"UPDATE", "READ", "DELETE"} {
			if a := invoke(t, d, event{action: action, token: action, properties: there}.json()); a.Status != "SUCCESS" {
				t.Errorf("%s is answered %+v", action, a)
			}
		}
	})
	if _, ok := registry.Lazy(func(context.Context) (*shelf, error) { return newShelf(), nil }).(cfnresource.Finder[props]); !ok {
		t.Error("the shelf's Find is lost")
	}
	if _, ok := registry.Lazy(func(context.Context) (*findless, error) { return nil, nil }).(cfnresource.Finder[props]); ok { //nolint:nilnil // it is not called
		t.Error("what has no Find has one")
	}
}

// findless is a shelf without Find.
type findless struct{ registry.Resource[props, data] }

// What is wrong with a call of Lazy is said by Err.
func TestLazyOfWhatCannotBeOpened(t *testing.T) {
	var none func(context.Context) (*shelf, error)
	for name, d := range map[string]*registry.Dispatcher{
		"nil": registry.New(typeName, registry.Lazy(none)),
		"an interface": registry.New(typeName, registry.Lazy(func(context.Context) (registry.Resource[props, data], error) {
			return nil, errors.New("never called")
		})),
	} {
		if d.Err() == nil || !strings.Contains(d.Err().Error(), "passed to Lazy") {
			t.Errorf("%s: %v", name, d.Err())
		}
	}
	d := registry.New(typeName, registry.Lazy(func(context.Context) (*shelf, error) { return nil, nil })) //nolint:nilnil // the mistake
	if a := invoke(t, d, event{action: "LIST"}.json()); a.ErrorCode != "InternalFailure" {
		t.Errorf("a resource that is nil: %+v", a)
	}
}

type alarmProps struct {
	Every time.Duration `cfn:"createOnly,required"`
}

// alarms bear their StableID as their name, and there is no Find.
type alarms struct {
	there map[string]alarmProps
	waits time.Duration // before an alarm is made
	fails error         // of Create
	reads error         // of Read
	calls []string
}

func (s *alarms) Create(ctx context.Context, req *cfnresource.CreateRequest[alarmProps]) (none struct{}, err error) {
	s.calls = append(s.calls, "Create")
	id := req.StableID()
	if s.fails != nil {
		return none, s.fails
	}
	begun := time.Now()
	if err := cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		return len(s.calls) > 1 || time.Since(begun) >= s.waits, nil
	}); err != nil {
		return none, err
	}
	if _, taken := s.there[id]; taken {
		return none, cfnresource.AlreadyExists(id)
	}
	s.there[id] = req.Properties
	return none, nil
}

func (s *alarms) Update(_ context.Context, req *cfnresource.UpdateRequest[alarmProps]) (none struct{}, err error) {
	s.calls = append(s.calls, "Update "+req.PhysicalID)
	s.there[req.PhysicalID] = req.Properties
	return none, nil
}

func (s *alarms) Delete(_ context.Context, req *cfnresource.DeleteRequest[alarmProps]) error {
	delete(s.there, req.PhysicalID)
	return nil
}

func (s *alarms) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[alarmProps, struct{}], err error) {
	p, ok := s.there[req.PhysicalID]
	if !ok && s.reads == nil {
		return m, cfnresource.Errorf(cfnresource.CodeNotFound, "there is no alarm %s", req.PhysicalID)
	}
	m.Properties = p
	return m, s.reads
}

func (s *alarms) List(context.Context, *registry.ListRequest) ([]string, string, error) {
	return slices.Sorted(maps.Keys(s.there)), "", nil
}

// 60m and 1h are another text to CloudFormation, which replaces the resource, and the
// same StableID. The replacement adopts nothing, even if its Create waits beyond a
// call: the cleanup would delete the only alarm. And it names nothing, however its
// Create fails: the rollback would delete it.
func TestAReplacementWithTheSameStableID(t *testing.T) {
	for name, second := range map[string]alarms{
		"waits":           {waits: time.Hour},
		"loses its reply": {fails: cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the connection broke")},
		"is refused":      {fails: cfnresource.Errorf(cfnresource.CodeAccessDenied, "no")},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &alarms{there: map[string]alarmProps{}}
			first, _ := play(t, always(registry.New(typeName, s)), event{action: "CREATE", stack: stackARN, properties: `{"Every":"60m"}`})
			second.there = s.there
			a, _ := play(t, always(registry.New(typeName, &second)), event{action: "CREATE", token: "2", stack: stackARN, properties: `{"Every":"1h"}`})
			if first.Status != "SUCCESS" || a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil || len(second.calls) > 0 {
				t.Errorf("the second CREATE, which %s, is answered %s %s %s; its calls are %q", name, a.Status, a.ErrorCode, a.ResourceModel, second.calls)
			}
		})
	}
}

// A Read of a name that a service does not take says that it is free. One that
// says nothing of it leaves that open: nothing is made, and nothing is named.
func TestWhetherANameIsTaken(t *testing.T) {
	for code, want := range map[cfnresource.Code]int{
		cfnresource.CodeInvalidRequest: 1, cfnresource.CodeGeneralServiceException: 0,
		cfnresource.CodeAccessDenied: 0, cfnresource.CodeServiceInternalError: 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &alarms{there: map[string]alarmProps{}, reads: cfnresource.Errorf(code, "no")}
			a := invoke(t, registry.New(typeName, s), event{action: "CREATE", stack: stackARN, properties: `{"Every":"1h"}`}.json())
			if len(s.calls) != want || want == 0 && (a.ErrorCode != string(code) || a.ResourceModel != nil) {
				t.Errorf("where Read fails with %s the answer is %s %s %s, and the calls are %q", code, a.Status, a.ErrorCode, a.ResourceModel, s.calls)
			}
		})
	}
}

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
