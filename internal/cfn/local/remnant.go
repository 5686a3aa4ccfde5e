package local

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Remnant is a physical resource that no stack has and that exists, or may.
type Remnant struct {
	LogicalID, Type string
	PhysicalID      string // "" if no answer named it
	Why             string
	LetGo           bool // the stack let go of it: it was there
	// At is its place in the stack's Left if LetGo is set, and else that of the
	// latest request among the stack's Requests whose answer named it.
	At int
}

// Remnants returns what may exist of a stack's custom resources and is not the
// stack's: what it let go of; what answers named that CloudFormation did not
// read or take, unless it is the stack's after all or a later Delete of it
// succeeded; and, of the requests from an index on, those that nothing is known
// of.
func Remnants(s *engine.Stack, from int) (all []Remnant) {
	for i, l := range s.Left {
		if isCustom(l.Type) {
			all = append(all, Remnant{l.LogicalID, l.Type, l.PhysicalID, l.Why, true, i})
		}
	}
	for i, q := range s.Requests {
		if q.RequestType == "Delete" {
			continue
		}
		unread := unreadAnswers(q)
		for _, a := range unread {
			if a.id == "" || a.id == q.PhysicalID || owns(s, q.LogicalID, a.id) || deleted(s.Requests[i+1:], q.LogicalID, a.id) {
				continue
			}
			named := Remnant{q.LogicalID, q.Type, a.id, "the answer to its " + q.RequestType + " " + a.why + ", and no later Delete of it succeeded", false, i}
			known := slices.IndexFunc(all, func(r Remnant) bool { return r.LogicalID == q.LogicalID && r.PhysicalID == a.id })
			switch {
			case known < 0:
				all = append(all, named)
			case !all[known].LetGo:
				all[known] = named
			}
		}
		if i >= from && len(unread) == 0 && q.Answer == "" && (q.Outcome == engine.TimedOut || q.Outcome == engine.Cancelled) {
			all = append(all, Remnant{q.LogicalID, q.Type, "", "no answer to its " + q.RequestType + " came: what that made, if anything, is not known", false, i})
		}
	}
	return all
}

// An unread answer is one whose physical ID CloudFormation did not take.
type unread struct{ id, why string }

func unreadAnswers(q *engine.Request) (all []unread) {
	add := func(why string, bodies ...string) {
		for _, body := range bodies {
			var a struct{ PhysicalResourceId string }
			_ = json.Unmarshal([]byte(body), &a) // what is no answer names nothing
			all = append(all, unread{a.PhysicalResourceId, why})
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

func isCustom(resourceType string) bool {
	return resourceType == "AWS::CloudFormation::CustomResource" || strings.HasPrefix(resourceType, "Custom::")
}
