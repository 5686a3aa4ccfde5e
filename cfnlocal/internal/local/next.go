package local

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Here is what the next step of a stack follows from, besides its status and what it left behind.

// Skipped returns the resources that a rollback has skipped, by their names as seen from the root, as long as no later
// request to them has succeeded: their latest request, unless it is a Delete, has failed, and nothing tells the stack.
func Skipped(s *engine.Stack) (names []string) {
	if !strings.HasSuffix(s.Status, "_COMPLETE") || s.Deleted() {
		return nil
	}
	return resourcesWith(s, func(sent []*engine.Request) bool {
		last := sent[len(sent)-1]
		return last.RequestType == "Update" && last.Outcome != engine.Succeeded
	})
}

// Uncalled returns the failed resources whose latest request had no function that took it, by their names as seen from the
// root.
func Uncalled(s *engine.Stack) (names []string) {
	for _, one := range s.All() {
		for _, r := range one.Resources {
			last := ""
			for _, q := range one.Requests {
				if q.LogicalID == r.LogicalID {
					last = string(q.Outcome)
				}
			}
			// A resource that failed for another reason may have an older request without a function.
			failed := !r.Gone && strings.HasSuffix(r.Status, "_FAILED")
			if failed && last == string(engine.Uncalled) {
				names = append(names, one.PathOf(r.LogicalID))
			}
		}
	}
	return names
}

// Overwritten returns the resources of which a cancelled Update was answered after its rollback had begun, by their names as
// seen from the root, as long as no further request to them has succeeded: which of the two came last in the service is not
// known.
func Overwritten(s *engine.Stack) (names []string) {
	return resourcesWith(s, func(sent []*engine.Request) bool {
		if len(sent) < 2 {
			return false
		}
		update, back := sent[len(sent)-2], sent[len(sent)-1]
		cancelled := update.RequestType == "Update" && update.Outcome == engine.Cancelled
		return cancelled && back.Outcome == engine.Succeeded &&
			slices.ContainsFunc(unreadAnswers(update), func(a unreadAnswer) bool { return a.id == back.PhysicalID })
	})
}

// resourcesWith returns the resources whose Creates and Updates are as is says: those of the stack and of the stacks nested
// in it, by their names as seen from the root.
func resourcesWith(s *engine.Stack, is func(sent []*engine.Request) bool) (names []string) {
	for _, one := range s.All() {
		for _, r := range one.Resources {
			var sent []*engine.Request
			for _, q := range one.Requests {
				called := q.RequestType != "Delete" && q.Outcome != engine.Uncalled
				if called && q.LogicalID == r.LogicalID {
					sent = append(sent, q)
				}
			}
			isCalled := !r.Gone && len(sent) > 0
			if isCalled && is(sent) {
				names = append(names, one.PathOf(r.LogicalID))
			}
		}
	}
	return names
}

// Importers returns the names of the root stacks that import an export of a stack, or of one nested in it, sorted.
func (h *Home) Importers(s *engine.Stack) ([]string, error) {
	others, err := h.otherStacks(s)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range others {
		for _, one := range s.All() {
			for export := range exportsOf(one.Outputs) {
				if len(importers([]*record.Record{r}, export)) > 0 {
					names = append(names, r.Stack.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// CodeOf returns the stack whose functions answer for the failed resources of a stack, or for all if none has failed: the stack
// itself, or another one in the directory. It is "" if no stack has a function for any of them, such as where a command is
// given for an ARN.
func (h *Home) CodeOf(r *record.Record) string {
	var all, failed []*engine.StackResource
	for _, s := range r.Stack.All() {
		for _, res := range slices.Concat(s.Resources, s.Leaving) {
			if res.Gone || !handled(s, res.Type) {
				continue
			}
			all = append(all, res)
			if strings.HasSuffix(res.Status, "_FAILED") {
				failed = append(failed, res)
			}
		}
	}
	// What failed is what somebody wants to repair.
	if len(failed) == 0 {
		failed = all
	}
	o := newOperation(h, r, nil, Settings{})
	for _, res := range failed {
		if owner := o.owner(res); owner != "" {
			return owner
		}
	}
	return ""
}

// owner returns the stack that has a resource's function, or "".
func (o *operation) owner(res *engine.StackResource) (stack string) {
	token, rev := textProperty(res.Properties.Map(), "ServiceToken"), o.record.Revisions[o.record.Stack.Target]
	switch {
	case !engine.IsCustomResource(res.Type), newSearch(o.record, token).findOwn(token):
		return o.name()
	case rev != nil && rev.CommandOf(token) != "":
		return ""
	}
	o.eachOther(func(r *record.Record) {
		if stack == "" && newSearch(r, token).findOwn(token) {
			stack = r.Stack.Name
		}
	})
	return stack
}
