package play

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A suite is the run of one check.
type suite struct {
	Contract

	t     testing.TB // of the check that is run
	prior *priorResults

	log      *capture.Log
	warnings []string
}

// reference returns the state of a thing just created with properties.
func (s *suite) reference(props any) (state any, err error) {
	key := fmt.Sprint("state ", simulate.Properties(props))
	if state, ok := s.prior.seen[key]; ok {
		return state, nil
	}
	r := s.newRunOf(props)
	if state = r.state(r.id()); r.err == nil && state == nil {
		r.err = unjudgedError("State returns nil for what a Create has just made")
	}
	if r.err == nil {
		s.prior.seen[key] = state
	}
	return state, r.err
}

func (s *suite) warnf(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// event returns an event about the suite's resource.
func (s *suite) event(requestType, id string, props, old any) simulate.Event {
	e := simulate.NewEvent(requestType, id, props, old)
	e.ResourceType = cmp.Or(s.ResourceType, "Custom::Resource")
	if s.RealTime && requestType == "Delete" {
		e.Sent = time.Now().Add(-s.timeout() - 30*time.Second) // no Create can run, and no search lag, for which it would wait
	}
	return e
}

func (s *suite) createEvent(props any) []byte { return s.event("Create", "", props, nil).Encode() }

func (s *suite) updateEvent(id string, props, old any) []byte {
	return s.event("Update", id, props, old).Encode()
}

func (s *suite) deleteEvent(id string, props any) []byte {
	return s.event("Delete", id, props, nil).Encode()
}

// madeUpID is an ID such as CloudFormation makes up, for the events above.
const madeUpID = "my-stack-MyResource-1ABCDEFGHIJKL"

// missing says what a check needs and does not get, or "".
func (s *suite) missing(n need) string {
	switch {
	case n&needInPlace != 0 && s.InPlace == nil:
		return "set the Contract's InPlace"
	case n&needReplacing != 0 && s.Replacing == nil:
		return "set the Contract's Replacing"
	case n&needContinue != 0 && s.RealTime:
		return "it would last, in real time"
	case n&needTraceable != 0 && s.Neither:
		return `the kind "neither" cannot hold it: docs/rough_edges.md#handlers-of-the-kind-neither`
	case n&needState != 0 && s.newRun().service.State == nil:
		return "the Service has no State: there is nothing to look at"
	}
	return ""
}

// An idSet holds physical IDs.
type idSet map[string]bool

func (s idSet) add(id string) {
	if id != "" {
		s[id] = true
	}
}

// given returns the properties that the Contract has.
func given(props ...any) []any {
	return slices.DeleteFunc(props, func(p any) bool { return p == nil })
}
