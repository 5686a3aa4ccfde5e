package simulate

import (
	"fmt"
	"strings"
)

// A Violation is something that no handler may do, not even when it fails.
type Violation struct {
	Text    string
	TooSoon bool // a request succeeded before what it waits for was ready
}

// violate records a violation. The caller holds the lock.
func (s *Stack) violate(format string, args ...any) {
	s.addViolation(Violation{Text: fmt.Sprintf(format, args...)})
}

func (s *Stack) addViolation(v Violation) {
	s.violations = append(s.violations, v)
	s.logfLocked("  WRONG: %s", strings.ReplaceAll(v.Text, "\n", "; "))
}

// TakeViolations returns the violations since it was last called.
func (s *Stack) TakeViolations() (taken []Violation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken, s.violations = s.violations, nil
	return taken
}
