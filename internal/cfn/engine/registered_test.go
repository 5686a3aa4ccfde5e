package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

const crateType = "Example::Depot::Crate"

func testTypes() map[string]*engine.ResourceType {
	return map[string]*engine.ResourceType{crateType: {Name: crateType, PrimaryIdentifier: []string{"Id"}, CreateOnly: []string{"Name"}, ReadOnly: []string{"Id", "Address"}}}
}

// A fakeProvider answers as the handlers of a registered type do. rest is how many
// calls each request takes; fail are error codes, by action.
type fakeProvider struct {
	made   int
	there  map[string]bool
	rest   int
	fail   map[string]string
	calls  []string
	silent bool
}

func (f *fakeProvider) answer(q *engine.Request) []byte {
	var r struct {
		Action          string
		BearerToken     string
		CallbackContext struct{ Calls int }
		RequestData     struct{ ResourceProperties map[string]any }
	}
	if err := json.Unmarshal(q.Event(""), &r); err != nil {
		panic(err)
	}
	model := r.RequestData.ResourceProperties
	id, _ := model["Id"].(string)
	f.calls = append(f.calls, strings.TrimSpace(r.Action+" "+id))
	if f.silent {
		return nil
	}
	answer := map[string]any{"status": "SUCCESS"}
	if r.Action == "CREATE" && id == "" {
		f.made++
		id = fmt.Sprintf("c-%d", f.made)
		f.there[id] = true
	}
	model["Id"], model["Address"] = id, "at "+id
	answer["resourceModel"] = model
	switch code := f.fail[r.Action]; {
	case r.CallbackContext.Calls < f.rest:
		answer["status"], answer["callbackDelaySeconds"] = "IN_PROGRESS", 60
		answer["callbackContext"] = map[string]any{"Calls": r.CallbackContext.Calls + 1}
	case code != "":
		answer["status"], answer["errorCode"], answer["message"] = "FAILED", code, "no luck"
	case r.Action == "DELETE":
		delete(answer, "resourceModel")
		delete(f.there, id)
	}
	out, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return out
}

// testDeployment deploys one resource of the registered type, and a stand-in that reads its
// attribute.
func testDeployment(name string, size int) engine.Deployment {
	return engine.Deployment{Template: &engine.Template{Resources: []engine.Resource{
		{LogicalID: "Crate", Type: crateType, Properties: func(engine.Refs) (map[string]any, error) {
			return map[string]any{"Name": name, "Size": size}, nil
		}},
		{LogicalID: "Label", Type: "AWS::SSM::Parameter", DependsOn: []string{"Crate"}, Properties: func(f engine.Refs) (map[string]any, error) {
			v, err := f.GetAtt("Crate", "Address")
			return map[string]any{"Value": v}, err
		}},
	}}}
}

// A registeredTest is a stack of a registered type with its fakeProvider, in virtual time.
type registeredTest struct {
	*fakeProvider
	t *testing.T
	p *enginetest.Player
}

func newRegisteredTest(t *testing.T) *registeredTest {
	m := engine.New("yard", engine.Options{Seed: 1})
	m.Types = testTypes()
	y := &registeredTest{fakeProvider: &fakeProvider{there: map[string]bool{}, fail: map[string]string{}}, t: t}
	y.p = &enginetest.Player{Machine: m, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Handler: func(q *engine.Request) []byte { return y.answer(q) }}
	y.p.AfterStep = func() { // whoever plays it dies after each step
		m, err := y.p.Machine.Resumed(nil)
		if err != nil {
			t.Fatal(err)
		}
		m.TakeFrom(y.p.Machine)
		y.p.Machine = m
	}
	return y
}

func (r *registeredTest) do(err error, want string) {
	r.t.Helper()
	if err = errors.Join(err, r.p.Run()); err != nil {
		r.t.Fatal(err)
	}
	if s := r.p.Machine.Stack(); s.Status != want {
		r.t.Fatalf("the stack is in %s, want %s: %s", s.Status, want, reasons(s))
	}
}

func (r *registeredTest) create(d engine.Deployment, want string) {
	r.t.Helper()
	r.do(r.p.Machine.Create(r.p.Now, d), want)
}

func (r *registeredTest) update(d engine.Deployment, want string) {
	r.t.Helper()
	r.do(r.p.Machine.Update(r.p.Now, d), want)
}

func (r *registeredTest) expect(what string, got, want any) {
	r.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func reasons(s *engine.Stack) (text string) {
	for _, e := range s.Events {
		if e.ResourceStatusReason != "" {
			text += "\n" + e.LogicalResourceId + " " + e.ResourceStatus + ": " + e.ResourceStatusReason
		}
	}
	return text
}

// TestRegisteredCreateUpdateDelete: created, updated in place, replaced by a Create and a
// Delete, deleted; each call is the next of its request, and Fn::GetAtt reads the
// model. The machine dies after each step.
func TestRegisteredCreateUpdateDelete(t *testing.T) {
	y := newRegisteredTest(t)
	y.rest = 1
	y.create(testDeployment("a", 1), "CREATE_COMPLETE")
	y.expect("calls of the creation", y.calls, []string{"CREATE", "CREATE c-1"})
	y.expect("the attribute", y.p.Machine.ByID("Label").Properties, engine.Properties(`{"Value":"at c-1"}`))
	y.expect("the properties keep their types", y.p.Machine.ByID("Crate").Properties, engine.Properties(`{"Name":"a","Size":1}`))
	y.calls = nil
	y.update(testDeployment("a", 2), "UPDATE_COMPLETE")
	y.expect("calls of the update", y.calls, []string{"UPDATE c-1", "UPDATE c-1"})
	y.calls = nil
	y.update(testDeployment("b", 2), "UPDATE_COMPLETE")
	y.expect("calls of the replacement", y.calls, []string{"CREATE", "CREATE c-2", "DELETE c-1", "DELETE c-1"})
	y.expect("what there is", y.there, map[string]bool{"c-2": true})
	y.calls = nil
	y.do(y.p.Machine.Delete(y.p.Now, nil, false), "DELETE_COMPLETE")
	y.expect("calls of the deletion", y.calls, []string{"DELETE c-2", "DELETE c-2"})
}

// TestRegisteredFailures: what a failed handler leads to, and that nothing is
// left that no stack has.
func TestRegisteredFailures(t *testing.T) {
	for _, test := range []struct {
		name   string
		play   func(y *registeredTest)
		there  map[string]bool
		reason string
	}{
		{"a Create that fails and names what it made is deleted", func(y *registeredTest) {
			y.fail["CREATE"] = "NotStabilized"
			y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string{"CREATE", "DELETE c-1"})
		}, map[string]bool{}, `Crate CREATE_FAILED: Resource handler returned message: "no luck" \(RequestToken: .*, HandlerErrorCode: NotStabilized\)`},
		{"one that exists is another's", func(y *registeredTest) {
			y.fail["CREATE"] = "AlreadyExists"
			y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string{"CREATE"})
		}, map[string]bool{"c-1": true}, "AlreadyExists"},
		{"a replacement that fails is deleted, and the former stays", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			y.fail["CREATE"] = "GeneralServiceException"
			y.calls = nil
			y.update(testDeployment("b", 1), "UPDATE_ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string{"CREATE", "DELETE c-2"})
			y.expect("the ID", y.p.Machine.ByID("Crate").PhysicalID, "c-1")
			y.expect("the properties", y.p.Machine.ByID("Crate").Properties, engine.Properties(`{"Name":"a","Size":1}`))
		}, map[string]bool{"c-1": true}, "GeneralServiceException"},
		{"a replacement that fails and names nothing leaves the former alone", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			y.fail["CREATE"] = "AlreadyExists"
			y.calls = nil
			y.update(testDeployment("b", 1), "UPDATE_ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string{"CREATE"})
			y.expect("the properties", y.p.Machine.ByID("Crate").Properties, engine.Properties(`{"Name":"a","Size":1}`))
		}, map[string]bool{"c-1": true, "c-2": true}, "AlreadyExists"},
		{"a replacement is taken back where another resource fails", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			y.p.Machine.StandIn = func(operation string, _ *engine.StackResource) engine.Fate {
				if operation == "Update" && y.p.Machine.Stack().Status == "UPDATE_IN_PROGRESS" {
					return engine.Fate{Failure: "the label is wrong"}
				}
				return engine.Fate{}
			}
			y.p.AfterStep = nil
			y.calls = nil
			y.update(testDeployment("b", 1), "UPDATE_ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string{"CREATE", "DELETE c-2"})
		}, map[string]bool{"c-1": true}, "the label is wrong"},
		{"what a cancelled replacement has named is deleted", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			y.rest = 2
			y.p.AfterStep = nil
			y.p.At(y.p.Now.Add(90*time.Second), func() {
				if err := y.p.Machine.Cancel(y.p.Now); err != nil {
					y.t.Error(err)
				}
			})
			y.calls = nil
			y.update(testDeployment("b", 1), "UPDATE_ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string{"CREATE", "CREATE c-2", "DELETE c-2", "DELETE c-2", "DELETE c-2"})
			y.expect("the properties", y.p.Machine.ByID("Crate").Properties, engine.Properties(`{"Name":"a","Size":1}`))
		}, map[string]bool{"c-1": true}, "Resource update cancelled"},
		{"an Update that fails is led back", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			y.fail["UPDATE"] = "InvalidRequest"
			y.calls = nil
			y.p.AfterStep = func() {
				if len(y.calls) == 1 {
					y.fail = map[string]string{}
				}
			}
			y.update(testDeployment("a", 2), "UPDATE_ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string{"UPDATE c-1", "UPDATE c-1"})
		}, map[string]bool{"c-1": true}, "InvalidRequest"},
		{"without a rollback nothing is replaced", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			d := testDeployment("b", 1)
			d.DisableRollback = true
			y.update(d, "UPDATE_FAILED")
			y.calls = nil
			y.do(y.p.Machine.Rollback(y.p.Now, false), "UPDATE_ROLLBACK_COMPLETE")
			y.expect("calls", y.calls, []string(nil))
		}, map[string]bool{"c-1": true}, engine.ReplacementRefused},
		{"what is gone is deleted", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			y.fail["DELETE"] = "NotFound"
			y.do(y.p.Machine.Delete(y.p.Now, nil, false), "DELETE_COMPLETE")
		}, map[string]bool{"c-1": true}, ""},
		{"what passes is tried again, and not for ever", func(y *registeredTest) {
			y.create(testDeployment("a", 1), "CREATE_COMPLETE")
			y.fail["UPDATE"] = "Throttling"
			y.calls = nil
			y.p.AfterStep = func() {
				if len(y.calls) == 1+engine.MaxRetries {
					y.fail = map[string]string{}
				}
			}
			y.update(testDeployment("a", 2), "UPDATE_ROLLBACK_COMPLETE")
			y.expect("calls", len(y.calls), 1+engine.MaxRetries+1)
		}, map[string]bool{"c-1": true}, "HandlerErrorCode: Throttling"},
		{"no answer is waited for longer than the handler's timeout", func(y *registeredTest) {
			y.p.Machine.Types[crateType].Timeouts = map[string]time.Duration{"Create": 10 * time.Minute}
			y.rest = 1000
			y.create(testDeployment("a", 1), "ROLLBACK_FAILED")
			y.expect("calls of the creation", strings.Count(strings.Join(y.calls, "\n"), "CREATE"), 10)
		}, map[string]bool{"c-1": true}, "Resource timed out waiting for completion"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := newRegisteredTest(t)
			test.play(y)
			y.expect("what there is", y.there, test.there)
			if text := reasons(y.p.Machine.Stack()); !match(test.reason, text) {
				t.Errorf("no reason is like %s:%s", test.reason, text)
			}
		})
	}
}

func match(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// TestFixedType: a type without an update handler is replaced.
func TestFixedType(t *testing.T) {
	y := newRegisteredTest(t)
	y.p.Machine.Types[crateType].Fixed = true
	y.create(testDeployment("a", 2), "CREATE_COMPLETE")
	y.calls = nil
	y.update(testDeployment("a", 3), "UPDATE_COMPLETE")
	y.expect("calls of the update", y.calls, []string{"CREATE", "DELETE c-1"})
}

// TestRegisteredAnswersAreBounded: an answer is kept in the stack's state, which has
// to be read again: one that is nested too deep is refused, and a message is cut. A
// delay beyond all time is no delay that is over.
func TestRegisteredAnswersAreBounded(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 9997) + "1" + strings.Repeat("}", 9997)
	for name, answer := range map[string]string{
		"a model":   `{"status":"SUCCESS","resourceModel":{"Id":"c-1","Address":` + deep + `}}`,
		"a context": `{"status":"IN_PROGRESS","resourceModel":{"Id":"c-1"},"callbackContext":` + deep + `}`,
		"a message": `{"status":"FAILED","errorCode":"` + strings.Repeat("E", 1<<20) + `","message":"` + strings.Repeat("x", 1<<20) + `"}`,
		"a delay":   `{"status":"IN_PROGRESS","resourceModel":{"Id":"c-1"},"callbackDelaySeconds":9223372036854775807}`,
	} {
		t.Run(name, func(t *testing.T) {
			y := newRegisteredTest(t)
			y.p.Handler = func(q *engine.Request) []byte {
				y.calls = append(y.calls, q.RequestType)
				return []byte(answer)
			}
			if err := y.p.Machine.Create(y.p.Now, testDeployment("a", 1)); err != nil {
				t.Fatal(err)
			}
			if err := y.p.Run(); err != nil {
				t.Fatal(err)
			}
			if s := y.p.Machine.Stack(); len(y.calls) > 3 || len(reasons(s)) > 20000 {
				t.Errorf("the stack is in %s after %d calls, and its reasons are %d bytes", s.Status, len(y.calls), len(reasons(s)))
			}
		})
	}
}

// TestRegisteredUpdateKeepsTheIdentifier: one that is answered with another has
// failed, and the resource keeps the ID that it has.
func TestRegisteredUpdateKeepsTheIdentifier(t *testing.T) {
	y := newRegisteredTest(t)
	y.create(testDeployment("a", 1), "CREATE_COMPLETE")
	y.p.Handler = func(q *engine.Request) []byte {
		if q.OldProperties != "" && strings.Contains(string(q.Properties), `"Size":2`) {
			return []byte(`{"status":"SUCCESS","resourceModel":{"Id":"c-9","Address":"at c-9"}}`)
		}
		return y.answer(q)
	}
	y.update(testDeployment("a", 2), "UPDATE_ROLLBACK_COMPLETE")
	y.expect("the ID", y.p.Machine.ByID("Crate").PhysicalID, "c-1")
}

// TestStrayIdentifiers: a Create that is tried again, and then names another resource
// than the first time, has made both: one is deleted, and the others are told of.
func TestStrayIdentifiers(t *testing.T) {
	for tries, want := range map[int][]string{1: {"c-2"}, 2: {"c-2", "c-3"}, 1 + engine.MaxRetries: {"c-2", "c-3", "c-4", "c-5"}} {
		y := newRegisteredTest(t)
		y.fail["CREATE"] = "Throttling"
		step := y.p.AfterStep
		y.p.AfterStep = func() {
			step()
			if len(y.calls) == tries {
				y.fail = map[string]string{}
			}
		}
		y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
		var left []string
		for _, l := range y.p.Machine.Stack().Left {
			left = append(left, l.PhysicalID)
		}
		y.expect("what is left behind", left, want)
		y.expect("what there is", len(y.there), len(want))
	}
}

// TestLateIdentifier: what a Create names when nobody waits for it any more is told of.
func TestLateIdentifier(t *testing.T) {
	y := newRegisteredTest(t)
	y.silent = true
	y.create(testDeployment("a", 1), "ROLLBACK_COMPLETE")
	m := y.p.Machine
	m.Answer(y.p.Now, m.Stack().Requests[0].RequestID, []byte(`{"status":"SUCCESS","resourceModel":{"Id":"c-1"}}`))
	if left := m.Stack().Left; len(left) != 1 || left[0].PhysicalID != "c-1" {
		t.Errorf("left behind is %+v", left)
	}
}
