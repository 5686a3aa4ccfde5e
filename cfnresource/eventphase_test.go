package cfnresource

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A toldPhase is what a stack answers; "" is a question that fails.
type toldPhase struct {
	phase           lifecycle.Phase
	asked, warnings int
}

func (s *toldPhase) of(chain event.Chain) *eventPhase {
	p := newEventPhase(chain, s)
	return &p
}

func (s *toldPhase) askPhase(string) (lifecycle.Phase, *guard.Failure) {
	s.asked++
	if s.phase == "" {
		return lifecycle.PhaseUnknown, &guard.Failure{Text: "throttled"}
	}
	return s.phase, nil
}

func (s *toldPhase) warnOfPhase(*guard.Failure) { s.warnings++ }

// The first answer is kept, whatever the stack does later; in a chain, the phase in
// which the event came is that of the first invocation.
func TestFirstPhaseIsKept(t *testing.T) {
	s := &toldPhase{phase: lifecycle.PhaseUpdating}
	p := s.of(event.Chain{})
	if got := p.start(); got != lifecycle.PhaseUpdating {
		t.Errorf("start: %s", got)
	}
	s.phase = lifecycle.PhaseUpdateRollback
	if got := p.start(); got != lifecycle.PhaseUpdating || s.asked != 1 {
		t.Errorf("start: %s after %d questions, want the first answer", got, s.asked)
	}
	if got := p.now(""); got != lifecycle.PhaseUpdateRollback {
		t.Errorf("now: %s", got)
	}
	if p.awaited() {
		t.Error("an Update that a rollback has overtaken is awaited")
	}

	later := s.of(event.Chain{Links: 1, StartPhase: lifecycle.PhaseCreating})
	if got := later.start(); got != lifecycle.PhaseCreating {
		t.Errorf("start in a chain: %s, want the first invocation's", got)
	}
}

// DescribeStacks was late if it said that the stack goes back, and then that it goes
// forward: the later answer is the one that is kept, also if a Poll has asked.
func TestLatePhaseIsCorrected(t *testing.T) {
	for name, ask := range map[string]func(*eventPhase) bool{
		"by the rules": func(p *eventPhase) bool { return p.now("") == lifecycle.PhaseUpdating },
		"by a Poll":    (*eventPhase).awaited,
	} {
		s := &toldPhase{phase: lifecycle.PhaseUpdateRollback}
		p := s.of(event.Chain{})
		p.start()
		s.phase = lifecycle.PhaseUpdating
		if !ask(p) || p.start() != lifecycle.PhaseUpdating {
			t.Errorf("asked %s, it came in %s, want what is no longer late", name, p.start())
		}
		s.phase = lifecycle.PhaseUpdateRollback
		if p.awaited() {
			t.Errorf("asked %s, it is awaited in a stack that has turned back since", name)
		}
	}
}

// At the end of a wait, an answer that a Poll would have gone by counts in place of a
// question that fails: else a wait of an hour ends with one throttled call.
func TestLastPhaseCountsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &toldPhase{phase: lifecycle.PhaseCreating}
		p := s.of(event.Chain{})
		p.now("")
		s.phase = ""
		<-time.After(phaseInterval - time.Second)
		if got := p.atEnd(""); got != lifecycle.PhaseCreating {
			t.Errorf("after %s: %s, want the last answer", phaseInterval-time.Second, got)
		}
		if got := p.now(""); got != lifecycle.PhaseUnknown {
			t.Errorf("before the end: %s, want no answer but the stack's", got)
		}
		<-time.After(time.Second)
		if got := p.atEnd(""); got != lifecycle.PhaseUnknown {
			t.Errorf("after %s: %s, want none", phaseInterval, got)
		}
		s.phase = lifecycle.PhaseCreateRollback
		if got := p.atEnd(""); got != lifecycle.PhaseCreateRollback {
			t.Errorf("%s, want the stack's answer", got)
		}
	})
}
