// Package enginetest plays stacks in tests of packages that show them.
package enginetest

import (
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Player answers the requests of a Machine in virtual time.
type Player struct {
	Machine *engine.Machine
	Now     time.Time
	// Answer returns the answer to a request, and after what time it arrives. Nil is none.
	Answer func(q *engine.Request) (body []byte, takes time.Duration)
	// AfterStep, if set, is called after each input to the Machine.
	AfterStep func()

	arriving []arrival // in the order of time
}

type arrival struct {
	at        time.Time
	requestID string
	body      []byte
}

// Run runs until the stack is at rest and no answer is on its way any more.
func (p *Player) Run(t testing.TB) {
	t.Helper()
	for {
		for _, q := range p.Machine.Take() {
			if body, takes := p.Answer(q); body != nil {
				p.arriving = append(p.arriving, arrival{p.Now.Add(takes), q.RequestID, body})
			}
		}
		slices.SortStableFunc(p.arriving, func(a, b arrival) int { return a.at.Compare(b.at) })
		deadline, waits := p.Machine.Deadline()
		switch {
		case len(p.arriving) > 0 && (!waits || !p.arriving[0].at.After(deadline)):
			next := p.arriving[0]
			p.arriving = p.arriving[1:]
			p.Now = later(p.Now, next.at)
			p.Machine.Answer(p.Now, next.requestID, next.body)
		case p.Machine.Stack().AtRest():
			return
		case waits:
			p.Now = later(p.Now, deadline)
			p.Machine.Tick(p.Now)
		default:
			t.Fatal(engine.ErrStuck)
		}
		if p.AfterStep != nil {
			p.AfterStep()
		}
	}
}

func later(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }
