package play_test

import (
	"context"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Service may call its own operations, which have a Step and no method's context: those Steps are not the handler's.
func TestAStepOfTheServiceItselfIsNoStrayOne(t *testing.T) {
	for name, passes := range map[string]bool{"right": true, "wrong": false} {
		handler := func(d *depot) simulate.Function { return process(named{d}) }
		if !passes {
			handler = func(d *depot) simulate.Function { return process(updatesInBackground{named{d}}) }
		}
		c := withService(depotContract(handler), func(s *play.Service) {
			state, occupy := s.State, s.Occupy
			s.State = func(id string) any { _ = simulate.Step(context.Background()); return state(id) }
			s.Occupy = func(name string) { _ = simulate.Step(context.Background()); occupy(name) }
		})
		text := ""
		for _, r := range play.RunChecks(t, c, "create-delete", "provider-upgrade-keeps-id", "context-ends-handler-returns") {
			if r.Outcome == "failed" {
				text += r.Text
			}
		}
		if (text == "") != passes {
			t.Errorf("of a %s handler: %s", name, text)
		}
	}
}
