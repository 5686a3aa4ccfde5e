package play

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/internal/answercheck"
)

// A ruleError is the error of a check that fails.
type ruleError struct {
	seen  string // what is wrong
	story string // the events that led there
	log   string // the end of the log
	other string // another possible cause than the handler
	code  string // what helps if an error has no code
	cure  string // what helps, in place of what helps most who fail the check
	harm  string // what CloudFormation would have done, in place of the check's
}

func (e *ruleError) Error() string { return e.seen }

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
func eventText(req answercheck.Request, event, payload []byte) string {
	line := req.RequestType
	if req.PhysicalResourceID != "" {
		line += " of " + req.PhysicalResourceID
	}
	if len(payload) != len(event) {
		line += ": Lambda sends a record of it to the on-failure destination"
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
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%v.\n", k.rule, err)
	if found.other != "" {
		fmt.Fprintf(&b, "%s.\n", found.other)
	}
	if found.story != "" {
		fmt.Fprintf(&b, "What happened:\n%s\n", strings.TrimRight(found.story, "\n"))
	}
	fmt.Fprintf(&b, "CloudFormation would have %s", cmp.Or(found.harm, k.harm))
	cure := cmp.Or(found.cure, advice[k.name])
	if found.other != "" {
		cure = "" // the handler may be right
	}
	b.WriteString(whatHelps(found.code, cure))
	return b.String()
}

// instead has a failure say, of this case of a check, what CloudFormation would have done,
// and what helps.
func instead(err error, harm, cure string) error {
	if found, ok := errors.AsType[*ruleError](err); ok {
		found.harm, found.cure = harm, cure
	}
	return err
}
