package engine_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A patchedStack keeps a copy of a stack as a store does: first whole, then by patches.
type patchedStack struct{ saved *engine.Stack }

// keep brings the copy up to date. It returns an error if the copy differs from the stack.
func (k *patchedStack) keep(m *engine.Machine) (err error) {
	if p := m.Changes(); p == nil {
		k.saved, err = m.Stack().Clone()
	} else {
		err = k.apply(p)
	}
	if err != nil {
		return err
	}
	got, err := json.Marshal(k.saved)
	if err != nil {
		return err
	}
	want, err := json.Marshal(m.Stack())
	if err == nil && string(got) != string(want) {
		err = fmt.Errorf("a change is not in the patch (-kept +stack):\n%s", cmp.Diff(string(got), string(want)))
	}
	return err
}

func (k *patchedStack) apply(p *engine.Patch) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var read engine.Patch
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	return k.saved.Apply(&read)
}

// TestPatchesHoldEveryChange: what is kept by patches is the stack, after each
// step of every scenario, or by default of every third, and of random histories.
func TestPatchesHoldEveryChange(t *testing.T) {
	for _, one := range testrun.Sample(3, runScenarios(t)) {
		t.Run(one.Name, func(t *testing.T) {
			var k patchedStack
			if _, err := one.Scenario.Play(one.Options, func(p *enginetest.Run) {
				if err := k.keep(p.Player.Machine); err != nil {
					t.Fatal(err)
				}
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
	for seed := range uint64(testrun.Share(20, 60)) {
		var k patchedStack
		if _, err := randomHistoryWith(t, seed, k.keep); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestPatchSizeFollowsChange: what one answer changes takes as many bytes in
// a stack of 500 as in one of 50.
func TestPatchSizeFollowsChange(t *testing.T) {
	size := func(n int) int {
		m := engine.New("shop", engine.Options{})
		if err := m.Create(enginetest.Start, engine.Deployment{Template: layered(n, 1)}); err != nil {
			t.Fatal(err)
		}
		m.Changes()
		q := m.Take()[0]
		m.Answer(enginetest.Start.Add(time.Second), q.RequestID, succeed(q))
		text, err := json.Marshal(m.Changes())
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	if at50, at500 := size(50), size(500); at50 < 100 || at500 > at50+at50/10 {
		t.Errorf("%d bytes of 500 resources, %d of 50", at500, at50)
	}
}

// TestPatchOfAnotherStack: a patch with places that a stack does not have is
// refused, whatever they are.
func TestPatchOfAnotherStack(t *testing.T) {
	for name, text := range map[string]string{
		"a resource far off":   `{"Resources": {"7": {}}}`,
		"before the first":     `{"Requests": {"-1": {}}}`,
		"no resource":          `{"Leaving": {"0": null}}`,
		"a gap":                `{"Resources": {"1": {}, "3": {}}}`,
		"a task of no walk":    `{"Tasks": {"1": {}}}`,
		"a task that is null":  `{"Tasks": {"0": null}}`,
		"no nested stack":      `{"Nested": {"0": {"Patch": {}}}}`,
		"nothing nested":       `{"Nested": {"0": {}}}`,
		"a nested one far off": `{"Nested": {"1": {"Stack": {}}}}`,
		"a resource of it":     `{"Nested": {"0": {"Stack": {}}, "1": {"Patch": {}}}}`,
	} {
		m := engine.New("shop", engine.Options{})
		if err := m.Create(enginetest.Start, engine.Deployment{Template: layered(1, 1)}); err != nil {
			t.Fatal(err)
		}
		var p engine.Patch
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		if err := m.Stack().Apply(&p); err == nil {
			t.Errorf("%s was applied", name)
		}
	}
}
