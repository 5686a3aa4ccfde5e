package engine

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestResumedAfterEachStep: a stack that is written and read back after each
// step, into another Machine, has the same history as one that is not.
func TestResumedAfterEachStep(t *testing.T) {
	for _, file := range scenarioFiles(t) {
		s, err := readScenario(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(s.name, func(t *testing.T) {
			whole, err := s.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			broken, err := s.run(func(p *scenarioRun) {
				m := p.player.Machine
				unsent := m.Take()
				kept, err := m.Stack().Clone()
				if err != nil {
					t.Fatal(err)
				}
				next := Resume(kept, p.templates)
				if err := p.configure(next); err != nil {
					t.Fatal(err)
				}
				for _, r := range unsent { // the new Machine's owner sends them
					i := slices.Index(m.Stack().Sent(), r)
					next.out = append(next.out, kept.Sent()[i])
				}
				p.player.Machine = next
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(whole.expectations(), broken.expectations()); diff != "" {
				t.Errorf("(-whole +broken):\n%s", diff)
			}
			if diff := cmp.Diff(encode(t, whole.player.Machine.Stack()), encode(t, broken.player.Machine.Stack())); diff != "" {
				t.Errorf("the stacks differ (-whole +broken):\n%s", diff)
			}
		})
	}
}

func encode(t testing.TB, s *Stack) string {
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
	var p Properties
	if err := json.Unmarshal([]byte("{\n \"b\": [1.50, \"<&>\"],\n \"a\": \"\\u00e9\"\n}"), &p); err != nil {
		t.Fatal(err)
	}
	if want := Properties(`{"a":"é","b":[1.50,"<&>"]}`); p != want {
		t.Errorf("read as %s, want %s", p, want)
	}
	text, err := json.MarshalIndent(map[string]Properties{"P": p}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]Properties
	if err := json.Unmarshal(text, &back); err != nil || back["P"] != p {
		t.Errorf("read back as %s, want %s (%v)", back["P"], p, err)
	}
}
