package local

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// A Leftover is a physical resource that exists, or may exist, and that no stack has.
type Leftover struct {
	LogicalID, Type string
	PhysicalID      string // "" if no answer named it
	Why             string
	LetGo           bool // the stack released it, so it existed then
	InDoubt         bool // nobody knows whether its Delete has removed it since
	// At is an index: in the Left of the stack of StackID if LetGo is set, or else of the latest
	// request whose answer named it, in all that were sent.
	At      int
	StackID string
}

// IsCertain reports whether the resource exists, as far as the answers say.
func (l Leftover) IsCertain() bool { return l.LetGo && !l.InDoubt }

// String describes what is left behind, or may be.
func (l Leftover) String() string {
	switch {
	case l.IsCertain():
		return fmt.Sprintf("left behind: %s %s (%s): %s", l.LogicalID, l.PhysicalID, l.Type, l.Why)
	case l.PhysicalID == "":
		return fmt.Sprintf("may exist: a resource of %s (%s): %s", l.LogicalID, l.Type, l.Why)
	}
	return fmt.Sprintf("may exist: %s %s (%s): %s", l.LogicalID, l.PhysicalID, l.Type, l.Why)
}

// UnfinishedResources returns the resources that the latest operation could not delete, those that a failed operation left
// for the next one to delete, and those that a rollback has skipped. It leaves out what the leftovers say already: of a
// resource whose Create had no answer, that it may exist.
func UnfinishedResources(s *engine.Stack, leftovers []Leftover) (all []page.Left) {
	undeleted := s.Status == "DELETE_FAILED" || s.Status == "ROLLBACK_FAILED"
	for _, one := range s.All() {
		tell := func(r *engine.StackResource, text string) {
			// What no handler made does not exist, whatever ID CloudFormation made up for it.
			name := one.PathOf(r.LogicalID)
			isHandled := handled(one, r.Type) && !r.Gone
			isSaid := slices.ContainsFunc(leftovers, func(l Leftover) bool { return l.LogicalID == name && l.PhysicalID == "" })
			if isHandled && !isSaid && !neverRan(one, r.LogicalID) {
				all = append(all, page.Left{Name: name, Text: fmt.Sprintf("%s: %s %s (%s)", text, name, r.PhysicalID, r.Type)})
			}
		}
		for _, r := range one.Resources {
			if undeleted && strings.HasSuffix(r.Status, "_FAILED") {
				tell(r, "may still exist")
			}
		}
		for _, r := range one.Leaving {
			if s.AtRest() {
				tell(r, "still to be deleted, by the next operation")
			}
		}
	}
	for _, name := range Skipped(s) {
		all = append(all, page.Left{Name: name, Text: "not rolled back: " + name + " was skipped, and may differ from the template"})
	}
	return all
}

// Leftovers returns the physical resources that may exist, that came from custom resources of a stack or
// of stacks nested in it, and that these stacks no longer have:
//
//   - resources that they released
//   - a resource named by an answer that CloudFormation did not read or accept, unless a resource of
//     the stack has that ID, or a later Delete of it succeeded
//   - a resource that an interrupted request may have made, unless the request succeeded later
//   - a resource that a request without a known answer may have made, from the index on in all that
//     were sent
//
// A list of what exists in the service settles what is known only of answers.
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

// leftoversOf returns the leftovers of one stack. Their names are paths from the root.
func leftoversOf(s *engine.Stack, places map[*engine.Request]int, from int) (all []Leftover) {
	// Released resources. A nested stack is released with its resources.
	for i, l := range s.Left {
		if l.Settled {
			continue
		}
		if handled(s, l.Type) && !neverRan(s, l.LogicalID) {
			released := Leftover{
				LogicalID: s.PathOf(l.LogicalID), Type: l.Type, PhysicalID: l.PhysicalID,
				Why: l.Why, LetGo: true, At: i, StackID: s.ID,
			}
			if why := unknownDelete(s, l); why != "" {
				released.Why, released.InDoubt = why, true
			}
			all = append(all, released)
		}
		for _, inner := range releasedResources(s, l) {
			all = append(all, Leftover{
				LogicalID: inner.LogicalID, Type: inner.Type, PhysicalID: inner.PhysicalID,
				Why: "its stack " + l.LogicalID + " was released: " + l.Why, LetGo: true, At: i, StackID: s.ID,
			})
		}
	}

	// Resources that answers named, or that requests without a known answer may have made.
	for n, q := range s.Requests {
		i, name := places[q], s.PathOf(q.LogicalID)
		keepsID := q.Registered() && q.RequestType == "Update" // another identifier is an error there
		if keepsID || q.RequestType == "Delete" || q.Settled {
			continue
		}
		for _, a := range unreadAnswers(q) {
			switch {
			case a.id == "", a.id == q.PhysicalID, owns(s, q.LogicalID, a.id), deleted(s.Requests[n+1:], q.LogicalID, a.id):
				continue
			}
			named := Leftover{
				LogicalID: name, Type: q.Type, PhysicalID: a.id,
				Why: "the answer to its " + q.RequestType + " " + a.why + ", and " + undeleted(s, q), At: i, StackID: s.ID,
			}
			// A resource is listed once: by its release, which is certain, or by the latest answer that named it.
			at := slices.IndexFunc(all, func(r Leftover) bool { return r.LogicalID == name && r.PhysicalID == a.id })
			switch {
			case at < 0:
				all = append(all, named)
			case !all[at].LetGo:
				all[at] = named
			}
		}
		if why := unknownWork(q, i >= from); why != "" {
			all = append(all, Leftover{LogicalID: name, Type: q.Type, Why: why, At: i, StackID: s.ID})
		}
	}
	return all
}

// unknownWork returns why nobody knows what a Create or an Update has made, or "". A request that
// was not interrupted counts only if it is recent.
func unknownWork(q *engine.Request, recent bool) string {
	hasUnread := !q.Registered() && len(unreadAnswers(q)) > 0
	named := q.Answer != "" || q.Made != "" || hasUnread
	unanswered := q.Outcome == engine.TimedOut || q.Outcome == engine.Cancelled
	isUnknown := unanswered && !named
	switch {
	case q.Outcome == engine.Pending || q.Outcome == engine.Succeeded: // a success accounts for every delivery
		return ""
	case q.Interrupted:
		return "its " + q.RequestType + " was interrupted, and did not succeed later: it may have made a resource by then"
	case recent && isUnknown:
		return "no answer to its " + q.RequestType + " came: it may have made a resource"
	}
	return ""
}

// unknownDelete returns why nobody knows whether a resource that the stack gave up was deleted, or "".
func unknownDelete(s *engine.Stack, l engine.Left) string {
	if l.Kept {
		return ""
	}
	for _, q := range slices.Backward(s.Requests) {
		if q.RequestType != "Delete" || q.LogicalID != l.LogicalID || q.PhysicalID != l.PhysicalID {
			continue
		}
		// It is the last Delete.
		switch unread := unreadAnswers(q); {
		case len(unread) > 0:
			return "the answer to its Delete " + unread[0].why
		case q.Outcome == engine.TimedOut:
			return "no answer to its Delete came"
		}
		return ""
	}
	return ""
}

// releasedResources returns the custom resources of a nested stack that was released, and of the
// stacks in it. Their names are paths from the root.
func releasedResources(s *engine.Stack, l engine.Left) (all []engine.StackResource) {
	i := slices.IndexFunc(s.Nested, func(n *engine.Stack) bool { return n.ID == l.PhysicalID })
	if i < 0 {
		return nil
	}
	for _, one := range s.Nested[i].All() {
		for _, r := range slices.Concat(one.Resources, one.Leaving) {
			isLeft := exists(r) && !one.Deleted()
			if isLeft && handled(one, r.Type) {
				named := *r
				named.LogicalID = one.PathOf(r.LogicalID)
				all = append(all, named)
			}
		}
	}
	return all
}

// An unreadAnswer is an answer whose physical ID CloudFormation did not adopt.
type unreadAnswer struct{ id, why string }

func unreadAnswers(q *engine.Request) (all []unreadAnswer) {
	add := func(why string, bodies ...string) {
		for _, body := range bodies {
			var a struct{ PhysicalResourceId string }
			_ = json.Unmarshal([]byte(body), &a) // a body that is no answer names nothing
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
		isNamed := r.LogicalID == logicalID && r.PhysicalID == physicalID
		return isNamed && !r.Gone
	})
}

// deleted reports whether a Delete of a physical ID succeeded.
func deleted(later []*engine.Request, logicalID, physicalID string) bool {
	return slices.ContainsFunc(later, func(q *engine.Request) bool {
		isNamed := q.LogicalID == logicalID && q.PhysicalID == physicalID
		return isNamed && q.RequestType == "Delete" && q.Outcome == engine.Succeeded
	})
}

// undeleted says of what an answer named that no later Delete named it. The Delete with an ID that CloudFormation made up
// may be taken for one of it, as this SDK does.
func undeleted(s *engine.Stack, q *engine.Request) string {
	later := s.Requests[slices.Index(s.Requests, q)+1:]
	i := slices.IndexFunc(later, func(d *engine.Request) bool {
		return d.LogicalID == q.LogicalID && madeUp(s, d) && d.Outcome == engine.Succeeded
	})
	if i < 0 {
		return "no later Delete of it succeeded"
	}
	return "no later Delete named it; the Delete of the made-up ID " + later[i].PhysicalID + " succeeded, and may have removed it"
}

// neverRan reports whether no handler of a resource could be called, so that CloudFormation made its
// ID up.
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
