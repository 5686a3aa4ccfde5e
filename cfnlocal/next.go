package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A situation is all that the next step of a stack follows from.
type situation struct {
	stack, status string
	command       string // that was run

	// What happened.
	express     bool        // the deployment mode without rollback
	cancelled   bool        // the user cancelled the update
	serviceDown bool        // the service of --run ended
	cause       local.Cause // what failed for another reason than the handler
	inDoubt     bool        // something exists, or may exist, that no stack has
	failed      []string    // resources that can be retained, or skipped
	skipped     []string    // resources that were not rolled back
	overwritten []string    // resources whose rollback a cancelled Update may have overwritten
	importers   []string    // stacks that use exports of this one
	exportKept  bool        // an update was rolled back since they do
	code        local.Code
	refused     error // why the command was refused, or nil
	unlisted    bool  // --list failed
	left        bool  // --list has found what no stack has
	faultMissed bool  // a fault matched no request
}

// A step is a row of the table of next steps: of a stack in a status, after a command, if something happened. A status or a
// command that is "" is any.
type step struct {
	status, command string
	happened        func(*situation) bool // nil is always
	next            string
}

// steps is the table. The first row that fits counts; without one there is nothing to do.
//
// Of an error before anything was started, explanations has the next step.
//
// Alternatives are separated by semicolons, and a command ends at a punctuation mark, so that it can be copied. In the text
// STACK, CODE, FAILED, SKIPPED, OVERWRITTEN and IMPORTERS are those of the situation. MEND says how to correct what
// failed, and WHAT what is to be corrected before a deployment.
//
// A command that is refused leaves the stack as it is: the rows of its status count for it, too.
var steps = []step{
	// An operation that no process carries out.
	{"_IN_PROGRESS", "", nil, "cfnlocal resume STACK, to continue the operation, as repeating the command does" + orCancel},

	// The command itself was wrong, whatever the status is.
	{"DELETE_COMPLETE", "", func(s *situation) bool { return s.faultMissed }, "the stack is deleted: deploy again, and give a command a fault that matches one of its requests (to see them, cfnlocal requests STACK)"},
	{"", "", func(s *situation) bool { return s.faultMissed }, "write a fault that matches one of the requests (to see them, cfnlocal requests STACK), and give it with another change, since without one no request is sent"},
	{"", "", func(s *situation) bool { return errors.Is(s.refused, engine.ErrNotDeleteFailed) }, "cfnlocal delete STACK, without --force and --retain, which are for a stack whose deletion has failed"},
	{"", "", func(s *situation) bool { return errors.Is(s.refused, engine.ErrTypeChanged) }, "correct the template: give each of these resources another logical ID, and deploy again"},

	// New code is for the operation that failed.
	{"", "update-code", func(s *situation) bool { return !slices.Contains([]string{"", s.stack}, s.code.Stack) }, "cfnlocal update-code CODE, whose functions answer for STACK"},
	{"UPDATE_ROLLBACK_FAILED", "update-code", nil, "cfnlocal continue-rollback STACK"},
	{"ROLLBACK_FAILED", "update-code", nil, "cfnlocal delete STACK"},
	{"DELETE_FAILED", "update-code", nil, "cfnlocal delete STACK"},
	{"_FAILED", "update-code", isExpress, deployExpress},
	{"_FAILED", "update-code", nil, "cfnlocal rollback STACK; or deploy again with --disable-rollback"},

	// Not all is as the template says, and nothing will tell CloudFormation.
	{"_COMPLETE", "", func(s *situation) bool { return len(s.skipped) > 0 }, "the rollback left out SKIPPED, which may differ from the template: correct WHAT, and " + sameAgain},
	{"_COMPLETE", "", func(s *situation) bool { return len(s.overwritten) > 0 }, "the cancelled Update of OVERWRITTEN ended after its rollback had begun, and may have overwritten it: " + sameAgain},

	// Other stacks use its exports.
	{"_COMPLETE", "delete", func(s *situation) bool { return len(s.importers) > 0 }, "first delete the stacks that use its exports, or deploy them without: cfnlocal delete IMPORTERS, then cfnlocal delete STACK"},
	{"UPDATE_ROLLBACK_COMPLETE", "", func(s *situation) bool { return s.exportKept }, "the stack is as it was before the update. Keep the export that other stacks use, and deploy again; or first delete these stacks, cfnlocal delete IMPORTERS, and deploy again"},

	// A creation that failed.
	{"ROLLBACK_FAILED", "", nil, "MEND, then cfnlocal delete STACK: nothing else is possible with a stack whose creation failed"},
	{"ROLLBACK_COMPLETE", "", serviceEnded, "MEND, then cfnlocal delete STACK: nothing else is possible with a stack whose creation failed. Then deploy again"},
	{"ROLLBACK_COMPLETE", "", nil, "cfnlocal delete STACK: nothing else is possible with a stack whose creation failed. Then correct WHAT, and deploy again"},

	// An update that failed.
	{"UPDATE_ROLLBACK_COMPLETE", "", func(s *situation) bool { return s.cancelled && s.inDoubt }, "deploy the change again: given the same properties, a handler that finds its resource adopts it. To see what exists in the service: cfnlocal resume STACK --list 'COMMAND'"},
	{"UPDATE_ROLLBACK_COMPLETE", "", func(s *situation) bool { return s.cancelled }, "the stack is as it was before the update: deploy the change again, if it is still wanted"},
	{"UPDATE_ROLLBACK_COMPLETE", "", func(s *situation) bool { return s.inDoubt }, "the stack's own resources are as they were before the update, but other resources exist, or may exist: look for them in the service, correct WHAT, and deploy again"},
	{"UPDATE_ROLLBACK_COMPLETE", "", nil, "the stack is as it was before the update: correct WHAT, and deploy again"},
	{"UPDATE_ROLLBACK_FAILED", "", nil, "MEND, then cfnlocal continue-rollback STACK; to leave FAILED as it is, cfnlocal continue-rollback STACK --skip FAILED; to delete the stack, cfnlocal delete STACK"},
	{"_FAILED", "", isExpress, "correct WHAT: " + deployExpress},

	// A deletion, or what is not rolled back.
	{"DELETE_FAILED", "", nil, "MEND, then cfnlocal delete STACK; to keep FAILED, cfnlocal delete STACK --retain FAILED; to delete the stack even if it fails, cfnlocal delete STACK --force"},
	{"_FAILED", "", serviceEnded, "MEND, then cfnlocal rollback STACK, or deploy again with --disable-rollback"},
	{"_FAILED", "", nil, "cfnlocal rollback STACK; or MEND, then deploy again with --disable-rollback, or roll back with the corrected handler"},

	// All is as it should be, but for the command.
	{"_COMPLETE", "", func(s *situation) bool { return s.unlisted }, "cfnlocal resume STACK --list 'COMMAND', with a command that works"},
	{"_COMPLETE", "", func(s *situation) bool { return s.left }, "delete in the service what is left behind there, then cfnlocal resume STACK --list 'COMMAND', to see that nothing is"},
	{"_COMPLETE", "deploy", isRefused, "correct what CloudFormation refuses, then deploy"},
	{"_COMPLETE", "", isRefused, "cfnlocal describe STACK, to see the stack"},
}

const (
	orCancel      = "; or cfnlocal cancel STACK, to cancel it" // where CloudFormation takes that
	deployExpress = "deploy again with --express, since there is no rollback"
	sameAgain     = "deploy the same change again, or another one, since an Update is sent only for a change; to keep the former values, deploy them after that"
	theService    = "the service of --run, which has ended"
)

func isRefused(s *situation) bool    { return s.refused != nil }
func isExpress(s *situation) bool    { return s.express }
func serviceEnded(s *situation) bool { return s.serviceDown || s.cause.Silent != "" }

// next returns the next step, or "".
func (s *situation) next() string {
	for _, row := range steps {
		if row.fits(s) {
			return s.fill(row.next)
		}
	}
	return ""
}

// fits reports whether the row is of a situation. A status that begins with _ is the end of one.
func (r *step) fits(s *situation) bool {
	isEnd := strings.HasPrefix(r.status, "_") && strings.HasSuffix(s.status, r.status)
	status := isEnd || slices.Contains([]string{"", s.status}, r.status)
	command := r.command == "" || r.command == s.command
	if fits := status && command; !fits {
		return false
	}
	return r.happened == nil || r.happened(s)
}

// fill replaces the names of the situation in a text.
func (s *situation) fill(text string) string {
	text = offerCancel(text, s.status)
	// Where no program could answer, there is nothing to correct, and the other ways lead out.
	hasCure := s.serviceDown || s.cause != (local.Cause{}) || s.code.Stack != ""
	if without, begins := strings.CutPrefix(text, "MEND, then "); begins && !hasCure {
		text = without
		if _, others, is := strings.Cut(without, "; "); is {
			text = others
		}
	}
	// What is to be corrected. A service that is down explains all that has failed, and a deployment brings the stack's own code.
	what, mend := "what failed", "what failed"
	program, isOwn := s.code.Program, s.code.Stack == s.stack
	switch {
	case s.serviceDown:
		what, mend = theService, theService
	case s.cause.Silent != "":
		mend += " (nothing listens at " + s.cause.Silent + ")"
		what += " (nothing listens at " + s.cause.Silent + ": give the command of the service that does, --run 'COMMAND')"
		text = withService(text)
	case s.cause.NewToken:
		what += " (a resource stays with its function: keep the function's logical ID and name, or give the resource another logical ID, too)"
		mend = what
	case s.code.Lacking && program != "":
		what += " (it has no program: give one with " + flagOf(program) + "=COMMAND)"
		mend += " (it has no program: cfnlocal update-code CODE " + program + "=COMMAND)"
	case program != "":
		mend += " (a handler: correct it, or have another program answer with cfnlocal update-code CODE " + program + "=COMMAND)"
	case s.code.Stack != "":
		mend += " (a handler: correct it, then cfnlocal update-code CODE)"
	}
	canDeploy := isOwn || s.cause.Silent != "" // a service is any command's
	if !canDeploy {
		what = mend
	}
	all := func(before string, names []string, separator string) string {
		return before + strings.Join(names, separator+before)
	}
	text = strings.NewReplacer("MEND", "correct "+mend, "WHAT", what).Replace(text)
	return strings.NewReplacer(
		"STACK", s.stack, "CODE", s.code.Stack,
		"--skip FAILED", all("--skip ", s.failed, " "), "--retain FAILED", all("--retain ", s.failed, " "),
		"cfnlocal delete IMPORTERS", all("cfnlocal delete ", s.importers, ", then "),
		"FAILED", all("", s.failed, " and "), "SKIPPED", all("", s.skipped, " and "),
		"OVERWRITTEN", all("", s.overwritten, " and "),
	).Replace(text)
}

// withService has the first command of a text that sends requests run the service that these need.
func withService(text string) string {
	at := sendsRequests.FindStringIndex(text)
	if at == nil {
		return text
	}
	return text[:at[1]] + " --run 'COMMAND'" + text[at[1]:]
}

var sendsRequests = regexp.MustCompile(`cfnlocal (?:delete|rollback|continue-rollback) STACK`)

// offerCancel leaves the offer to cancel out of a text where CloudFormation would refuse that.
func offerCancel(text, status string) string {
	if local.IsCancellable(status) {
		return text
	}
	return strings.ReplaceAll(text, orCancel, "")
}

// situationOf returns the situation of a stack. list is nil if the service itself was not asked.
func (a *app) situationOf(s *engine.Stack, list *local.Listing) *situation {
	found := &situation{
		stack: s.Name, status: s.Status, command: a.command,
		skipped: local.Skipped(s), overwritten: local.Overwritten(s),
		inDoubt: len(local.Leftovers(s, latest(s))) > 0,
		refused: a.refused,
	}
	if list != nil { // it is more reliable than the answers
		found.inDoubt, found.unlisted = list.Unaccounted(), list.Err != nil
		found.left = found.inDoubt && !found.unlisted
	}
	if o := s.Operation; o != nil {
		found.cancelled = o.Cancelled
		found.express = o.Express && (s.Status == "CREATE_FAILED" || s.Status == "UPDATE_FAILED")
	}
	for _, one := range s.All() {
		for _, r := range one.Resources {
			retain := s.Status == "DELETE_FAILED" && one == s && r.Status == s.Status // only the root's own can be
			skip := s.Status == "UPDATE_ROLLBACK_FAILED" && r.LostBack && r.Type != engine.StackType
			if retain || skip {
				found.failed = append(found.failed, one.PathOf(r.LogicalID))
			}
		}
	}
	if a.opened == nil {
		return found
	}

	// The rest is said by other stacks, and by what is kept beside this one.
	if strings.HasSuffix(s.Status, "_COMPLETE") {
		found.importers, _ = a.opened.Importers(s) // without them, the events say it
		found.exportKept = len(found.importers) > 0 && local.ExportKept(s.Events[operationStart(s):])
	}
	if concernsCode := a.command == "update-code" || !succeeded("", s.Status); !concernsCode {
		return found
	}
	if kept, err := a.opened.Stack(s.Name); err == nil {
		found.code, found.serviceDown = a.opened.CodeOf(kept), kept.ServiceEnded
		found.cause = local.CauseOf(s, operationBegan(s))
	}
	return found
}

// next returns the next step of a stack that no process works on, or "".
func (a *app) next(s *engine.Stack, list *local.Listing) string {
	if s == nil {
		return ""
	}
	isWorking := a.opened != nil && a.opened.Working(s.Name)
	if isWorking && !s.AtRest() {
		return ""
	}
	steps := []string{a.situationOf(s, list).next()}
	if a.command == "update-code" && steps[0] == "" {
		steps = a.nextOfOthers(s)
	}
	return a.withDir(strings.Join(steps, "; "))
}

// nextOfOthers returns the next steps of the stacks that wait for new code of a stack's functions.
func (a *app) nextOfOthers(s *engine.Stack) (steps []string) {
	names, _ := a.opened.StacksFor(s) // what cannot be read says so itself
	for _, name := range names {
		if kept, err := a.opened.Stack(name); err == nil {
			waiting := a.situationOf(kept.Stack, nil)
			waiting.code, waiting.refused = local.Code{}, nil // it has come
			steps = append(steps, waiting.next())
		}
	}
	return steps
}

// flagOf returns the flag that gives a program to a function or a type, without its value.
func flagOf(name string) string {
	flag := "--function "
	if strings.Contains(name, "::") {
		flag = "--type "
	}
	return flag + name
}

// withDir returns a text in which each command names the directory of the stacks, if it is not the default.
func (a *app) withDir(text string) string {
	if a.dir == "" || a.dir == store.DefaultDir {
		return text
	}
	return commandInText.ReplaceAllLiteralString(text, "cfnlocal"+template.Flag("", "--dir", a.dir)+" ")
}

// commandInText matches the beginning of a command.
var commandInText = regexp.MustCompile(`\bcfnlocal \b`)
