package engine

import (
	"errors"
	"strings"
)

// A placed error knows where in a template the value stands that it is about.
// CloudFormation tells that nowhere, so that no reason has it.
type placed interface {
	error
	Reason() string
	Place() string
}

// explain returns the reason of a row, and the place beside it, or "".
func explain(err error) (reason, place string) {
	if p, ok := errors.AsType[placed](err); ok {
		return p.Reason(), p.Place()
	}
	return err.Error(), ""
}

// place notes the place that a reason is about, beside the first row with it of those since one.
func (s *Stack) place(since int, reason, place string) {
	for _, e := range s.Events[since:] {
		if place != "" && strings.HasPrefix(e.ResourceStatusReason, reason) {
			if s.Places == nil {
				s.Places = map[string]string{}
			}
			s.Places[e.EventId] = place
			return
		}
	}
}
