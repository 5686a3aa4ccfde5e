package main

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Every unsuccessful status has a next step.
func TestEveryBadStatusHasANextStep(t *testing.T) {
	for _, status := range []string{
		"CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "UPDATE_FAILED", "UPDATE_ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_FAILED", "DELETE_FAILED",
	} {
		if succeeded(status) || next(&engine.Stack{Name: "shop", Status: status}) == "" {
			t.Errorf("%s: no next step", status)
		}
	}
	for _, status := range []string{"CREATE_COMPLETE", "UPDATE_COMPLETE", "DELETE_COMPLETE"} {
		if !succeeded(status) || next(&engine.Stack{Name: "shop", Status: status}) != "" {
			t.Errorf("%s is a success", status)
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
	if got := palette(false).status("CREATE_FAILED"); got != "CREATE_FAILED" {
		t.Errorf("without a terminal: %q", got)
	}
}
