//go:build unix

package local

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
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

// A state of which a part is missing is refused, not relied upon.
func TestStateOfWhichPartsAreMissing(t *testing.T) {
	h, err := Open(filepath.Join(t.TempDir(), "stacks"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
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
		func(r *record.Record) { r.Deployments[1] = nil },
	} {
		lock, err := h.store.Lock("shop")
		if err != nil {
			t.Fatal(err)
		}
		damaged := record.New("shop", engine.Options{}, nil)
		damage(damaged)
		if err := errors.Join(lock.Save(damaged), lock.Unlock()); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Stack("shop"); err == nil || !strings.Contains(err.Error(), "parts are missing") {
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
		d := &record.Deployment{Types: map[string]record.Type{"Acme::A::B": {Command: "true", File: file}}}
		if err := readTypes(t.Context(), d, nil); err == nil || !strings.Contains(err.Error(), "is no regular file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
