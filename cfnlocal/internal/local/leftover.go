package local

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// A Leftover is a physical resource that no stack has and that exists, or may.
type Leftover struct {
	LogicalID, Type string
	PhysicalID      string // "" if no answer named it
	Why             string
	LetGo           bool // the stack let go of it: it was there
	// At is its place in the Left of the stack of StackID if LetGo is set, and else
	// that of the latest request whose answer named it, among all that were sent.
	At      int
	StackID string
}

// String says what is left behind, or may be.
func (l Leftover) String() string {
	switch {
	case l.LetGo:
		return fmt.Sprintf("left behind: %s %s (%s): %s", l.LogicalID, l.PhysicalID, l.Type, l.Why)
	case l.PhysicalID == "":
		return fmt.Sprintf("may exist: something of %s (%s): %s", l.LogicalID, l.Type, l.Why)
	}
	return fmt.Sprintf("may exist: %s %s (%s): %s", l.LogicalID, l.PhysicalID, l.Type, l.Why)
}

// UnfinishedResources returns the resources that the latest operation did not bring to
// their end: what could not be deleted, or was skipped.
func UnfinishedResources(s *engine.Stack) (all []page.Left) {
	if s.Status == "DELETE_FAILED" || s.Status == "ROLLBACK_FAILED" {
		for _, one := range s.All() {
			for _, r := range one.Resources {
				if name := one.PathOf(r.LogicalID); handled(one, r.Type) && !r.Gone && strings.HasSuffix(r.Status, "_FAILED") && !neverRan(one, r.LogicalID) {
					all = append(all, page.Left{Name: name, Text: fmt.Sprintf("may still exist: %s %s (%s)", name, r.PhysicalID, r.Type)})
				}
			}
		}
	}
	if s.Operation != nil {
		for _, id := range s.Operation.Skip {
			all = append(all, page.Left{Name: id, Text: "not led back: " + id + ", which was skipped: it may not be as the template says"})
		}
	}
	return all
}

// Leftovers returns what may exist of a stack's custom resources, and of those of stacks nested in
// it, and is not theirs: what they let go of; what answers named that CloudFormation did not read
// or take, unless it is the stack's after all or a later Delete of it succeeded; and, of the
// requests from an index on among all that were sent, those that nothing is known of.
func Leftovers(s *engine.Stack, from int) (all []Leftover) {
	sent := s.Sent()
	places := make(map[*engine.Request]int, len(sent))
	for i, q := range sent {
		places[q] = i
	}
	for _, one := range s.All() {
		all = append(all, leftoversOf(one, places, from)...)
	}
	return all
}

// leftoversOf are those of one stack, by their names as seen from the root.
func leftoversOf(s *engine.Stack, places map[*engine.Request]int, from int) (all []Leftover) {
	// What was let go of, with what was in it if it was a stack.
	for i, l := range s.Left {
		if handled(s, l.Type) && !neverRan(s, l.LogicalID) {
			all = append(all, Leftover{
				LogicalID: s.PathOf(l.LogicalID), Type: l.Type, PhysicalID: l.PhysicalID,
				Why: l.Why, LetGo: true, At: i, StackID: s.ID,
			})
		}
		for _, inner := range releasedResources(s, l) {
			all = append(all, Leftover{
				LogicalID: inner.LogicalID, Type: inner.Type, PhysicalID: inner.PhysicalID,
				Why: "its stack " + l.LogicalID + " was let go of: " + l.Why, LetGo: true, At: i, StackID: s.ID,
			})
		}
	}

	// What answers named, and what nothing is known of.
	for n, q := range s.Requests {
		i, name := places[q], s.PathOf(q.LogicalID)
		if q.RequestType == "Delete" || q.Registered() && (q.RequestType == "Update" || q.Made != "") {
			continue
		}
		unread := unreadAnswers(q)
		for _, a := range unread {
			if a.id == "" || a.id == q.PhysicalID || owns(s, q.LogicalID, a.id) || deleted(s.Requests[n+1:], q.LogicalID, a.id) {
				continue
			}
			named := Leftover{
				LogicalID: name, Type: q.Type, PhysicalID: a.id,
				Why: "the answer to its " + q.RequestType + " " + a.why + ", and no later Delete of it succeeded", At: i, StackID: s.ID,
			}
			known := slices.IndexFunc(all, func(r Leftover) bool { return r.LogicalID == name && r.PhysicalID == a.id })
			switch {
			case known < 0:
				all = append(all, named)
			case !all[known].LetGo:
				all[known] = named
			}
		}
		// What no answer came to.
		if i >= from && (len(unread) == 0 || q.Registered()) && q.Answer == "" && (q.Outcome == engine.TimedOut || q.Outcome == engine.Cancelled) {
			all = append(all, Leftover{
				LogicalID: name, Type: q.Type,
				Why: "no answer to its " + q.RequestType + " came: what that made, if anything, is not known", At: i, StackID: s.ID,
			})
		}
	}
	return all
}

// releasedResources are the custom resources of a nested stack that was let go of, and
// of those nested in that, by their names as seen from the root.
func releasedResources(s *engine.Stack, l engine.Left) (all []engine.StackResource) {
	i := slices.IndexFunc(s.Nested, func(n *engine.Stack) bool { return n.ID == l.PhysicalID })
	if i < 0 {
		return nil
	}
	for _, one := range s.Nested[i].All() {
		for _, r := range slices.Concat(one.Resources, one.Leaving) {
			if !one.Deleted() && !r.Gone && handled(one, r.Type) && r.PhysicalID != "" {
				named := *r
				named.LogicalID = one.PathOf(r.LogicalID)
				all = append(all, named)
			}
		}
	}
	return all
}

// An unreadAnswer is one whose physical ID CloudFormation did not take.
type unreadAnswer struct{ id, why string }

func unreadAnswers(q *engine.Request) (all []unreadAnswer) {
	add := func(why string, bodies ...string) {
		for _, body := range bodies {
			var a struct{ PhysicalResourceId string }
			_ = json.Unmarshal([]byte(body), &a) // what is no answer names nothing
			all = append(all, unreadAnswer{a.PhysicalResourceId, why})
		}
	}
	if q.Outcome == engine.Rejected && q.Answer != "" {
		add("was not accepted", q.Answer)
	}
	add("came when nobody waited for it", q.Late...)
	add("was lost", q.Lost...)
	return all
}

// owns reports whether a resource of the stack has a physical ID.
func owns(s *engine.Stack, logicalID, physicalID string) bool {
	return slices.ContainsFunc(slices.Concat(s.Resources, s.Leaving), func(r *engine.StackResource) bool {
		return !r.Gone && r.LogicalID == logicalID && r.PhysicalID == physicalID
	})
}

// deleted reports whether a Delete of a physical ID succeeded.
func deleted(later []*engine.Request, logicalID, physicalID string) bool {
	return slices.ContainsFunc(later, func(q *engine.Request) bool {
		return q.RequestType == "Delete" && q.LogicalID == logicalID && q.PhysicalID == physicalID && q.Outcome == engine.Succeeded
	})
}

// neverRan reports whether a resource was created by nobody: none of its handlers could be
// called, so that its ID is one that CloudFormation made up.
func neverRan(s *engine.Stack, logicalID string) bool {
	created := false
	for _, q := range s.Requests {
		if q.LogicalID == logicalID {
			if q.Outcome != engine.Uncalled {
				return false
			}
			created = created || q.RequestType == "Create"
		}
	}
	return created
}

// handled reports whether a handler made the stack's resources of a type.
func handled(s *engine.Stack, resourceType string) bool {
	return engine.IsCustomResource(resourceType) || slices.ContainsFunc(s.Requests, func(q *engine.Request) bool { return q.Type == resourceType })
}
