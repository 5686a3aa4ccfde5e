package play

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A suite is the run of one check.
type suite struct {
	Contract

	t testing.TB // of the check that is run

	log       *capturedLog
	continues bool // the function's Options.Continue is set
	warnings  []string
}

// maxSteps bounds the number of steps of one method at which a check tries faults.
const maxSteps = 30

// stepsOf plays a request, and returns how often the handler calls Step in it. from are
// the properties that are deployed before, or nil; to are those that the request
// deploys, or nil to delete the stack.
func (s *suite) stepsOf(request string, from, to any) (int, error) {
	r := s.newRun()
	if from != nil {
		r.mustDeploy(from)
	}
	r.deployOrDestroy(to)
	steps := 0
	for _, d := range r.deliveries(request) {
		steps = max(steps, d.Steps)
	}
	return min(steps, maxSteps), r.err
}

// reference returns the state of a thing just created with properties.
func (s *suite) reference(props any) (state any, err error) {
	r := s.newRunOf(props)
	if state = r.state(r.id()); r.err == nil && state == nil {
		r.err = unjudgedError{"State returns nil for what a Create has just made"}
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
		e.Sent = time.Now().Add(-s.timeout()) // no Create can run any more, for which it would wait
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

// missing says what to add to a Contract for a check, or "".
func (c *Contract) missing(n need) string {
	var add []string
	for _, field := range []struct {
		need  need
		name  string
		isSet bool
	}{
		{needInPlace, "InPlace", c.InPlace != nil},
		{needReplacing, "Replacing", c.Replacing != nil},
	} {
		if n&field.need != 0 && !field.isSet {
			add = append(add, field.name)
		}
	}
	if len(add) == 0 {
		return ""
	}
	return "set the Contract's " + strings.Join(add, " and ")
}

// An idSet holds physical IDs.
type idSet map[string]bool

func (s idSet) add(id string) {
	if id != "" {
		s[id] = true
	}
}
