// Package play judges handlers. [TestHandler] asks one question after the other, and [Explore]
// plays every short history; both play the handler with package simulate.
// Package cfntest has the faces, and documents the types that are said to be its own.
//
// To read, in this order:
//
//   - contract.go: what is known of a handler
//   - check.go: the checks, a row each; their functions are in check_*.go, by topic
//   - testhandler.go: runs them; with testhandler_*.go for one play, its events and its errors
//   - steps.go: where a Step is missing; hint.go: what helps
//   - history.go, plan.go: which histories there are, and the line that Replay reads
//   - limits.go: what harm is, and what no handler can prevent
//   - explore.go, explorer.go: plays them, on all processors
//   - explore_play.go: plays one
//   - explore_judge.go: what harm it does
//
// A new check is a row in check.go, a function in the check_*.go file of its topic,
// a wrong handler in a wrong_*_test.go file that fails this check and no other, and a
// line in the comment of cfntest.TestHandler. The tests say what is missing.
//
// A new fault is a row of package simulate: see there. Explore tries it, and goes by its End.
package play

import (
	"cmp"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Contract is cfntest's.
type Contract struct {
	New          func(t testing.TB) Service
	ResourceType string

	Properties, InPlace, Replacing, Refused, NotUpdatable any

	Neither  bool
	Secrets  []string
	Skip     map[string]string
	RealTime bool
	Timeout  time.Duration
}

// A Service is cfntest's.
type Service struct {
	Function func() simulate.Function
	State    func(physicalID string) any
	List     func() []string
	Occupy   func(physicalID string)
	Crowd    func()
	Before   func(props any) (physicalID string)
}

func (c *Contract) timeout() time.Duration { return cmp.Or(c.Timeout, time.Minute) }
