package simulate

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// errBlocked is the error of a bubble that ended with blocked goroutines.
var errBlocked = errors.New("goroutines of the handler are blocked for ever")

// bubbleLimit is how long a bubble may last in real time. It usually takes
// milliseconds.
const bubbleLimit = 30 * time.Second

// Bubble runs play in a synctest bubble. It returns an error if goroutines are
// blocked at the end, where synctest.Test would panic. They are never collected.
func Bubble(t *testing.T, play func(t *testing.T)) (err error) {
	t.Helper()
	watch := time.AfterFunc(bubbleLimit, func() {
		debug.SetTraceback("all") // to show where the handler is
		panic(fmt.Sprintf("cfntest: %s has taken %v, in which virtual time has stood still: the handler does real I/O "+
			"(set RealTime), waits for a lock, or loops", t.Name(), bubbleLimit))
	})
	defer watch.Stop()
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
