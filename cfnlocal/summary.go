package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// conclude prints the result of an operation and what it left behind. log is the
// file with the functions' output. list is the result of --list, or nil.
func (a *app) conclude(s *engine.Stack, before position, took time.Duration, log string, list *local.Listing) error {
	var err error
	did := succeeded(a.command, s.Status)
	if !did || list != nil && list.Unaccounted() {
		err = &failure{errReported, "", exitFailed}
	}
	if !s.AtRest() { // another process carries out the request
		return a.say("The process that works on stack " + s.Name + " carries this out, and shows the result.")
	}
	if a.json {
		result := describeResult(s, before.reportedRequests)
		result.list(list)
		a.print(map[string]any{"Result": result})
		return err
	}

	// How it ended.
	p, columns := paletteFor(a.out), columns(a.out)
	tell := func(text string) { fmt.Fprintln(a.out, wrap(columns, "  ", "    ", printable.Line(text))) }
	ended := " is in " + s.Status
	if took > 0 {
		ended += fmt.Sprintf(" after %.1f s", took.Seconds())
	}
	requests := s.Sent()
	requests = requests[min(before.requests, len(requests)):]
	text := strings.TrimPrefix(wrap(columns, "", "  ", s.Name+ended+". "+describeRequests(requests)+describeNewCode(s, requests)), s.Name)
	fmt.Fprintf(a.out, "\n%s%s\n", p.bold(s.Name), strings.Replace(text, s.Status, p.status(s.Status), 1))

	// The stack's outputs, and what it left behind. Why it failed is in its events, which the printer has shown.
	for _, o := range s.Outputs {
		if s.Status != "DELETE_COMPLETE" {
			fmt.Fprintf(a.out, "  output %s = %s\n", o.Name, printable.Line(o.Value))
		}
	}
	left := leftBehind(s, before.reportedRequests, before.reported, list)
	for _, line := range left.lines {
		tell(line)
	}

	// What to look at and to do next.
	if info, unwritten := os.Stat(log); failures(requests) > 0 && unwritten == nil && info.Size() > 0 {
		tell("the log of the functions: " + log)
	}
	n := next(s, list)
	if a.command == "delete" && succeeded("", s.Status) && !did {
		n = "first delete the stacks that use its exports, or deploy them without; then cfnlocal delete " + s.Name + " again"
	}
	if n != "" {
		if cancelled(s) && left.inDoubt {
			n += "; with --list 'COMMAND' it reports the resources that exist in the service"
		}
		fmt.Fprintln(a.out, wrap(columns, "Next: ", "  ", n))
	}
	return err
}

// succeeded reports whether a command has led a stack to a status that it is for.
func succeeded(command, status string) bool {
	all := []string{"CREATE_COMPLETE", "UPDATE_COMPLETE", "DELETE_COMPLETE"}
	switch command {
	case "delete":
		all = []string{"DELETE_COMPLETE"}
	case "rollback", "continue-rollback":
		all = []string{"ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "DELETE_COMPLETE"}
	}
	return slices.Contains(all, status)
}

func describeRequests(requests []*engine.Request) string {
	if len(requests) == 0 {
		return "No handler was called."
	}
	var parts []string
	counts := map[string]int{}
	for _, q := range requests {
		counts[q.RequestType]++
	}
	for _, kind := range []string{"Create", "Update", "Delete"} {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	failed := failures(requests)
	text := "Handlers were asked for " + strings.Join(parts, ", ")
	if failed == 0 {
		return text + "; all succeeded."
	}
	return fmt.Sprintf("%s; %d did not succeed.", text, failed)
}

// describeNewCode says why an update that has given functions new code has called no handler.
func describeNewCode(s *engine.Stack, requests []*engine.Request) string {
	began := operationBegan(s)
	if len(requests) > 0 || !slices.ContainsFunc(s.Rows(nil), func(e engine.Row) bool {
		return !e.Timestamp.Before(began) && e.ResourceType == "AWS::Lambda::Function" && e.ResourceStatus == "UPDATE_COMPLETE"
	}) {
		return ""
	}
	return " A function is updated. No property of a custom resource has changed, so CloudFormation sends no Update; docs/faq.md says how to force one."
}

func failures(requests []*engine.Request) (n int) {
	for _, q := range requests {
		if q.Outcome != engine.Succeeded && q.Outcome != engine.Pending {
			n++
		}
	}
	return n
}

// cancelled reports whether the latest operation was a cancelled update: its rollback
// was initiated by the user.
func cancelled(s *engine.Stack) bool {
	for _, e := range s.Events[min(operationStart(s)+1, len(s.Events)):] {
		if e.OfStack() {
			return e.ResourceStatus == "UPDATE_ROLLBACK_IN_PROGRESS" && e.ByUser()
		}
	}
	return false
}

// operationBegan returns when the latest operation began, or was continued after it had failed: the
// zero time if no row says that.
func operationBegan(s *engine.Stack) time.Time {
	if len(s.Events) == 0 {
		return time.Time{}
	}
	start := operationStart(s)
	for i := start; i < len(s.Events)-1; i++ {
		if e := s.Events[i]; e.OfStack() && e.StackId == s.ID && e.ResourceStatus == "UPDATE_ROLLBACK_FAILED" {
			start = i + 1
		}
	}
	return s.Events[start].Timestamp
}

// operationStart returns the index of the first event of the latest operation.
func operationStart(s *engine.Stack) int {
	for i, e := range slices.Backward(s.Events) {
		if e.ByUser() && !strings.Contains(e.ResourceStatus, "ROLLBACK") {
			return i
		}
	}
	return 0
}

// remains are lines about what exists, or may exist, and is not in the stack any more.
type remains struct {
	lines   []string
	inDoubt bool // the service itself was not asked, and something may exist
}

// leftBehind returns what remains according to the answers, or to list if it is not nil.
// Leftovers that were reported before are only counted, until the stack is deleted.
func leftBehind(s *engine.Stack, from int, reported func(local.Leftover) bool, list *local.Listing) (r remains) {
	// A list is more reliable than the answers.
	leftovers := local.Leftovers(s, from)
	switch {
	case list != nil && list.Err != nil:
		r.lines = append(r.lines, "the leftovers are not known: "+list.Err.Error())
	case list != nil:
		return remains{lines: describeListing(list, leftovers)}
	}

	// Without a list, the answers say what may be left.
	alreadyReported := 0
	for _, l := range leftovers {
		if reported(l) && !s.Deleted() {
			alreadyReported++
			continue
		}
		line := l.String()
		if l.PhysicalID == "" && !l.LetGo {
			line += "; --list 'COMMAND' checks the service"
		}
		r.lines = append(r.lines, line)
		r.inDoubt = r.inDoubt || !l.LetGo
	}
	if alreadyReported > 0 {
		r.lines = append(r.lines, fmt.Sprintf("may exist: %d more, as reported before; cfnlocal describe %s lists all", alreadyReported, s.Name))
		r.inDoubt = true
	}

	// Resources that could not be deleted, or are yet to be deleted, may exist as well.
	for _, u := range local.UnfinishedResources(s) {
		r.lines = append(r.lines, u.Text)
	}
	if len(r.lines) == 0 && s.Status == "DELETE_COMPLETE" {
		r.lines = append(r.lines, "no leftovers are known; --list 'COMMAND' checks the service")
	}
	return r
}

func describeListing(list *local.Listing, leftovers []local.Leftover) (lines []string) {
	for _, id := range list.Unknown {
		if kept, ok := list.Kept[id]; ok {
			lines = append(lines, "kept: "+id+" exists, and no stack has it: it belonged to "+kept.LogicalID+", and "+kept.Why)
			continue
		}
		line := "left behind: " + id + " exists, and no stack has it"
		if i := slices.IndexFunc(leftovers, func(r local.Leftover) bool { return r.PhysicalID == id }); i >= 0 {
			line += ": it belonged to " + leftovers[i].LogicalID + ", and " + leftovers[i].Why
		}
		lines = append(lines, line)
	}
	if len(list.Kept) > 0 && !list.AcceptKept {
		lines = append(lines, "--accept-kept accepts what was kept on purpose")
	}
	switch n := len(list.IDs); {
	case len(lines) > 0:
	case n == 0:
		lines = append(lines, "nothing is left behind: the list is empty")
	default:
		lines = append(lines, fmt.Sprintf("nothing is left behind: a stack has each ID of the list (%d)", n))
	}
	return lines
}

// next returns the next step for a stack whose operation did not succeed, or "". list is nil if the service itself was
// not asked.
func next(s *engine.Stack, list *local.Listing) string {
	if s == nil {
		return ""
	}
	failed := s.Status == "CREATE_FAILED" || s.Status == "UPDATE_FAILED"
	if failed && s.Operation != nil && s.Operation.Express {
		return "correct the template, or take the previous one, and deploy it with --express: there is no rollback"
	}
	switch s.Status {
	case "ROLLBACK_FAILED":
		return "correct the handler and cfnlocal update-code " + s.Name + ", then cfnlocal delete " + s.Name + ": nothing else is possible with a stack whose creation failed"
	case "ROLLBACK_COMPLETE":
		return "cfnlocal delete " + s.Name + ": nothing else is possible with a stack whose creation failed"
	case "UPDATE_ROLLBACK_COMPLETE":
		if cancelled(s) {
			return "deploy again: given the same properties, a handler that finds its resource adopts it"
		}
		if list == nil && len(local.Leftovers(s, latest(s))) > 0 || list != nil && list.Unaccounted() {
			return "the stack's own resources are as they were before the update, but other resources exist, or may exist: look for them in the service, correct what failed, and deploy again"
		}
		return "the stack is as it was before the update: correct what failed, and deploy again"
	case "UPDATE_ROLLBACK_FAILED":
		return "correct what made the rollback fail (a handler: correct it, then cfnlocal update-code " + s.Name + "), then cfnlocal continue-rollback " + s.Name + " [--skip RESOURCE]"
	case "CREATE_FAILED", "UPDATE_FAILED":
		return "cfnlocal rollback " + s.Name + ", or correct the template or the handler and deploy again with --disable-rollback. To roll back with a corrected handler, first cfnlocal update-code " + s.Name
	case "DELETE_FAILED":
		return "correct the handler and cfnlocal update-code " + s.Name + ", then cfnlocal delete " + s.Name + " again, with --retain RESOURCE for what cannot be deleted, or --force"
	}
	return ""
}
