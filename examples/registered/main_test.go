package main

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/registered/monitors"
)

// A function without its settings answers all the same.
func TestAFunctionWithoutSettingsAnswers(t *testing.T) {
	t.Setenv("API_URL", "")
	d := cfnresource.New(&monitors.Monitor{API: api})
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	got := cfntest.Invoke(t, d, cfntest.CreateEvent(monitors.Props{URL: "https://example.com/orders", Seconds: 60}))
	if got.Status != "FAILED" || !strings.Contains(got.Reason, "API_URL") {
		t.Errorf("answered %+v", got)
	}
}
