package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// TestResumedAfterEachStep: a stack that is written and read back after each
// step, into another Machine, has the same history as one that is not. By default, every third.
func TestResumedAfterEachStep(t *testing.T) {
	for _, whole := range testrun.Sample(3, runScenarios(t)) {
		t.Run(whole.Name, func(t *testing.T) {
			broken, err := whole.Scenario.Play(whole.Options, func(p *enginetest.Run) {
				m := p.Player.Machine
				next, err := m.Resumed(p.Templates)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Configure(next); err != nil {
					t.Fatal(err)
				}
				next.TakeFrom(m)
				p.Player.Machine = next
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(expectations(whole), expectations(broken)); diff != "" {
				t.Errorf("(-whole +broken):\n%s", diff)
			}
			if diff := cmp.Diff(encode(t, whole.Player.Machine.Stack()), encode(t, broken.Player.Machine.Stack())); diff != "" {
				t.Errorf("the stacks differ (-whole +broken):\n%s", diff)
			}
		})
	}
}

func encode(t testing.TB, s *engine.Stack) string {
	t.Helper()
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestIndentedStackIsTheSame: properties keep their one form through any
// formatting, since an update is a comparison of them.
func TestIndentedStackIsTheSame(t *testing.T) {
	var p engine.Properties
	if err := json.Unmarshal([]byte("{\n \"b\": [1.50, \"<&>\"],\n \"a\": \"\\u00e9\"\n}"), &p); err != nil {
		t.Fatal(err)
	}
	if want := engine.Properties(`{"a":"é","b":[1.50,"<&>"]}`); p != want {
		t.Errorf("read as %s, want %s", p, want)
	}
	text, err := json.MarshalIndent(map[string]engine.Properties{"P": p}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]engine.Properties
	if err := json.Unmarshal(text, &back); err != nil || back["P"] != p {
		t.Errorf("read back as %s, want %s (%v)", back["P"], p, err)
	}
}
