package local

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Here is what the next step of a stack follows from, besides its status and what it left behind.

// Skipped returns the resources that a rollback has skipped, by their names as seen from the root, as long as no later
// request to them has succeeded: their latest request, unless it is a Delete, has failed, and nothing tells the stack. An Update that
// failed in making another physical resource has not touched the one that is back.
func Skipped(s *engine.Stack) (names []string) {
	if !strings.HasSuffix(s.Status, "_COMPLETE") || s.Deleted() {
		return nil
	}
	return resourcesWith(s, func(r *engine.StackResource, sent []*engine.Request) bool {
		last := sent[len(sent)-1]
		made := mask.PhysicalIDOf(last.Answer)
		isAnother := made != "" && made != last.PhysicalID
		isUntouched := isAnother && r.PhysicalID == last.PhysicalID
		return last.RequestType == "Update" && last.Outcome != engine.Succeeded && !isUntouched
	})
}

// Overwritten returns the resources of which a cancelled Update was answered after its rollback had begun, by their names as
// seen from the root, as long as no further request to them has succeeded: which of the two came last in the service is not
// known.
func Overwritten(s *engine.Stack) (names []string) {
	return resourcesWith(s, func(_ *engine.StackResource, sent []*engine.Request) bool {
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
func resourcesWith(s *engine.Stack, is func(r *engine.StackResource, sent []*engine.Request) bool) (names []string) {
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
			if isCalled && is(r, sent) {
				names = append(names, one.PathOf(r.LogicalID))
			}
		}
	}
	return names
}

// Importers returns the names of the root stacks that import an export of a stack, or of one nested in it, sorted.
func (h *Home) Importers(s *engine.Stack) ([]string, error) {
	exports := slices.ContainsFunc(s.All(), func(one *engine.Stack) bool { return len(exportsOf(one.Outputs)) > 0 })
	if !exports {
		return nil, nil // few stacks do, and the others are not read in vain
	}
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

// A Code is what answers for resources of a stack.
type Code struct {
	Stack string // whose update-code updates it; "" if there is nothing that it could update
	// Program is its name there, if it takes a command in the place of the present one; or "".
	Program string
	Lacking bool // it has no program now
}

// CodeOf returns what answers for the failed resources of a stack, or for all if none has failed: of several the first that
// lacks a program.
func (h *Home) CodeOf(r *record.Record) (found Code) {
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
		code := o.codeOf(res)
		if code.Lacking || found.Stack == "" {
			found = code
		}
		if found.Lacking {
			break
		}
	}
	if secrets := r.Secrets(); mask.Text(found.Program, secrets) != found.Program {
		found.Program = ""
	}
	return found
}

// codeOf returns what answers for a resource.
func (o *operation) codeOf(res *engine.StackResource) Code {
	if !engine.IsCustomResource(res.Type) {
		rev := o.record.RevisionOfType(res.Type)
		if rev == nil || rev.SourceOf(res.Type) != "" {
			return Code{Stack: o.name()}
		}
		return Code{o.name(), res.Type, rev.Types[res.Type].Command == ""}
	}
	token := textProperty(res.Properties.Map(), "ServiceToken")
	switch p := o.providerOf(token); {
	case p.external():
		rev := o.record.Revisions[o.record.Stack.Target]
		return Code{o.name(), rev.NameOf(token), p.unknown}
	case len(p.declared) == 0: // no program would answer
		return Code{}
	default:
		found := Code{Stack: p.declared[0].stack}
		for _, f := range p.declared {
			source, _ := f.revision.SourceOfFunction(&f.function)
			lacks := source == "" && f.revision.Commands[f.function.LogicalID] == ""
			if source == "" && (lacks || found.Program == "") {
				found = Code{f.stack, f.path, lacks}
			}
		}
		return found
	}
}

// A Cause is why an operation failed, as far as a reason says what no program of the stack can correct.
type Cause struct {
	Silent   string // the address on this machine at which nothing listened, or ""
	NewToken bool   // another function is to answer for a resource than the one that made it
}

// CauseOf returns the cause of the latest failures of a stack's resources, as the rows since a time say it: of a rollback that
// failed, it is the rollback's.
func CauseOf(s *engine.Stack, since time.Time) (found Cause) {
	isLater := false
	for _, row := range s.Rows(nil) {
		isRoot := row.OfStack() && row.StackId == s.ID
		hasFailed := !row.OfStack() && strings.HasSuffix(row.ResourceStatus, "_FAILED")
		isLater = isLater || isRoot
		if !hasFailed || row.Timestamp.Before(since) {
			continue
		}
		if isLater {
			found, isLater = Cause{}, false
		}
		why := row.ResourceStatusReason
		if refusedConnection.MatchString(why) {
			found.Silent = localAddress.FindString(why)
		}
		found.NewToken = found.NewToken || why == engine.ProviderModified
	}
	return found
}

// refusedConnection matches what runtimes say of a connection to where nothing listens.
var refusedConnection = regexp.MustCompile(`(?i)(?:connection |actively |econn)refused`)

// StacksFor returns the names of the other stacks in which something failed that this stack's functions answer for, sorted.
func (h *Home) StacksFor(s *engine.Stack) ([]string, error) {
	others, err := h.otherStacks(s)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range others {
		hasFailed := strings.HasSuffix(r.Stack.Status, "_FAILED")
		if hasFailed && h.CodeOf(r).Stack == s.Name {
			names = append(names, r.Stack.Name)
		}
	}
	return names, nil
}
