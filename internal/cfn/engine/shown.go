package engine

import (
	"errors"
	"slices"
	"time"
)

// ErrNotShown is returned by Shown under [Options].StatusRefused.
var ErrNotShown = errors.New("engine: the stack's options have DescribeStacks refused")

// A shownStack is a stack as it was from a time on.
type shownStack struct {
	since time.Time
	stack *Stack
}

// Shown calls look with the stack as DescribeStacks and DescribeStackResource show it.
// Look must neither change nor keep it.
func (l *Live) Shown(look func(*Stack)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &l.machine.stack.Options
	if o.StatusRefused {
		return ErrNotShown
	}
	stack := l.machine.stack
	if o.StatusLag > 0 && len(l.past) > 0 {
		l.forget()
		stack = l.past[0].stack
	}
	if o.ShowsLeaving && len(stack.Leaving) > 0 {
		stack = stack.showingLeaving()
	}
	look(stack)
	return nil
}

// remember keeps the stack for as long as it is shown.
func (l *Live) remember(since time.Time) {
	if l.machine.stack.Options.StatusLag > 0 {
		l.forget()
		l.past = append(l.past, shownStack{since, l.machine.stack.snapshotTree()})
	}
}

// forget drops what is no longer shown, so that the first is what is shown now.
func (l *Live) forget() {
	shown := l.now().Add(-l.machine.stack.Options.StatusLag)
	for len(l.past) > 1 && !l.past[1].since.After(shown) {
		l.past = l.past[1:]
	}
}

// showingLeaving returns a copy that has what is deleted in the place of what has replaced it.
func (s *Stack) showingLeaving() *Stack {
	shown := *s
	shown.Resources = slices.Clone(s.Resources)
	for i, r := range shown.Resources {
		if at := slices.IndexFunc(s.Leaving, func(l *StackResource) bool { return l.LogicalID == r.LogicalID }); at >= 0 {
			shown.Resources[i] = s.Leaving[at]
		}
	}
	return &shown
}

// snapshotTree is Snapshot with the nested stacks.
func (s *Stack) snapshotTree() *Stack {
	shot := s.Snapshot()
	for _, n := range s.Nested {
		shot.Nested = append(shot.Nested, n.snapshotTree())
	}
	return shot
}
