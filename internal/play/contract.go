// Package play judges handlers. [TestHandler] asks one question after the other, and [Explore]
// plays every short history; both play the handler with package simulate.
// Package cfntest has the faces, and documents the types that are said to be its own.
//
// To read, in this order:
//
//   - contract.go: what is known of a handler
//   - check.go: the checks, a row each: lines of histories, or a function in check_*.go
//   - history.go: the line that Replay reads; line.go: plays those of a check
//   - testhandler.go: runs the checks; with testhandler_*.go for one play by hand, its events and its errors
//   - steps.go: where a Step is missing; hint.go: what helps
//   - plan.go: which histories Explore plays
//   - variant.go, variant_kind.go, variant_form.go: which properties there are besides those that the Contract has
//   - limits.go: what harm is, and what no handler can prevent
//   - explore.go, explorer.go: plays them, on all processors
//   - explore_play.go: plays one
//   - explore_judge.go: what harm it does; explore_state.go: what the resource should be
//   - check_afresh.go: a check that plays, of each property, what it can be instead; afresh.go judges it
//
// A new check is a row in check.go, with a function in check_*.go if no history can say it,
// a wrong handler in a wrong_*_test.go file for which it fails, and a line in the comment of
// cfntest.TestHandler. The tests say what is missing.
//
// A new fault is a row of package simulate: see there. Explore tries it, and goes by its End.
package play

import (
	"cmp"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Contract is cfntest's.
type Contract struct {
	New          func(t testing.TB) Service
	ResourceType string

	Properties, InPlace, Replacing, Refused, NotUpdatable any

	Others map[string]any

	Draw  func(*rand.Rand) any
	Fixed []string
	All   bool // changes of properties are all played, and not a share

	Neither  bool
	Secrets  []string
	Skip     map[string]string
	RealTime bool
	Timeout  time.Duration

	made *sync.Map // properties by version, once it is played: see once
}

// A Service is cfntest's, which is converted to it: the compiler keeps the two in step.
type Service struct {
	Function func() simulate.Function
	State    func(physicalID string) any
	List     func() []string
	Occupy   func(physicalID string)
	Crowd    func()
	Before   func(props any) (physicalID string)
	Use      func(physicalID string)
	Effects  func() any
	Around   func() any
	Accepts  func(physicalID, secret string) bool
}

func (c *Contract) timeout() time.Duration { return cmp.Or(c.Timeout, time.Minute) }
