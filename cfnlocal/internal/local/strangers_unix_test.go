//go:build unix

package local

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A state that names another stack, or none that there can be, leads to no file that is
// not its own.
func TestStateOfAnotherName(t *testing.T) {
	h := home(t)
	for _, other := range []string{"other", "..", "../../build/other"} {
		keep(t, h, record.New(other, engine.Options{}, nil))
		if _, err := h.Stack("shop"); err == nil || !strings.Contains(err.Error(), "holds no stack of that name") {
			t.Errorf("the state of %q: %v", other, err)
		}
	}
}

// A state in which a name would forge a line, wherever the name is told, is refused.
func TestStateThatForgesLines(t *testing.T) {
	const forged = "A\nNext: sh evil"
	h := home(t)
	for name, damage := range map[string]func(*engine.Stack){
		"status":             func(s *engine.Stack) { s.Status = forged },
		"resource":           func(s *engine.Stack) { s.Resources = []*engine.StackResource{{LogicalID: forged}} },
		"type":               func(s *engine.Stack) { s.Resources = []*engine.StackResource{{Type: forged}} },
		"status of one":      func(s *engine.Stack) { s.Resources = []*engine.StackResource{{Status: forged}} },
		"what leaves":        func(s *engine.Stack) { s.Leaving = []*engine.StackResource{{LogicalID: forged}} },
		"output":             func(s *engine.Stack) { s.Outputs = []engine.StackOutput{{Name: forged}} },
		"what is left":       func(s *engine.Stack) { s.Left = []engine.Left{{LogicalID: forged}} },
		"type of it":         func(s *engine.Stack) { s.Left = []engine.Left{{Type: forged}} },
		"request":            func(s *engine.Stack) { s.Requests = []*engine.Request{{StackID: s.ID, LogicalID: forged}} },
		"request's type":     func(s *engine.Stack) { s.Requests = []*engine.Request{{StackID: s.ID, RequestType: forged}} },
		"request's resource": func(s *engine.Stack) { s.Requests = []*engine.Request{{StackID: s.ID, Type: forged}} },
		"row":                func(s *engine.Stack) { s.Events = []engine.Event{{LogicalResourceId: forged}} },
		"row's status":       func(s *engine.Stack) { s.Events = []engine.Event{{ResourceStatus: forged}} },
		"row's type":         func(s *engine.Stack) { s.Events = []engine.Event{{ResourceType: "A\u202Egnp"}} },
		"what is skipped":    func(s *engine.Stack) { s.Operation = &engine.Operation{Skip: []string{forged}} },
		"what is retained":   func(s *engine.Stack) { s.Operation = &engine.Operation{Retain: []string{forged}} },
		"what failed": func(s *engine.Stack) {
			s.Operation = &engine.Operation{Failures: []engine.Failure{{LogicalID: forged}}}
		},
		"nested stack":        func(s *engine.Stack) { s.Nested = []*engine.Stack{{Name: forged}} },
		"nested stack's path": func(s *engine.Stack) { s.Nested = []*engine.Stack{{Path: forged}} },
	} {
		r := record.New("shop", engine.Options{}, nil)
		r.Revisions[0] = new(record.Revision)
		damage(r.Stack)
		keep(t, h, r)
		if _, err := h.Stack("shop"); err == nil || !strings.Contains(err.Error(), "which no stack has") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A state of which a part is missing is refused, not relied upon.
func TestStateOfWhichPartsAreMissing(t *testing.T) {
	h := home(t)
	for _, damage := range []func(*record.Record){
		func(r *record.Record) { r.Stack.Resources = []*engine.StackResource{nil} },
		func(r *record.Record) { r.Stack.Leaving = []*engine.StackResource{nil} },
		func(r *record.Record) { r.Stack.Requests = []*engine.Request{nil} },
		func(r *record.Record) { r.Stack.Requests = []*engine.Request{{StackID: "another"}} },
		func(r *record.Record) {
			r.Stack.Operation = &engine.Operation{Walk: &engine.Walk{Tasks: []*engine.Task{nil}}}
		},
		func(r *record.Record) { r.Stack.Nested = []*engine.Stack{nil} },
		func(r *record.Record) { r.Stack.Nested = []*engine.Stack{{Nested: []*engine.Stack{nil}}} },
		func(r *record.Record) { r.Revisions[1] = nil },
		func(r *record.Record) { r.Revisions = nil },
		func(r *record.Record) { r.Stack.Status, r.Stack.Target = "CREATE_COMPLETE", 1 },
	} {
		damaged := record.New("shop", engine.Options{}, nil)
		damage(damaged)
		keep(t, h, damaged)
		if _, err := h.Stack("shop"); err == nil || !strings.Contains(err.Error(), "incomplete stack") {
			t.Errorf("%+v: %v", damaged.Stack, err)
		}
	}
}

// A state can say which file has the schema of a type: a pipe or a device would never end.
func TestSchemaThatNeverEnds(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pipe, "/dev/zero"} {
		rev := &record.Revision{Substitutes: record.Substitutes{Types: map[string]record.Type{"Acme::A::B": {Command: "true", File: file}}}}
		if err := describeTypes(t.Context(), rev, nil, func(string) {}); err == nil || !strings.Contains(err.Error(), "is no regular file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
