package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// CheckInvariants holds what is so of every stack at rest, and of those nested in it.
func CheckInvariants(m *Machine) error {
	s := m.Stack()
	// Nested stacks: what is not deleted is a resource.
	for _, c := range m.nested() {
		if err := CheckInvariants(c); err != nil {
			return fmt.Errorf("%s: %w", c.stack.Path, err)
		}
		of := func(all []*StackResource) bool {
			return slices.ContainsFunc(all, func(r *StackResource) bool { return !r.Gone && r.PhysicalID == c.stack.ID })
		}
		let := slices.ContainsFunc(s.Left, func(l Left) bool { return l.PhysicalID == c.stack.ID })
		if there := c.stack.Status != "DELETE_COMPLETE"; there != (of(s.Resources) || of(s.Leaving)) && !let {
			return fmt.Errorf("%s is in %s, and that it is a resource is %t", c.stack.Path, c.stack.Status, !there)
		}
	}
	// Nothing is under way.
	failed := slices.Contains([]string{"UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED", "DELETE_FAILED"}, m.top.stack.Status)
	if status := lifecycle.StackStatus(s.Status); s.Status != "" && !status.AtRest() && (!s.waitsForRootCleanup() || m.parent == nil || !failed && s.Status != "DELETE_COMPLETE" && !slices.ContainsFunc(m.parent.stack.Left, func(l Left) bool { return l.PhysicalID == s.ID })) {
		return fmt.Errorf("at rest in %s", s.Status)
	}
	if len(m.Pending()) > 0 || len(m.immediate) > 0 {
		return fmt.Errorf("at rest with %d requests under way", len(m.Pending()))
	}
	// Requests have what their type has, and an outcome.
	for _, r := range s.Requests {
		if r.Outcome == Pending {
			return fmt.Errorf("at rest, and %s of %s has no outcome", r.RequestType, r.LogicalID)
		}
		if (r.PhysicalID == "") != (r.RequestType == "Create") {
			return fmt.Errorf("%s of %s with the physical ID %q", r.RequestType, r.LogicalID, r.PhysicalID)
		}
		if (r.OldProperties == "") != (r.RequestType != "Update") {
			return fmt.Errorf("%s of %s with the old properties %q", r.RequestType, r.LogicalID, r.OldProperties)
		}
	}
	for _, r := range s.Resources {
		if !r.Gone && lifecycle.ResourceStatus(r.Status).InMotion() {
			return fmt.Errorf("at rest, and %s is in %s", r.LogicalID, r.Status)
		}
	}
	// The resources are the template's.
	inTemplate := 0 // nothing, if an update of what was never stable was cancelled
	if m.stable != nil {
		inTemplate = len(m.stable.Resources)
	}
	stable := slices.Contains([]string{"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"}, s.Status)
	if stable && (s.Stable != s.Target || len(s.Leaving) > 0 || len(s.Resources) != inTemplate) {
		return fmt.Errorf("%s at revision %d of %d with %d resources of %d, %d leaving", s.Status, s.Stable, s.Target, len(s.Resources), inTemplate, len(s.Leaving))
	}
	if s.Status == "DELETE_COMPLETE" && len(s.Resources)+len(s.Leaving) > 0 {
		return fmt.Errorf("deleted, and %d resources are there", len(s.Resources)+len(s.Leaving))
	}
	if m.parent == nil {
		if err := checkCleanupOrder(s); err != nil {
			return err
		}
	}
	// Events have IDs of their own.
	ids := map[string]bool{}
	for _, e := range s.Events {
		if ids[e.EventId] {
			return fmt.Errorf("two events have the ID %s", e.EventId)
		}
		ids[e.EventId] = true
	}
	return nil
}

// checkCleanupOrder holds that no nested stack deletes anything in a cleanup of its
// own before the root stack's has begun.
func checkCleanupOrder(root *Stack) error {
	status := map[string]string{} // by ID
	cleaning := func(id string) bool { return strings.HasSuffix(status[id], "_CLEANUP_IN_PROGRESS") }
	for _, e := range root.Rows(nil) {
		switch {
		case e.OfStack():
			status[e.StackId] = e.ResourceStatus
		case e.ResourceStatus == "DELETE_IN_PROGRESS" && cleaning(e.StackId) && !cleaning(root.ID):
			return fmt.Errorf("%s is deleted in a cleanup while the root stack is in %s", e.Name, status[root.ID])
		}
	}
	return nil
}
