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
	before = before.in(s)
	from := min(before.reportedRequests, told(s))
	var err error
	did := succeeded(a.asked(s), s.Status) || a.command == "resume" && before.idle // which only lists
	hasLeftovers := list != nil && list.Unaccounted()
	if hasLeftovers || !did {
		err = &failure{errReported, "", exitFailed}
	}
	if !s.AtRest() { // another process carries out the request
		return a.say("The process that works on stack " + s.Name + " carries this out, and shows the result.")
	}
	if a.json {
		result := a.describeResult(s, list, from)
		result.list(list)
		a.print(map[string]any{"Result": result})
		return err
	}

	// How it ended.
	p, columns := paletteFor(a.out), columns(a.out)
	tell := func(text string) { fmt.Fprintln(a.out, wrap(columns, "  ", "    ", printable.Line(a.withDir(text)))) }
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
	for _, line := range leftBehind(s, from, before.reported, list) {
		tell(line)
	}

	// What to look at and to do next.
	if info, unwritten := os.Stat(log); failures(calls(requests)) > 0 && unwritten == nil && info.Size() > 0 {
		tell("the log of the functions: " + log)
	}
	a.printNext(a.next(s, list))
	return err
}

// printNext prints a next step, unless it is "".
func (a *app) printNext(next string) {
	if next != "" {
		fmt.Fprintln(a.out, wrap(columns(a.out), "Next: ", "  ", next))
	}
}

// asked returns the command that the user gave for the latest operation: resume continues another one.
func (a *app) asked(s *engine.Stack) string {
	isRollback := s.Operation != nil && slices.Contains([]string{"RollbackStack", "ContinueUpdateRollback"}, s.Operation.Kind)
	if a.command == "resume" && isRollback {
		return "rollback"
	}
	return a.command
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

// calls returns the requests that have reached a handler, or may have.
func calls(requests []*engine.Request) []*engine.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(q *engine.Request) bool { return q.Outcome == engine.Uncalled && !q.Interrupted })
}

func describeRequests(requests []*engine.Request) string {
	uncalled, sent := "", len(requests)
	requests = calls(requests)
	if n := sent - len(requests); n > 0 {
		uncalled = fmt.Sprintf(" For %d more, none could be called.", n)
	}
	switch {
	case len(requests) == 0 && uncalled != "":
		return "No handler could be called."
	case len(requests) == 0:
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
	// A request that failed can be followed by one that succeeded, as in a rollback: both are counted.
	failed := failures(requests)
	text := "Handlers were asked for " + strings.Join(parts, ", ")
	if failed == 0 {
		return text + "; all succeeded." + uncalled
	}
	return fmt.Sprintf("%s; %d did not succeed.", text, failed) + uncalled
}

// describeNewCode says why an update that has given functions new code has called no handler.
func describeNewCode(s *engine.Stack, requests []*engine.Request) string {
	began := operationBegan(s)
	isUpdated := func(e engine.Row) bool { // a function, in this operation
		isRecent := !e.Timestamp.Before(began)
		return isRecent && e.ResourceType == "AWS::Lambda::Function" && e.ResourceStatus == "UPDATE_COMPLETE"
	}
	switch {
	case len(requests) > 0, s.Status != "UPDATE_COMPLETE", !slices.ContainsFunc(s.Rows(nil), isUpdated):
		return ""
	}
	return " A function is updated. No property of a custom resource has changed, so CloudFormation sends no Update; to force one, change a property of it, such as one that holds a version."
}

func failures(requests []*engine.Request) (n int) {
	for _, q := range requests {
		if q.Outcome != engine.Succeeded && q.Outcome != engine.Pending {
			n++
		}
	}
	return n
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

// leftBehind returns what remains according to the answers, or to list if it is not nil.
// Leftovers that were reported before are only counted, until the stack is deleted.
func leftBehind(s *engine.Stack, from int, reported func(local.Leftover) bool, list *local.Listing) (lines []string) {
	// A list is more reliable than the answers.
	leftovers := local.Leftovers(s, from)
	switch {
	case list != nil && list.Err != nil:
		lines = append(lines, "the leftovers are not known: "+list.Err.Error())
	case list != nil:
		return describeListing(list, leftovers)
	}

	// Without a list, the answers say what may be left.
	alreadyReported, isUncertain := 0, false
	for _, l := range leftovers {
		if reported(l) && !s.Deleted() {
			alreadyReported++
			continue
		}
		lines = append(lines, l.String())
		isUncertain = isUncertain || !l.IsCertain()
	}
	if alreadyReported > 0 {
		lines = append(lines, fmt.Sprintf("may exist: %d more, as reported before; to list all: cfnlocal describe %s", alreadyReported, s.Name))
	}

	// Resources that could not be deleted, or are yet to be deleted, may exist as well.
	for _, u := range local.UnfinishedResources(s, leftovers) {
		lines = append(lines, u.Text)
	}
	check := "to check the service: cfnlocal resume " + s.Name + " --list 'COMMAND'"
	switch {
	case len(lines) == 0 && s.Status == "DELETE_COMPLETE":
		lines = append(lines, "no leftovers are known; "+check)
	case list == nil && isUncertain:
		lines = append(lines, check)
	}
	return lines
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
