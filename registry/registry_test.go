package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/registry"
)

const typeName = "Example::Shelf::Thing"

const stackARN = "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/8b1f4a50-0000-11f0-8000-0a1b2c3d4e5f"

// An event is a request of the registry's, as Lambda delivers it.
type event struct {
	action, token, stack string
	properties, previous string // JSON
	context              json.RawMessage
	more                 string // further members of requestData
}

func (e event) json() []byte {
	or := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	raw := `{"awsAccountId":"123456789012","region":"eu-west-1","bearerToken":"` + or(e.token, "token-1") + `","action":"` + e.action +
		`","resourceType":"` + typeName + `","callbackContext":` + or(string(e.context), "null") + `,"stackId":"` + e.stack +
		`","requestData":{"logicalResourceId":"Thing","resourceProperties":` + or(e.properties, "null") + `,"previousResourceProperties":` + or(e.previous, "null") + e.more + `}}`
	return []byte(raw)
}

type answer struct {
	Status               string
	ErrorCode            string
	Message              string
	CallbackContext      json.RawMessage
	CallbackDelaySeconds int
	ResourceModel        json.RawMessage
	ResourceModels       json.RawMessage
	NextToken            string
}

func invoke(t *testing.T, d *registry.Dispatcher, payload []byte) (a answer) {
	t.Helper()
	start := time.Now()
	raw, err := d.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatalf("Invoke fails: %v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("a call took %s: CloudFormation waits a minute", took)
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("the answer is no JSON: %v: %s", err, raw)
	}
	return a
}

// play sends an event and its callbacks until it is done, each to the process
// that next starts, and counts the calls.
func play(t *testing.T, next func() *registry.Dispatcher, e event) (a answer, calls int) {
	t.Helper()
	for calls = 1; ; calls++ {
		if a = invoke(t, next(), e.json()); a.Status != "IN_PROGRESS" {
			return a, calls
		}
		if calls > 1000 {
			t.Fatal("the chain does not end")
		}
		e.context, e.properties = a.CallbackContext, string(a.ResourceModel)
		guard.Sleep(t.Context(), time.Duration(a.CallbackDelaySeconds)*time.Second)
	}
}

func newType(t *testing.T, s *shelf) *registry.Dispatcher {
	t.Helper()
	d := registry.New(typeName, s)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	return d
}

func always(d *registry.Dispatcher) func() *registry.Dispatcher {
	return func() *registry.Dispatcher { return d }
}

const asked = `{"Name":"a","Size":"3","Rest":"60m","Password":"hush-hush"}`

// A resource goes through its life: the answers have the resource as Read shows
// it, texts as they came, and no secret; a DELETE's has none.
func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		d := newType(t, s)
		const model = `{"Name":"a","PhysicalResourceId":"t-1","Rest":"60m","Size":"3","Url":"https://things.example/t-1"}`
		const changed = `{"Name":"a","Size":4,"PhysicalResourceId":"t-1","Url":"https://things.example/t-1"}`
		for _, step := range []struct {
			event
			want answer
		}{
			{event{action: "CREATE", properties: asked}, answer{Status: "SUCCESS", ResourceModel: json.RawMessage(model)}},
			{event{action: "READ", properties: `{"PhysicalResourceId":"t-1"}`}, answer{Status: "SUCCESS", ResourceModel: json.RawMessage(
				`{"Name":"a","PhysicalResourceId":"t-1","Rest":"1h0m0s","Size":3,"Url":"https://things.example/t-1"}`)}},
			{event{action: "LIST"}, answer{Status: "SUCCESS", ResourceModels: json.RawMessage(`[{"PhysicalResourceId":"t-1"}]`)}},
			{event{action: "UPDATE", token: "2", properties: changed, previous: model}, answer{Status: "SUCCESS", ResourceModel: json.RawMessage(
				`{"Name":"a","PhysicalResourceId":"t-1","Rest":"0s","Size":4,"Url":"https://things.example/t-1"}`)}},
			{event{action: "DELETE", token: "3", properties: `{"PhysicalResourceId":"t-1"}`}, answer{Status: "SUCCESS"}},
			{event{action: "LIST"}, answer{Status: "SUCCESS", ResourceModels: json.RawMessage(`[]`)}},
		} {
			got := invoke(t, d, step.json())
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("%s is answered (-want +got):\n%s", step.action, diff)
			}
		}
	})
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
		{cfnresource.Errorf(registry.CodeInvalidTypeConfiguration, "no key"), "InvalidTypeConfiguration"},
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

// A chain of callbacks of an hour: every answer has the identifier, each call has
// a process of its own, and one resource is made.
func TestAnHourOfCallbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.takes = time.Hour
		fresh := func() *registry.Dispatcher { return newType(t, s) }
		start := time.Now()
		a, calls := play(t, fresh, event{action: "CREATE", stack: stackARN, properties: asked})
		if a.Status != "SUCCESS" || s.made != 1 || time.Since(start) < time.Hour || calls < 60 {
			t.Errorf("after %s and %d calls the answer is %+v, and %d things are made", time.Since(start), calls, a, s.made)
		}
		a, calls = play(t, fresh, event{action: "DELETE", token: "2", stack: stackARN, properties: string(a.ResourceModel)})
		if a.Status != "SUCCESS" || calls < 60 || len(s.things) != 0 {
			t.Errorf("after %d calls the DELETE is answered %+v, and %d things are there", calls, a, len(s.things))
		}
	})
}

// The answer of one call is lost, whichever: CloudFormation sends the same call
// again, to another process. One thing is made, and the request succeeds; only the
// first call of a stack's CREATE, which nothing tells from another CREATE, fails,
// and makes no second thing.
func TestADeathInEachStep(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		for lost := 1; lost <= 5; lost++ {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf()
				s.takes = 3 * time.Minute
				n := 0
				next := func() *registry.Dispatcher { n++; return newType(t, s) }
				e := event{action: "CREATE", stack: stack, properties: asked}
				var a answer
				for call := 1; ; call++ {
					a = invoke(t, next(), e.json())
					if call == lost {
						a = invoke(t, next(), e.json())
					}
					if a.Status != "IN_PROGRESS" {
						break
					}
					e.context, e.properties = a.CallbackContext, string(a.ResourceModel)
					guard.Sleep(t.Context(), time.Duration(a.CallbackDelaySeconds)*time.Second)
				}
				want := "SUCCESS"
				if lost == 1 && stack != "" {
					want = "FAILED"
				}
				if a.Status != want || s.made != 1 || want == "FAILED" && (a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil) {
					t.Errorf("call %d of a CREATE in stack %q is lost: the answer is %+v, and %d things are made", lost, stack, a, s.made)
				}
			})
		}
	}
}

// A second CREATE of the same logical resource adopts nothing, even if the
// properties, and so the StableID, are the same: it may be the replacement of the
// first, which CloudFormation then deletes.
func TestCreateAdoptsNothingInAStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		d := newType(t, s)
		invoke(t, d, event{action: "CREATE", stack: stackARN, properties: asked}.json())
		a := invoke(t, d, event{action: "CREATE", token: "2", stack: stackARN, properties: asked}.json())
		if a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil || s.made != 1 {
			t.Errorf("the answer is %+v, and %d things are made", a, s.made)
		}
	})
}

// What is made and cannot be read yet is in progress: a SUCCESS says that a READ
// succeeds. The handler is not called again for that.
func TestSuccessWaitsForRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.lag = 12 * time.Second
		a, calls := play(t, always(newType(t, s)), event{action: "CREATE", properties: asked})
		if a.Status != "SUCCESS" || calls < 3 || len(s.calls) != 1 {
			t.Errorf("after %d calls the answer is %+v; the handler's calls are %q", calls, a, s.calls)
		}
	})
}

// A Read for which no time is left says nothing about what was done: the next call
// reads again.
func TestReadWithoutTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{shelf: newShelf()}
		a, calls := play(t, always(registry.New(typeName, s)), event{action: "CREATE", properties: asked})
		if a.Status != "SUCCESS" || calls != 2 || s.made != 1 {
			t.Errorf("after %d calls the answer is %+v, and %d things are made", calls, a, s.made)
		}
	})
}

// stuck is a shelf whose first Read takes as long as it may.
type stuck struct {
	*shelf
	reads int
}

func (s *stuck) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	if s.reads++; s.reads == 1 {
		<-ctx.Done()
		return registry.Model[props, data]{}, ctx.Err()
	}
	return s.shelf.Read(ctx, req)
}

// What is never shown fails, after minutes and not after hours.
func TestWhatReadNeverShowsFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.lag = 1000 * time.Hour
		a, _ := play(t, always(newType(t, s)), event{action: "CREATE", properties: asked})
		if a.ErrorCode != "NotStabilized" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
			t.Errorf("the answer is %+v", a)
		}
	})
}

// A name that is taken, which the service says without an ID, is AlreadyExists,
// though Find is asked after that.
func TestTakenNames(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		s := newShelf()
		s.things["t-9"] = &thing{props: props{Name: "a"}, mark: "another's"}
		a := invoke(t, newType(t, s), event{action: "CREATE", stack: stack, properties: asked}.json())
		if a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil {
			t.Errorf("the answer is %+v", a)
		}
	}
}

// What a failed CREATE has made is named, so that CloudFormation deletes it.
func TestFailedCreateNamesWhatItMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := invoke(t, registry.New(typeName, &halfway{newShelf()}), event{action: "CREATE", stack: stackARN, properties: asked}.json())
		if a.Status != "FAILED" || a.ErrorCode != "NotStabilized" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
			t.Errorf("the answer is %+v", a)
		}
	})
}

type halfway struct{ *shelf }

func (h *halfway) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	_, _ = h.shelf.Create(ctx, req)
	return data{}, cfnresource.Errorf(cfnresource.CodeNotStabilized, "it broke")
}

// What is named stays so if a part of the resource is what exists already, in
// whichever call: an answer with AlreadyExists names nothing, since what exists then
// is another's.
func TestAPartThatExistsAlready(t *testing.T) {
	for _, takes := range []time.Duration{0, 3 * time.Minute} {
		for _, stack := range []string{"", stackARN} {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf()
				s.takes = takes
				a, _ := play(t, always(registry.New(typeName, &labelled{s})), event{action: "CREATE", stack: stack, properties: asked})
				if a.Status != "FAILED" || a.ErrorCode != "GeneralServiceException" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
					t.Errorf("the answer is %s %s %s, and there are %v", a.Status, a.ErrorCode, a.ResourceModel, s.things)
				}
			})
		}
	}
}

// labelled is a shelf whose things get a label, which is taken.
type labelled struct{ *shelf }

func (l *labelled) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	if d, err := l.shelf.Create(ctx, req); err != nil {
		return d, err
	}
	return data{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the label is taken")
}

func (l *labelled) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if d, err := l.shelf.Update(ctx, req); err != nil {
		return d, err
	}
	return data{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the label is taken")
}

// A CREATE whose reply is lost may have made the resource. It is named by what Find
// leads to, since no later request leads from the StableID to it.
func TestACreateWithoutAReplyNamesWhatItMade(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			a := invoke(t, registry.New(typeName, &unheard{s}), event{action: "CREATE", stack: stack, properties: asked}.json())
			if a.Status != "FAILED" || a.ErrorCode != "NetworkFailure" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
				t.Errorf("the answer is %+v, and there are %v", a, s.things)
			}
		})
	}
}

// A CREATE that failed before Create was called names nothing, and neither does one
// whose Create has made nothing that Find leads to: a DELETE of an ID that nothing has
// could fail, and the rollback with it.
func TestACreateThatMadeNothingNamesNothing(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		for name, r := range map[string]registry.Resource[props, data]{"Find": lost{newShelf()}, "Create": refusal{newShelf()}} {
			synctest.Test(t, func(t *testing.T) {
				a := invoke(t, registry.New(typeName, r), event{action: "CREATE", stack: stack, properties: asked}.json())
				if a.Status != "FAILED" || a.ErrorCode != "AccessDenied" || a.ResourceModel != nil {
					t.Errorf("after %s has failed the answer is %+v", name, a)
				}
			})
		}
	}
}

// lost is a shelf that may not be searched, and refusal one that takes nothing.
type (
	lost    struct{ *shelf }
	refusal struct{ *shelf }
)

var errDenied = cfnresource.Errorf(cfnresource.CodeAccessDenied, "no")

func (lost) Find(context.Context, *cfnresource.FindRequest[props]) (string, error) {
	return "", errDenied
}

func (refusal) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	_ = req.StableID()
	return data{}, errDenied
}

// unheard is a shelf whose replies to a Create are lost.
type unheard struct{ *shelf }

func (u *unheard) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	_, _ = u.make(req)
	return data{}, cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the connection broke")
}

// A DELETE is of the identifier that came, and of nothing else, whatever that looks
// like: an ID that CloudFormation would make up for a custom resource, or the
// StableID. What fails in it has failed.
func TestDeleteGoesByTheIdentifier(t *testing.T) {
	const made = "shop-Thing-1ABCDEFGHIJKL"
	stable := physicalid.Stable(stackARN, "Thing", `{"Name":"a"}`, 0)
	for _, id := range []string{made, stable} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			s.things[id] = &thing{props: props{Name: "a"}}
			s.things["t-1"] = &thing{props: props{Name: "a"}, mark: stable}
			start := time.Now()
			e := event{action: "DELETE", stack: stackARN, properties: `{"Name":"a","PhysicalResourceId":"` + id + `"}`}
			a := invoke(t, newType(t, s), e.json())
			if a.Status != "SUCCESS" || len(s.calls) != 1 || s.calls[0] != "Delete "+id || time.Since(start) > time.Second {
				t.Errorf("after %s the DELETE of %s is answered %+v; the calls are %q", time.Since(start), id, a, s.calls)
			}
			s.things[id] = &thing{props: props{Name: "a"}}
			e.token = "2"
			a = invoke(t, registry.New(typeName, refusing{s}), e.json())
			if a.Status != "FAILED" || a.ErrorCode != "GeneralServiceException" {
				t.Errorf("the DELETE of %s that fails is answered %+v", id, a)
			}
		})
	}
}

// refusing deletes nothing, and has no code for that.
type refusing struct{ *shelf }

func (refusing) Delete(context.Context, *cfnresource.DeleteRequest[props]) error {
	return errors.New("it does not come off")
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
	} {
		if d.Err() == nil {
			t.Error("there is no error")
		}
		if a := invoke(t, d, event{action: "LIST"}.json()); a.ErrorCode != "InternalFailure" {
			t.Errorf("the answer is %+v", a)
		}
	}
}
