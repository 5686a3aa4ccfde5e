package host

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/load"
)

// TestTimeoutOnABusyMachine: a function that the machine is slow to serve is given the
// time that it would have had, is told so, and is not taken for one that hangs. It is
// let go when its timeout has passed for certain.
func TestTimeoutOnABusyMachine(t *testing.T) {
	const timeout = time.Millisecond
	g := newGate(t)
	b := start(t, Config{}, Function{Timeout: timeout, Env: g.env()})
	b.load = func() int { return 1_000_000 }
	id := b.invoke(`{"Do":"gate"}`)
	v := g.next()
	<-time.After(2 * timeout) // it has taken longer by now
	v.letGo()
	b.settle()
	if got := b.story(id); strings.Contains(got, string(TimedOut)) {
		t.Fatalf("its story is %s", got)
	}
	if last := b.events[len(b.events)-1]; last.Kind != Succeeded || last.Overtime <= 0 {
		t.Errorf("it ended with %+v", last)
	}
}

// TestTimeoutIsExtended: a machine that becomes busy while a function works counts too.
func TestTimeoutIsExtended(t *testing.T) {
	var asked atomic.Int64
	b := start(t, Config{}, Function{Timeout: time.Millisecond})
	b.load = func() int { return min(int(asked.Add(1)), load.Max) }
	r := b.call(`{"Do":"hang"}`)
	if r.Kind != TimedOut || !strings.Contains(string(r.Payload), "Task timed out after 0.00 seconds") || asked.Load() <= load.Max {
		t.Errorf("%s %s, and the load was asked for %d times", r.Kind, r.Payload, asked.Load())
	}
}
