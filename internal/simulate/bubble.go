package simulate

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// errBlocked is the error of a bubble that ended with blocked goroutines.
var errBlocked = errors.New("goroutines of the handler are blocked for ever")

// bubbleLimit is for how long, in real time, nothing may happen in a bubble. A machine that
// is busy makes a bubble slow, and something happens all the same.
const bubbleLimit = 30 * time.Second

// happened counts what happens, in all bubbles.
var happened atomic.Int64

// Bubble runs play in a synctest bubble. It returns an error if goroutines are
// blocked at the end, where synctest.Test would panic. They are never collected.
func Bubble(t *testing.T, play func(t *testing.T)) (err error) {
	t.Helper()
	defer whenStill(bubbleLimit, func() {
		debug.SetTraceback("all") // to show where the handler is
		panic(fmt.Sprintf("cfntest: nothing has happened in %s for %v, in which virtual time has stood still: the handler does real I/O "+
			"(set RealTime), waits for a lock, or loops", t.Name(), bubbleLimit))
	})()
	defer func() {
		if r := recover(); r != nil {
			if !strings.Contains(fmt.Sprint(r), "blocked") {
				panic(r)
			}
			err = errBlocked
		}
	}()
	synctest.Test(t, play)
	return nil
}

// whenStill calls act when nothing has happened for a while, unless it is stopped before.
func whenStill(limit time.Duration, act func()) (stop func()) {
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(limit)
		defer tick.Stop()
		for before := happened.Load(); ; {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			now := happened.Load()
			if now == before {
				act()
			}
			before = now
		}
	}()
	return func() { close(ended) }
}

// InBubble reports whether the calling goroutine is in a bubble.
func InBubble() (in bool) {
	defer func() {
		if r := recover(); r != nil { // it is not, or another goroutine waits
			in = !strings.Contains(fmt.Sprint(r), "not in a bubble")
		}
	}()
	synctest.Wait()
	return true
}
