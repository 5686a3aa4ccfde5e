package local

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	awslambda "github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// TestMain: the tests' program is also the function that is asked. SAYS is what it answers the
// question with, or the error that it ends with; each start is a line in STARTS.
func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") == "" {
		os.Exit(m.Run())
	}
	if f, err := os.OpenFile(os.Getenv("STARTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString("started\n")
		_ = f.Close()
	}
	awslambda.Start(func(_ context.Context, event json.RawMessage) (json.RawMessage, error) {
		says := os.Getenv("SAYS")
		switch {
		case string(event) != schema.Question:
			return nil, errors.New("another question")
		case !strings.HasPrefix(says, "{"):
			return nil, errors.New(says)
		}
		return json.RawMessage(says), nil
	})
}

const answer = `{"resourceTypes":[{"attributes":["Arn"],"schema":{"typeName":"Custom::A","properties":{"P":{}}}}]}`

// askPrograms asks the functions of a plan: A and B, whose program is this one, Foreign, whose
// program is none of this SDK's, and None, which has no program here.
func askPrograms(t *testing.T, says string) (providers map[string]*schema.Provider, silent, starts string, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	foreign, log := filepath.Join(t.TempDir(), "foreign"), filepath.Join(t.TempDir(), "starts")
	if err := os.WriteFile(foreign, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := &template.Plan{}
	for _, function := range []string{"A", "B", "Foreign", "None", "A", ""} {
		plan.Customs = append(plan.Customs, template.Custom{LogicalID: "X" + function, Function: function})
	}
	programs := map[string]describer{"A": builtProgram(self), "B": builtProgram(self), "Foreign": builtProgram(foreign)}
	providers, all, err := describeFunctions(t.Context(), plan, programs, map[string]string{"SAYS": says, "STARTS": log}, func(string) {})
	text, _ := os.ReadFile(log) // none if nothing was started
	return providers, strings.Join(all, "\n"), string(text), err
}

// Each program is asked once, and only one that will not take the question for an event.
func TestFunctions(t *testing.T) {
	providers, silent, starts, err := askPrograms(t, answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, function := range []string{"A", "B"} {
		if p := providers[function]; p == nil || p.Type("Custom::A") == nil || !p.Type("Custom::A").Has("Arn") {
			t.Errorf("%s says %+v", function, p)
		}
	}
	const want = "the function Foreign does not describe itself: it is not made with this SDK\nthe function None does not describe itself: it is not built here"
	if len(providers) != 2 || silent != want || starts != "started\n" {
		t.Errorf("%d describe themselves, silent are\n%s\nand there was\n%s", len(providers), silent, starts)
	}
}

// A function that has an answer for events alone, one that fails, and one that can
// answer nothing, because of a mistake in its program.
func TestFunctionsThatFail(t *testing.T) {
	for says, want := range map[string]string{
		"the payload has no ResponseURL, so": "pass schema.Describe to cfnresource.New",
		"two\nlines":                         "it failed when it was asked: two; lines",
		strings.Repeat("ä", 1000):            strings.Repeat("ä", 250) + "…",
		`{"resourceTypes":[]}`:               "it describes no resource type",
	} {
		if _, silent, _, err := askPrograms(t, says); err != nil || !strings.Contains(silent, "the function A does not describe itself: ") || !strings.Contains(silent, want) {
			t.Errorf("%.40s: %v, %s", says, err, silent)
		}
	}
	providers, _, _, err := askPrograms(t, "the function is not configured as it must be: the tag of P")
	if wrong, ok := errors.AsType[*ConfigurationError](err); !ok || len(providers) > 0 || wrong.Function != "A" || !strings.HasSuffix(err.Error(), "the tag of P") {
		t.Errorf("a mistake in the program: %v", err)
	}
}

// The schema of a registry type is that of the only type that its function names.
func TestSchema(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	say := func(says string) (string, error) {
		got, err := describeType(t.Context(), host.Function{Command: []string{self}, Env: map[string]string{"SAYS": says}}, func(host.Event) {})
		return string(got), err
	}
	if got, err := say(answer); err != nil || got != `{"typeName":"Custom::A","properties":{"P":{}}}` {
		t.Errorf("%s, %v", got, err)
	}
	for _, says := range []string{`{}`, `{"resourceTypes":[{},{}]}`} {
		if got, err := say(says); err == nil || !strings.Contains(err.Error(), "set Schema in registry.Options") {
			t.Errorf("%s: %s, %v", says, got, err)
		}
	}
}

// TestElsewhere: a program for another machine is not started.
func TestElsewhere(t *testing.T) {
	for want, settings := range map[string][]debug.BuildSetting{
		"": {{Key: "-trimpath", Value: "true"}, {Key: "GOARCH", Value: runtime.GOARCH}, {Key: "GOOS", Value: runtime.GOOS}},
		"it is built for another machine, with GOARCH=mips": {{Key: "GOARCH", Value: "mips"}, {Key: "GOOS", Value: runtime.GOOS}},
		"it is built for another machine, with GOOS=plan9":  {{Key: "GOARCH", Value: runtime.GOARCH}, {Key: "GOOS", Value: "plan9"}},
	} {
		if got := builtForAnother(settings); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
