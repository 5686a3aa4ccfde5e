package engine

import (
	"slices"
	"time"
)

// All returns the stack and its nested stacks, including deleted ones, each before
// those nested in it. The result must not be changed.
func (s *Stack) All() []*Stack {
	all := []*Stack{s}
	for _, n := range s.Nested {
		all = append(all, n.All()...)
	}
	return all
}

// A Row is an event with the name of what it is about, as seen from the root
// stack: Nested.Resource, or a stack's name.
type Row struct {
	Event
	Name  string
	Place string // where in a template the value stands that the reason is about, or ""
}

// Why is the row's reason, with the place that it is about.
func (r *Row) Why() string {
	if r.Place == "" {
		return r.ResourceStatusReason
	}
	return r.ResourceStatusReason + " (" + r.Place + ")"
}

// Rows returns the events of the stack and of its nested stacks, the oldest first. known returns
// how many of a stack's oldest events to leave out; nil leaves out none.
func (s *Stack) Rows(known func(*Stack) int) (all []Row) {
	for _, one := range s.All() {
		from := 0
		if known != nil {
			from = known(one)
		}
		for _, e := range one.Events[from:] {
			name := one.PathOf(e.LogicalResourceId)
			if e.OfStack() {
				name = one.Name
			}
			all = append(all, Row{e, name, one.Places[e.EventId]})
		}
	}
	if len(s.Nested) > 0 {
		slices.SortStableFunc(all, func(a, b Row) int { return a.Timestamp.Compare(b.Timestamp) }) // each row has a time of its own
	}
	return all
}

// Sent returns the requests of the stack and of its nested stacks, in the order in
// which they were sent.
func (s *Stack) Sent() []*Request {
	if len(s.Nested) == 0 {
		return s.Requests
	}
	var all []*Request
	for _, one := range s.All() {
		all = append(all, one.Requests...)
	}
	slices.SortStableFunc(all, func(a, b *Request) int { return a.SentAt.Compare(b.SentAt) })
	return all
}

// PathOf returns a resource's name as seen from the root stack: its logical ID,
// preceded by those of the nested stacks that it is in.
func (s *Stack) PathOf(logicalID string) string {
	if s.Path == "" {
		return logicalID
	}
	return s.Path + "." + logicalID
}

// Latest returns the time of the latest event, including those of nested stacks.
func (s *Stack) Latest() (at time.Time) {
	for _, one := range s.All() {
		if n := len(one.Events); n > 0 && one.Events[n-1].Timestamp.After(at) {
			at = one.Events[n-1].Timestamp
		}
	}
	return at
}
