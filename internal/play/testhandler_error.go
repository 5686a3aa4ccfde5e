package play

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/internal/judge"
)

// A ruleError is the error of a check that fails.
type ruleError struct {
	seen  string // what is wrong
	story string // the events that led there
	log   string // the end of the log
	hint  string // another possible cause than the handler
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
	if stopped.method == "" {
		stopped = stoppedDelete(r.stack.Requests())
	}
	return &ruleError{seen: fmt.Sprintf(format, args...), story: story, log: r.log.Last(r), hint: stopped.hint(r.timeout())}
}

// An unjudgedError is the error of a check that could not create the resource that it
// needs.
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
func eventText(req judge.Request, event, payload []byte) string {
	line := req.RequestType
	if req.PhysicalResourceID != "" {
		line += " of " + req.PhysicalResourceID
	}
	if len(payload) != len(event) {
		line += ": the on-failure destination gets the record of it"
	}
	return line
}

// shorten formats a state so that it fits a line.
func shorten(state any) string {
	const longest = 500
	text := fmt.Sprintf("%+v", state)
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return text
}

// hasHint reports whether the error names another possible cause than the handler.
func hasHint(err error) bool {
	b, ok := errors.AsType[*ruleError](err)
	return ok && b.hint != ""
}

// report returns the text of a failure.
func (k *check) report(err error) string {
	if errors.As(err, new(contractError)) {
		return fmt.Sprintf("%v. The handler was not judged.", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%v.\n", k.rule, err)
	if found, ok := err.(*ruleError); ok && found.story != "" {
		if found.hint != "" {
			fmt.Fprintf(&b, "%s.\n", found.hint)
		}
		fmt.Fprintf(&b, "What happened:\n%s\n", strings.TrimRight(found.story, "\n"))
	}
	fmt.Fprintf(&b, "CloudFormation would have %s", k.harm)
	if cure := advice[k.name]; cure != "" && !hasHint(err) {
		fmt.Fprintf(&b, "\nWhat helps: %s.", cure)
	}
	return b.String()
}
