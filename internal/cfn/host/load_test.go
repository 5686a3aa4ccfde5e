package host

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestLoadOf: what can run shares the CPUs; less than one for each makes nothing
// faster, and what is not understood nothing slower.
func TestLoadOf(t *testing.T) {
	for text, want := range map[string]int{
		"0.50 0.40 0.30 1/250 4711\n":   1,
		"2.00 0.40 0.30 2/250 4711\n":   1,
		"9.00 0.40 0.30 3/250 4711\n":   2,
		"27.8 20.0 14.6 9/258 5255\n":   5,
		"99.8 20.0 14.6 800/900 5255\n": maxLoad,
		"":                              1, "0 0 0": 1, "0 0 0 many/250 1": 1,
	} {
		if got := loadOf([]byte(text), 2); got != want {
			t.Errorf("%q on two CPUs: %d, want %d", text, got, want)
		}
	}
}

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
	b.load = func() int { return min(int(asked.Add(1)), maxLoad) }
	r := b.call(`{"Do":"hang"}`)
	if r.Kind != TimedOut || !strings.Contains(string(r.Payload), "Task timed out after 0.00 seconds") || asked.Load() <= maxLoad {
		t.Errorf("%s %s, and the load was asked for %d times", r.Kind, r.Payload, asked.Load())
	}
}
