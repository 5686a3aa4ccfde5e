package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// TestRefused: what is refused starts nothing and changes nothing.
func TestRefused(t *testing.T) {
	thing := mustTemplate(t, `R Custom::Thing {"Size": 1}`)
	fresh := func() *engine.Machine { return engine.New("shop", engine.Options{}) }
	created := func() *engine.Machine {
		p := &enginetest.Player{Machine: fresh(), Now: enginetest.Start, Handler: succeed}
		if err := errors.Join(p.Machine.Create(enginetest.Start, engine.Deployment{Template: thing}), p.Run()); err != nil {
			t.Fatal(err)
		}
		return p.Machine
	}
	many := &engine.Template{Resources: make([]engine.Resource, engine.MaxResources+1)}
	deploy := func(template *engine.Template) func(*engine.Machine) error {
		return func(m *engine.Machine) error {
			return m.Create(enginetest.Start, engine.Deployment{Template: template})
		}
	}
	for _, test := range []struct {
		name    string
		machine func() *engine.Machine
		ask     func(*engine.Machine) error
		want    string
		kind    error // which callers tell from others without reading the text
	}{
		{"no resources", fresh, deploy(&engine.Template{}), "At least one Resources member must be defined.", nil},
		{"too many resources", fresh, deploy(many), "501, is greater than maximum allowed, 500", nil},
		{"an unknown dependency", fresh, deploy(mustTemplate(t, "R Custom::Thing {} DependsOn=S")), "Unresolved resource dependencies [S]", nil},
		{"a ring", fresh, deploy(mustTemplate(t, "A Custom::Thing {} DependsOn=B\nB Custom::Thing {} DependsOn=A\nC Custom::Thing")), "Circular dependency between resources: [A, B]", nil},
		{"create twice", created, deploy(thing), "Stack [shop] already exists", engine.ErrAlreadyExists},
		{"update of nothing", fresh, func(m *engine.Machine) error { return m.Update(enginetest.Start, engine.Deployment{Template: thing}) }, "Stack [shop] does not exist", nil},
		{"update of nothing new", created, func(m *engine.Machine) error { return m.Update(enginetest.Start, engine.Deployment{Template: thing}) }, "No updates are to be performed.", engine.ErrNoUpdate},
		{"cancel at rest", created, func(m *engine.Machine) error { return m.Cancel(enginetest.Start) }, "CancelUpdateStack cannot be called from current stack status", nil},
		{"continue at rest", created, func(m *engine.Machine) error { return m.Continue(enginetest.Start, nil) }, "is in CREATE_COMPLETE state and can not continue rollback.", nil},
		{"roll back at rest", created, func(m *engine.Machine) error { return m.Rollback(enginetest.Start, false) }, "is in CREATE_COMPLETE state and can not be rolled back", nil},
		{"express without rollback", fresh, func(m *engine.Machine) error {
			return m.Create(enginetest.Start, engine.Deployment{Template: thing, Express: true, DisableRollback: true})
		}, "cannot be specified with the deployment mode EXPRESS", nil},
		{"roll back in express", func() *engine.Machine {
			m := engine.New("shop", engine.Options{})
			p := &enginetest.Player{Machine: m, Now: enginetest.Start, Handler: succeed}
			if err := errors.Join(m.Create(enginetest.Start, engine.Deployment{Template: mustTemplate(t, `R Custom::Thing {"ServiceToken": ""}`), Express: true}), p.Run()); err != nil {
				t.Fatal(err)
			}
			return m
		}, func(m *engine.Machine) error { return m.Rollback(enginetest.Start, false) }, "RollbackStack is not supported", nil},
		{"force at rest", created, func(m *engine.Machine) error { return m.Delete(enginetest.Start, nil, true) }, "stacks in the DELETE_FAILED state", engine.ErrNotDeleteFailed},
		{"update in motion", func() *engine.Machine {
			m := fresh()
			_ = m.Create(enginetest.Start, engine.Deployment{Template: thing})
			return m
		}, func(m *engine.Machine) error { return m.Update(enginetest.Start, engine.Deployment{Template: thing}) }, "is in CREATE_IN_PROGRESS state and can not be updated.", nil},
		{"delete during an update", func() *engine.Machine {
			m := created()
			_ = m.Update(enginetest.Start, engine.Deployment{Template: mustTemplate(t, `R Custom::Thing {"Size": 2}`)})
			return m
		}, func(m *engine.Machine) error { return m.Delete(enginetest.Start, nil, false) }, "cannot be deleted while in status UPDATE_IN_PROGRESS", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			// It is refused, in these words, and the stack is what it was.
			m := test.machine()
			before := encode(t, m.Stack())
			err := test.ask(m)
			var refusal *engine.ValidationError
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), test.want) || refusal.Kind != test.kind {
				t.Errorf("%v, want a ValidationError with %q of the kind %v", err, test.want, test.kind)
			}
			if after := encode(t, m.Stack()); after != before {
				t.Error("the stack has changed")
			}
		})
	}
}

// TestDeletionOfWhatIsInUse: a deletion is accepted, and ends at once where another stack imports an export. The stack is
// what it was, and the events say why.
func TestDeletionOfWhatIsInUse(t *testing.T) {
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start, Handler: succeed}
	m := p.Machine
	if err := errors.Join(m.Create(p.Now, engine.Deployment{Template: mustTemplate(t, `R Custom::Thing {"Size": 1}`)}), p.Run()); err != nil {
		t.Fatal(err)
	}
	m.KeepExports = func(*engine.Stack, []engine.StackOutput) error {
		return errors.New("Cannot delete export e as it is in use by user.")
	}
	if err := errors.Join(m.Delete(p.Now, nil, false), p.Run()); err != nil {
		t.Fatal(err)
	}
	var last []string
	for _, e := range m.Stack().Events[len(m.Stack().Events)-2:] {
		last = append(last, e.ResourceStatus+" "+e.ResourceStatusReason)
	}
	want := []string{"DELETE_IN_PROGRESS User Initiated", "CREATE_COMPLETE Delete canceled. Cannot delete export e as it is in use by user."}
	if diff := cmp.Diff(want, last); diff != "" || m.Stack().Status != "CREATE_COMPLETE" || len(m.Stack().Requests) != 1 {
		t.Errorf("%s after %d requests: %s", m.Stack().Status, len(m.Stack().Requests), diff)
	}
	m.KeepExports = nil
	if err := errors.Join(m.Delete(p.Now, nil, false), p.Run()); err != nil || m.Stack().Status != "DELETE_COMPLETE" {
		t.Errorf("once it is in use no more: %s, %v", m.Stack().Status, err)
	}
}

// TestWhatTheUserBegan: where the latest operation began that is no rollback, and whether
// it was cancelled, also after that rollback had to be continued.
func TestWhatTheUserBegan(t *testing.T) {
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start}
	m, failing := p.Machine, false
	p.Handler = func(q *engine.Request) []byte {
		if failing {
			return []byte(`{"Status": "none"}`)
		}
		return succeed(q)
	}
	size := func(n string) engine.Deployment {
		return engine.Deployment{Template: mustTemplate(t, `R Custom::Thing {"Size": `+n+`}`)}
	}
	for _, step := range []struct {
		ask       func() error
		failing   bool
		began     string // the status of the first row
		status    string
		cancelled bool
	}{
		{func() error { return m.Create(p.Now, size("1")) }, false, "CREATE_IN_PROGRESS", "CREATE_COMPLETE", false},
		{func() error { return m.Update(p.Now, size("2")) }, true, "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED", false},
		{func() error { return m.Continue(p.Now, nil) }, false, "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE", false},
		{func() error { return errors.Join(m.Update(p.Now, size("3")), m.Cancel(p.Now)) }, true, "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED", true},
		{func() error { return m.Continue(p.Now, nil) }, false, "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE", true},
		{func() error { return m.Delete(p.Now, nil, false) }, false, "DELETE_IN_PROGRESS", "DELETE_COMPLETE", false},
	} {
		// Each operation, to its end.
		failing = step.failing
		if err := errors.Join(step.ask(), p.Run()); err != nil {
			t.Fatal(err)
		}
		// Where it began, and by whom.
		s := m.Stack()
		first := s.Events[s.Began]
		if s.Status != step.status || first.ResourceStatus != step.began || !first.ByUser() || s.Operation.Cancelled != step.cancelled {
			t.Errorf("%s: began with %s, cancelled: %t; want %s, which began with %s, cancelled: %t",
				s.Status, first.ResourceStatus, s.Operation.Cancelled, step.status, step.began, step.cancelled)
		}
		for _, e := range s.Events[s.Began+1:] {
			if e.ByUser() && e.ResourceStatus != "UPDATE_ROLLBACK_IN_PROGRESS" {
				t.Errorf("%s: %s is by the user as well", s.Status, e.ResourceStatus)
			}
		}
	}
}

// TestContinuedRollbackDeletesWhatItsUpdateCreated: with RetainExceptOnCreate, also what its policy
// retains, and also if the rollback had to be continued.
func TestContinuedRollbackDeletesWhatItsUpdateCreated(t *testing.T) {
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start}
	m, failing := p.Machine, true
	p.Handler = func(q *engine.Request) []byte {
		if failing && (q.LogicalID == "Fails" || q.RequestType == "Update" && m.Stack().Status == "UPDATE_ROLLBACK_IN_PROGRESS") {
			return []byte(`{"Status": "none"}`)
		}
		return succeed(q)
	}
	old := engine.Deployment{Template: mustTemplate(t, `R Custom::Thing {"Size": 1}`)}
	next := engine.Deployment{RetainExceptOnCreate: true, Template: mustTemplate(t, `
		R Custom::Thing {"Size": 2}
		Added Custom::Thing {} DeletionPolicy=Retain
		Fails Custom::Thing {} DependsOn=Added,R`)}
	err := errors.Join(m.Create(p.Now, old), p.Run(), m.Update(p.Now, next), p.Run())
	failing = false
	if err = errors.Join(err, m.Continue(p.Now, nil), p.Run()); err != nil {
		t.Fatal(err)
	}
	last := m.Stack().Requests[len(m.Stack().Requests)-1]
	if s := m.Stack(); s.Status != "UPDATE_ROLLBACK_COMPLETE" || last.RequestType+last.LogicalID != "DeleteAdded" || len(s.Left) > 0 {
		t.Errorf("%s after the %s of %s, and %+v is left", s.Status, last.RequestType, last.LogicalID, s.Left)
	}
}

// TestInvalidTemplates: properties that only resolving shows to be wrong fail the
// resource without a request.
func TestInvalidTemplates(t *testing.T) {
	for name, template := range map[string]string{
		"ServiceToken is required":                                  `R Custom::Thing {"ServiceToken": ""}`,
		"ServiceTimeout must be a number of seconds from 1 to 3600": `R Custom::Thing {"ServiceTimeout": 3601}`,
		"'null' values are not allowed in templates":                `R Custom::Thing {"Size": null}`,
	} {
		p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start, Handler: succeed}
		if err := errors.Join(p.Machine.Create(enginetest.Start, engine.Deployment{Template: mustTemplate(t, template)}), p.Run()); err != nil {
			t.Fatal(err)
		}
		s := p.Machine.Stack()
		if got := s.Events[1]; s.Status != "ROLLBACK_COMPLETE" || len(s.Requests) > 0 || !strings.Contains(got.ResourceStatusReason, name) {
			t.Errorf("%s: %s with %d requests, %q", name, s.Status, len(s.Requests), got.ResourceStatusReason)
		}
	}
}

// TestCancelledBeforeItBegan: of two resources that fail at once, without a request, the second
// is told of before it is deleted, and is given no ID.
func TestCancelledBeforeItBegan(t *testing.T) {
	missing := `{"From": {"Fn::GetAtt": ["A", "Missing"]}}`
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start, Handler: succeed}
	template := mustTemplate(t, "A Custom::Thing\nB Custom::Thing "+missing+"\nC Custom::Thing "+missing)
	if err := errors.Join(p.Machine.Create(enginetest.Start, engine.Deployment{Template: template}), p.Run()); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, e := range p.Machine.Stack().Events {
		if e.LogicalResourceId == "C" {
			rows = append(rows, strings.TrimSpace(e.PhysicalResourceId+" "+e.ResourceStatus+" "+e.ResourceStatusReason))
		}
	}
	if want := []string{"CREATE_FAILED Resource creation cancelled", "DELETE_COMPLETE"}; !slices.Equal(rows, want) {
		t.Errorf("the rows of C are %q, want %q", rows, want)
	}
}

// TestAllOff: a template whose resources are all under conditions that do not
// hold makes a stack without resources.
func TestAllOff(t *testing.T) {
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start, Handler: succeed}
	if err := errors.Join(p.Machine.Create(enginetest.Start, engine.Deployment{Template: &engine.Template{AllOff: true}}), p.Run()); err != nil {
		t.Fatal(err)
	}
	if s := p.Machine.Stack(); s.Status != "CREATE_COMPLETE" || len(s.Resources) > 0 {
		t.Errorf("%s with %d resources, want CREATE_COMPLETE with none", s.Status, len(s.Resources))
	}
}
