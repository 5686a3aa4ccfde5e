package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A ruleError is the error of a check that fails.
type ruleError struct {
	seen  string // what is wrong
	story string // the events that led there
	log   string // the end of the log
	other string // another possible cause than the handler
	code  string // what helps if an error has no code
	harm  string // what CloudFormation would have done, in place of the check's
	helps string // what helps, of a history
	again string // the history that Replay plays again, or ""
}

func (e *ruleError) Error() string { return e.seen }

// helped returns an error with a line that says what helps, in place of the check's advice, if it is a ruleError.
func helped(err error, advice string) error {
	if found, ok := errors.AsType[*ruleError](err); ok {
		found.helps = whatHelps(advice)
	}
	return err
}

// failf returns a ruleError with the story so far.
func (r *run) failf(format string, args ...any) error {
	if r.err != nil {
		return r.err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	story := r.stack.Story()
	if len(r.lines) > 0 {
		story = strings.Join(r.lines, "\n")
	}
	stopped := r.stopped
	if stopped.Method == "" {
		stopped = lastStopped(r.stack.Requests())
	}
	return &ruleError{seen: fmt.Sprintf(format, args...), story: story, log: r.log.Last(r), other: stopped.Text(r.timeout()), code: uncodedHint(r.calls())}
}

// An unjudgedError is the error of a check that could not create the resource that it needs.
type unjudgedError string

func (e unjudgedError) Error() string { return string(e) }

// A contractError says that the Contract does not do as it should.
type contractError string

func (e contractError) Error() string { return string(e) }

// A missingError is the error of a check for which the Contract lacks something. It says
// what to add.
type missingError string

func (e missingError) Error() string { return string(e) }

// logf adds a line to the story of the events delivered by hand.
func (r *run) logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// eventText is the first line about an event.
func eventText(req answercheck.Request) string {
	line := req.RequestType
	if req.PhysicalResourceID != "" {
		line += " of " + req.PhysicalResourceID
	}
	return line
}

// report returns the text of a failure.
func (k *check) report(err error) string {
	if errors.As(err, new(contractError)) {
		return fmt.Sprintf("%v. The handler was not judged.", err)
	}
	found, ok := errors.AsType[*ruleError](err)
	if !ok {
		found = new(ruleError)
	}
	head, helps := fmt.Sprintf("%s\n%v.", k.rule, err), found.helps
	switch {
	case found.other != "": // the handler may be right
		head, helps = head+"\n"+found.other+".", whatHelps(found.code)
	case found.again == "":
		helps = cmp.Or(helps, whatHelps(found.code, advice[k.name]))
	}
	return tell(head, cmp.Or(found.harm, k.harm), found.story, helps, found.again)
}

// tell returns the text of a failure. helps is from whatHelps, and line is what Replay plays; any of them may be "".
func tell(head, consequence, story, helps, line string) string {
	text := head + "\nCloudFormation would have " + consequence
	if story != "" {
		text += "\n\nWhat happened:\n" + strings.TrimRight(story, "\n") + "\n"
	}
	text += helps
	if line != "" {
		text += fmt.Sprintf("\nTo play it again: cfntest.Replay(t, contract, %q)", line)
	}
	return text
}

// A task is a request to be played.
type task struct {
	request  string
	from, to any // properties; nil if there is no resource
	replaces bool
}

func (s *suite) creates() task { return task{request: "Create", to: s.Properties} }
func (s *suite) updates() task { return task{request: "Update", from: s.Properties, to: s.InPlace} }
func (s *suite) replaces() task {
	return task{request: "Update", from: s.Properties, to: s.Replacing, replaces: true}
}
func (s *suite) deletes() task { return task{request: "Delete", from: s.Properties} }

// tasks are all for which the Contract has properties.
func (s *suite) tasks() []task {
	return slices.DeleteFunc([]task{s.creates(), s.updates(), s.replaces(), s.deletes()}, func(t task) bool {
		return t.to == nil && t.request != "Delete"
	})
}

// play plays a task in a new run. spoil is called before its request; nil leaves all
// well.
func (s *suite) play(t task, spoil func(r *run)) *run {
	r := s.newRun()
	if t.from != nil {
		r.mustDeploy(t.from)
	}
	if spoil != nil {
		spoil(r)
	}
	if t.to != nil {
		r.deploy(t.to)
	} else {
		r.destroy()
	}
	return r
}

// failures returns a fault of a kind at each step.
func failures(kind fault.Kind, steps int) (faults []fault.Fault) {
	for step := range steps {
		faults = append(faults, fault.Fault{Kind: kind, Step: step + 1})
	}
	return faults
}

// maxSteps bounds the number of steps of one method at which a check tries faults.
const maxSteps = 30

// stepsOf plays a task, and returns how often the handler calls Step in it.
func (s *suite) stepsOf(t task) (int, error) {
	key := fmt.Sprint("steps ", t.request, simulate.Properties(t.from), simulate.Properties(t.to))
	if steps, ok := s.prior.seen[key].(int); ok {
		return steps, nil
	}
	r := s.play(t, nil)
	steps := 0
	for _, d := range r.deliveries(t.request) {
		steps = max(steps, d.Steps)
	}
	steps = min(steps, maxSteps)
	if r.err == nil {
		s.prior.seen[key] = steps
	}
	return steps, r.err
}
