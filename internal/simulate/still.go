package simulate

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// happened counts the events of all bubbles.
var happened atomic.Int64

// Happens counts what happens in a bubble outside of this package, such as a look at the service: a busy machine can take
// long for a thousand of them.
func Happens() { happened.Add(1) }

const (
	// stillLimit is how long, in real time, a bubble may show no activity. A busy machine
	// slows a bubble down, but something still happens in it.
	stillLimit = 30 * time.Second
	// socketLimit is that of a bubble in which a goroutine waits for a socket, which virtual time cannot do.
	socketLimit = 4 * time.Second
)

// watchStill ends the test's process if virtual time stands still in a bubble, which would hang until the go command's own
// limit of ten minutes.
func watchStill(test string) (stop func()) {
	return whenStill(socketLimit, func(still time.Duration) {
		stacks := heldUp()
		sockets := filter(stacks, func(stack string) bool {
			return strings.Contains(stack, "[IO wait") && strings.Contains(stack, "\nnet.(*")
		})
		switch {
		case len(sockets) > 0:
			end(sockets, test+": the handler or its service uses a socket, such as that of an httptest.Server, for which virtual time cannot wait. "+
				"Have the client call the service in this process: with an http.RoundTripper that calls the service's ServeHTTP, in cfntest.Steps "+
				"(docs/testing.md#a-service-with-a-web-api). If there has to be a socket, set RealTime.")
		case still >= stillLimit:
			end(stacks, fmt.Sprintf("%s: nothing has happened for %v, and virtual time stands still: what is shown above waits for a lock, does real I/O, or loops. "+
				"Have it end with its context. If it has to do real I/O, set RealTime.", test, stillLimit))
		}
	})
}

// whenStill calls act in each interval in which nothing has happened, with how long that has been so, until it is stopped.
func whenStill(interval time.Duration, act func(still time.Duration)) (stop func()) {
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		before, still := happened.Load(), time.Duration(0)
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			// Whatever happens starts the count anew.
			if now := happened.Load(); now != before {
				before, still = now, 0
				continue
			}
			still += interval
			act(still)
		}
	}()
	return func() { close(ended) }
}

// heldUp returns the stacks of the goroutines in bubbles that keep virtual time from passing.
func heldUp() []string {
	text := make([]byte, 4<<20) // what is longer is cut off
	text = text[:runtime.Stack(text, true)]
	return filter(strings.Split(string(text), "\n\n"), func(stack string) bool {
		state, _, _ := strings.Cut(stack, "\n")
		return strings.Contains(state, "synctest bubble") && !strings.Contains(state, "(durable)")
	})
}

func filter(stacks []string, keep func(stack string) bool) (kept []string) {
	for _, stack := range stacks {
		if keep(stack) {
			kept = append(kept, stack)
		}
	}
	return kept
}

// stderr is the process's own, which is not captured.
var stderr = os.Stderr

// end ends the test's process. Its last words are why.
func end(stacks []string, why string) {
	const most = 3
	fmt.Fprintf(stderr, "%s\n\ncfntest: %s\n", strings.Join(stacks[:min(len(stacks), most)], "\n\n"), why)
	os.Exit(2) //nolint:forbidigo // it is a test, which nothing else would end: it ends as by a panic
}
