package engine

import (
	"container/heap"
	"time"
)

// timers are the times at which something may be due, the first one first.
type timers []timer

type timer struct {
	at      time.Time
	request *Request // whose answer is waited for until then, or nil
}

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].at.Before(t[j].at) }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *timers) Push(x any)        { *t = append(*t, x.(timer)) }
func (t *timers) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

func (t *timers) add(at time.Time, r *Request) {
	if !at.IsZero() {
		heap.Push(t, timer{at, r})
	}
}

// first returns the first time at which something is still waited for.
func (t *timers) first() (at time.Time, ok bool) {
	for len(*t) > 0 {
		if next := (*t)[0]; next.request == nil || next.request.Outcome == Pending {
			return next.at, true
		}
		heap.Pop(t)
	}
	return at, false
}

// due removes the timers that are due and reports whether there were any.
func (t *timers) due(now time.Time) bool {
	n := len(*t)
	for len(*t) > 0 && !(*t)[0].at.After(now) {
		heap.Pop(t)
	}
	return len(*t) < n
}
