package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// explained are errors of each explanation, in the order of the table, with the exit
// code and a part of the next step of a stack at rest, and of one in progress.
var explained = []struct {
	err     error
	code    int
	next    string
	resume  string
	resumed int
}{
	{&store.LockedError{}, exitRefused, "cfnlocal events shop, to see its operation", "cfnlocal cancel shop, to cancel", exitRefused},
	{record.ErrNoService, exitUsage, "with --run COMMAND, or without", "with --run COMMAND, or without", exitUsage},
	{&local.ServiceError{}, exitRefused, "repeat the command with a correct --run COMMAND; nothing", "cfnlocal resume shop --run COMMAND", exitInterrupted},
	{&store.UnsavedError{}, exitRefused, "free disk space, or correct the permissions", "free disk space, or correct the permissions of the directory, then cfnlocal resume shop", exitInterrupted},
	{&local.ListingError{Err: errors.New("x")}, exitRefused, "with a correct --list COMMAND; nothing", "cfnlocal resume shop", exitInterrupted},
	{&local.BuildError{Function: "Fn", Err: &host.BuildError{Full: true}}, exitRefused, "free disk space, then repeat", "free disk space, then repeat", exitInterrupted},
	{&local.BuildError{Function: "A::B::C", Err: &host.BuildError{Offline: true}}, exitRefused, "go mod download", "go mod download", exitInterrupted},
	{&local.BuildError{Function: "A::B::C", Err: errors.New("x")}, exitRefused, "--type A::B::C=COMMAND", "--type A::B::C=COMMAND", exitInterrupted},
	{&local.BuildError{Function: "Fn", Err: &host.BuildError{}}, exitRefused, "--function Fn=COMMAND", "--function Fn=COMMAND", exitInterrupted},
	{&local.BuildError{Function: "Fn", Err: &host.BuildError{}, Kept: true}, exitRefused, " shop Fn=COMMAND, then repeat the command", " shop Fn=COMMAND, then repeat the command", exitInterrupted},
	{&record.TypeError{Err: errors.New("x")}, exitRefused, "--type gives", "cfnlocal resume shop", exitInterrupted},
	{&local.ConfigurationError{}, exitRefused, "correct the program; nothing", "cfnlocal resume shop", exitInterrupted},
	{&local.CheckError{Errors: template.Errors{{}}}, exitRefused, "--no-check", "cfnlocal resume shop", exitInterrupted},
	{template.Errors{{}}, exitRefused, "correct it and deploy again; nothing was started", "cfnlocal resume shop", exitInterrupted},
	{template.Errors{{Give: []string{"--import A=VALUE"}}}, exitRefused, "started\n  --import A=VALUE", "cfnlocal resume shop", exitInterrupted},
	{&local.NoCodeError{Name: "F", Known: []string{"Fn"}}, exitRefused, "name a function", "name a function", exitRefused},
	{local.ErrNoStack, exitRefused, "cfnlocal list, to see", "cfnlocal resume shop", exitInterrupted},
	{local.ErrJustEnded, exitRefused, "cfnlocal describe shop, to see", "cfnlocal resume shop", exitInterrupted},
	{local.ErrMoving, exitRefused, "cfnlocal resume shop, then repeat the command", "cfnlocal resume shop", exitInterrupted},
	{&store.UnusableError{Next: "delete it"}, exitRefused, "delete it", "delete it", exitRefused},
	{&store.NameError{}, exitRefused, "another name", "cfnlocal resume shop", exitInterrupted},
	{&engine.ValidationError{Kind: engine.ErrNotDeleteFailed}, exitRefused, "cfnlocal delete shop, without --force and --retain", "cfnlocal resume shop", exitInterrupted},
	{&engine.ValidationError{Message: "no"}, exitRefused, "cfnlocal delete shop: nothing else", "cfnlocal resume shop", exitInterrupted},
}

// TestExplanations: each error has its next step and its exit code, as it is and where
// others wrap it, and after another one that has none.
func TestExplanations(t *testing.T) {
	rest := &engine.Stack{Name: "shop", Status: "ROLLBACK_COMPLETE"}
	moving := &engine.Stack{Name: "shop", Status: "UPDATE_IN_PROGRESS", Operation: &engine.Operation{Walk: &engine.Walk{}}}
	a := &app{}
	for _, e := range explained {
		for _, err := range []error{e.err, fmt.Errorf("x: %w", e.err), errors.Join(errors.New("x"), e.err)} {
			for _, test := range []struct {
				stack *engine.Stack
				next  string
				code  int
			}{{rest, e.next, e.code}, {moving, e.resume, e.resumed}} {
				f, ok := errors.AsType[*failure](a.explain("shop", test.stack, err))
				if !ok || f.code != test.code || !strings.Contains(f.next, test.next) {
					t.Errorf("%T, of a stack in %s: %+v, want code %d and %q", e.err, test.stack.Status, f, test.code, test.next)
				}
			}
		}
	}
}

// TestExplanationsDoNotOverlap: no error has two explanations, so that the order of the
// table says nothing, and each explanation is of an error here.
func TestExplanationsDoNotOverlap(t *testing.T) {
	explains := map[int]bool{}
	for i, e := range explained {
		var of []int
		for j, row := range explanations {
			if row.is(e.err) {
				of, explains[j] = append(of, j), true
			}
		}
		if len(of) != 1 {
			t.Errorf("error %d (%T) has the explanations %v, want one", i, e.err, of)
		}
	}
	if len(explains) != len(explanations) {
		t.Errorf("%d of %d explanations are of no error", len(explanations)-len(explains), len(explanations))
	}
}

// TestExplanationsOfInterruptions: who interrupts has interrupted whatever was being
// done, and what is not explained stays as it is.
func TestExplanationsOfInterruptions(t *testing.T) {
	a := &app{}
	for _, err := range []error{context.Canceled, &local.BuildError{Err: fmt.Errorf("x: %w", context.Canceled)}} {
		f, ok := errors.AsType[*failure](a.explain("shop", nil, err))
		if !ok || f.code != exitInterrupted || f.Error() != "interrupted before anything was started" {
			t.Errorf("%v: %+v", err, f)
		}
	}
	if err := errors.New("x"); a.explain("shop", nil, err) != err {
		t.Error("an error without an explanation is changed")
	}
}

// TestNothingToDoIsSaid: what is so already is no error.
func TestNothingToDoIsSaid(t *testing.T) {
	noUpdate := &engine.ValidationError{Kind: engine.ErrNoUpdate}
	for want, err := range map[string]error{
		"stack shop is already deleted":           fmt.Errorf("x: %w", local.ErrDeleted),
		"stack shop already matches the template": noUpdate,
		"run with the changes to the variable A":  &local.AdoptedError{ValidationError: noUpdate, Changed: []string{"the variable A"}},
	} {
		var out bytes.Buffer
		a := &app{streams: streams{out: &out}}
		if got := a.explain("shop", nil, err); got != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v, %q, want %q", got, out.String(), want)
		}
	}
}

func TestNameOfTheTemplatesDirectory(t *testing.T) {
	for file, want := range map[string]string{
		"/a/webhook/template.yaml": "webhook", "/a/my app_2/t.json": "my-app-2", "/a/2026/t.yaml": "stack-2026", "/t.yaml": "stack", "/a/-x-/t.yaml": "x",
	} {
		if got := stackNameOf(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// Statuses have the console's colours, and none without a terminal.
func TestColoursByStatus(t *testing.T) {
	for status, want := range map[string]string{
		"CREATE_COMPLETE": "32", "UPDATE_IN_PROGRESS": "34", "DELETE_FAILED": "31", "UPDATE_ROLLBACK_COMPLETE": "31",
	} {
		if got := palette(true).status(status); got != "\x1b["+want+"m"+status+"\x1b[0m" {
			t.Errorf("%s: %q", status, got)
		}
	}
	for _, status := range engine.StackStatuses {
		if palette(true).status(status) == "\x1b[m"+status+"\x1b[0m" {
			t.Errorf("%s has no colour", status)
		}
	}
	if got := palette(false).status("CREATE_FAILED"); got != "CREATE_FAILED" {
		t.Errorf("without a terminal: %q", got)
	}
}
