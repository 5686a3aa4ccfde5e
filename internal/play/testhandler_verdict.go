package play

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/internal/judge"
)

// A broken is the error of a check whose rule does not hold.
type broken struct {
	seen  string // what is wrong
	story string // the events that led there
	log   string // the end of what was logged meanwhile
	hint  string // what may be the cause, if not the handler
}

func (b *broken) Error() string { return b.seen }

// wrong returns the error that tells what is wrong, with the story so far.
func (p *play) wrong(format string, args ...any) error {
	if p.err != nil {
		return p.err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	story := p.player.Tale()
	if len(p.told) > 0 {
		story = strings.Join(p.told, "\n")
	}
	return &broken{fmt.Sprintf(format, args...), story, p.log.end(p), p.player.hurry.hint(p.timeout())}
}

// An unjudgedError is the error of a check that could not even make the resource
// that it asks about.
type unjudgedError struct{ why string }

func (e unjudgedError) Error() string { return e.why }

// A lackingError is the error of a check that needs what is not there. It says
// what to add.
type lackingError struct{ what string }

func (e lackingError) Error() string { return e.what }

func lacking(what string) error { return lackingError{what} }

// tell adds a line to the story of the events delivered by hand.
func (p *play) tell(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, fmt.Sprintf(format, args...))
}

// opening is the first line about an event.
func opening(req judge.Request, event, payload []byte) string {
	line := req.RequestType
	if req.PhysicalResourceID != "" {
		line += " of " + req.PhysicalResourceID
	}
	if len(payload) != len(event) {
		line += ": the on-failure destination gets the record of it"
	}
	return line
}

// short is a state as a text that fits a line.
func short(state any) string {
	const longest = 500
	text := fmt.Sprintf("%+v", state)
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return text
}

// hinted reports whether the cause may not be the handler.
func hinted(err error) bool {
	b, ok := errors.AsType[*broken](err)
	return ok && b.hint != ""
}

// report returns the text of a failure.
func (k *check) report(err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%v.\n", k.rule, err)
	if found, ok := err.(*broken); ok && found.story != "" {
		if found.hint != "" {
			fmt.Fprintf(&b, "%s.\n", found.hint)
		}
		fmt.Fprintf(&b, "What happened:\n%s\n", strings.TrimRight(found.story, "\n"))
	}
	fmt.Fprintf(&b, "CloudFormation would have %s", k.harm)
	if cure := cures[k.name]; cure != "" && !hinted(err) {
		fmt.Fprintf(&b, "\nWhat helps: %s.", cure)
	}
	return b.String()
}
