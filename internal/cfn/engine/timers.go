package engine

import (
	"slices"
	"time"
)

// timers are the times at which something may be due, the first one first.
type timers []timer

type timer struct {
	at      time.Time
	request *Request // whose answer is waited for until then, or nil
}

func (t *timers) add(at time.Time, r *Request) {
	if at.IsZero() {
		return
	}
	i := len(*t)
	for i > 0 && (*t)[i-1].at.After(at) { // most are later than all others
		i--
	}
	*t = slices.Insert(*t, i, timer{at, r})
}

// first returns the first time at which something is still waited for.
func (t *timers) first() (at time.Time, ok bool) {
	for len(*t) > 0 {
		if next := (*t)[0]; next.request == nil || next.request.Outcome == Pending {
			return next.at, true
		}
		*t = (*t)[1:]
	}
	return at, false
}

// due removes the timers that are due and reports whether there were any.
func (t *timers) due(now time.Time) bool {
	n := len(*t)
	for len(*t) > 0 && !(*t)[0].at.After(now) {
		*t = (*t)[1:]
	}
	return len(*t) < n
}
