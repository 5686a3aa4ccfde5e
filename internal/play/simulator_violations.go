package play

import (
	"fmt"
	"strings"
)

// A Violation is something that no handler may do, not even when it fails.
type Violation struct {
	Kind violationKind
	Text string
}

type violationKind string

const (
	unanswered    violationKind = "not answered"
	answeredTwice violationKind = "answered twice"
	malformed     violationKind = "an answer that is not accepted"
	returnedError violationKind = "an error returned to Lambda"
	hidError      violationKind = "an undelivered answer not given back to Lambda"
	panicked      violationKind = "a panic out of Invoke"
	tooSoon       violationKind = "an answer before it was ready"
	overran       violationKind = "an invocation that ran out of time"
)

// violate records a violation. The caller holds the lock.
func (p *Simulator) violate(kind violationKind, format string, args ...any) {
	v := Violation{kind, fmt.Sprintf(format, args...)}
	p.violations = append(p.violations, v)
	p.logfLocked("  WRONG: %s", strings.ReplaceAll(v.Text, "\n", "; "))
}

// TakeViolations returns the violations since it was last called.
func (p *Simulator) TakeViolations() (taken []Violation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken, p.violations = p.violations, nil
	return taken
}
