package host

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// How an attempt ends, told apart as Lambda does.
func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		name, event string
		f           Function
		kind        Kind
		payload     string // a part of it
	}{
		{"a response", `{"Do":"it"}`, Function{}, Succeeded, `{"done":"it"}`},
		{"an error is the function's", `{"Do":"error"}`, Function{}, Errored, `"errorMessage":"it is wrong"`},
		{"a panic is reported before the process ends", `{"Do":"panic"}`, Function{}, Errored, `"errorMessage":"no way out"`},
		{"an exit", `{"Do":"exit"}`, Function{}, Crashed, `Runtime exited with error: exit status 7`},
		{"an exit with success", `{"Do":"end"}`, Function{}, Crashed, `Runtime exited without providing a reason`},
		{"the timeout", `{"Do":"hang"}`, Function{Timeout: 50 * time.Millisecond}, TimedOut, `Task timed out after 0.05 seconds`},
		{"an exit before the first event", `{}`, Function{Env: map[string]string{"INIT": "exit"}}, InitFailed, `Runtime exited with error: exit status 3`},
		{"an end before the first event", `{}`, Function{Env: map[string]string{"INIT": "end"}}, InitFailed, `Runtime exited without providing a reason`},
		{"a response that is too large", `{"Do":"large"}`, Function{}, Errored, `Function.ResponseSizeTooLarge`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := start(t, Config{}, test.f)
			r := b.call(test.event)
			if r.Kind != test.kind || !strings.Contains(string(r.Payload), test.payload) {
				t.Errorf("got %s %.300s, want %s %s", r.Kind, r.Payload, test.kind, test.payload)
			}
			if test.kind != Succeeded {
				e := decode[struct{ ErrorType, ErrorMessage string }](t, r.Payload)
				if last := b.events[len(b.events)-1]; last.Kind != test.kind || last.Text != strings.Trim(e.ErrorType+": "+e.ErrorMessage, ": ") || last.PID == 0 {
					t.Errorf("reported %+v", last)
				}
			}
		})
	}
}

// A process that is warm is used again, also after an error, and not after it ended.
func TestWarmProcesses(t *testing.T) {
	b := start(t, Config{}, Function{})
	pid := func() int { return b.events[len(b.events)-1].PID }
	b.call(`{}`)
	first := pid()
	b.call(`{"Do":"error"}`)
	if b.call(`{}`); pid() != first || b.count(Started) != 1 {
		t.Errorf("the third event went to the process %d, want the first, %d", pid(), first)
	}
	b.call(`{"Do":"exit"}`)
	if b.call(`{}`); pid() == first || b.count(Started) != 2 {
		t.Errorf("after the crash the event went to the process %d", pid())
	}
}

// A process that ends after its response was not in the way of the next event: that is no failure.
func TestProcessEndsBetweenEvents(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	b.call(`{"Do":"respond-then-exit"}`)
	v := g.next()
	b.Host.mu.Lock()
	p := b.functions[prefix+"provider"].idle[0]
	b.Host.mu.Unlock()
	v.letGo()
	<-p.exited
	if r := b.call(`{"Do":"it"}`); r.Kind != Succeeded || b.count(Started) != 2 {
		t.Errorf("the next event: %s, %d processes", r.Kind, b.count(Started))
	}
}

// Events at the same time are in processes of their own; one that is free is used again.
func TestConcurrentEvents(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	for range 3 {
		b.invoke(`{"Do":"gate"}`)
	}
	waiting := []guest{g.next(), g.next(), g.next()}
	pids := map[int]bool{waiting[0].pid: true, waiting[1].pid: true, waiting[2].pid: true}
	if len(pids) != 3 {
		t.Errorf("three events at once are in the processes %v", pids)
	}
	for _, v := range waiting {
		v.letGo()
	}
	b.settle()
	b.call(`{}`)
	if b.count(Started) != 3 {
		t.Errorf("%d processes were started, want 3", b.count(Started))
	}
}

// More events than may be processed wait for their turn, and are not throttled.
func TestConcurrencyLimit(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	b.slots = make(chan struct{}, 1)
	const n = 3
	for range n {
		b.invoke(`{"Do":"gate"}`)
	}
	for range n {
		v := g.next()
		b.mu.Lock()
		if running := b.count(Invoked) - b.count(Succeeded); running != 1 {
			t.Errorf("%d events are processed at once", running)
		}
		b.mu.Unlock()
		v.letGo()
	}
	b.settle()
	if b.count(Succeeded) != n || b.count(Throttled) != 0 || b.count(Started) != 1 {
		t.Errorf("%d succeeded, %d throttled, %d processes", b.count(Succeeded), b.count(Throttled), b.count(Started))
	}
}

// A process that is not ready in time is started once more, with the function's
// timeout as the limit.
func TestSlowStart(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: map[string]string{"INIT": "gate", "GATE": g.env()["GATE"]}})
	b.initLimit = 100 * time.Millisecond
	done := make(chan Result, 1)
	go func() { r, _ := b.Call(t.Context(), prefix+"provider", []byte(`{"Do":"it"}`)); done <- r }()
	b.await(func() bool { return b.count(Started) == 2 })
	for {
		v := g.next()
		b.mu.Lock()
		second := v.pid == b.events[1].PID
		b.mu.Unlock()
		if second {
			v.letGo()
			break
		}
	}
	if r := <-done; r.Kind != Succeeded {
		t.Errorf("got %s %s", r.Kind, r.Payload)
	}
	if got := b.events[0].PID; got == b.events[1].PID {
		t.Error("it is the same process")
	}
}

// One that is never ready has timed out.
func TestNeverReady(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Timeout: 50 * time.Millisecond, Env: map[string]string{"INIT": "gate", "GATE": g.env()["GATE"]}})
	b.initLimit = 50 * time.Millisecond
	if r := b.call(`{}`); r.Kind != TimedOut || !strings.Contains(string(r.Payload), "Task timed out") || b.count(Started) != 2 {
		t.Errorf("got %s %s after %d processes", r.Kind, r.Payload, b.count(Started))
	}
}

// A program that cannot be executed is the function's failure.
func TestUnstartable(t *testing.T) {
	b := start(t, Config{}, Function{Command: []string{binary}, Dir: t.TempDir()})
	b.add("provider", Function{Dir: filepath.Join(t.TempDir(), "gone")})
	if r := b.call(`{}`); r.Kind != InitFailed || !strings.Contains(string(r.Payload), "Runtime.InvalidEntrypoint") {
		t.Errorf("got %s %s", r.Kind, r.Payload)
	}
}

// A function that is added again is new: what runs ends in the old process, and what is warm ends.
func TestReplacedFunction(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	b.invoke(`{"Do":"gate"}`)
	old := g.next()
	b.add("provider", Function{Env: map[string]string{"NEW": "yes"}})
	env := decode[[]string](t, b.call(`{"Do":"env"}`).Payload)
	if !slices.Contains(env, "NEW=yes") {
		t.Error("the new event went to the old function")
	}
	old.letGo()
	b.settle()
	old.awaitEnd()
	if b.count(Succeeded) != 2 {
		t.Error("the old process did not end what it had")
	}
}

// Who calls synchronously can give up, or the host can: the process ends, and
// that is no outcome of the function's.
func TestCallIsCancelled(t *testing.T) {
	for _, who := range []string{"the caller", "the host"} {
		t.Run(who, func(t *testing.T) {
			g := newGate(t)
			b := start(t, Config{}, Function{Env: g.env()})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error)
			go func() { _, err := b.Call(ctx, prefix+"provider", []byte(`{"Do":"gate"}`)); done <- err }()
			v := g.next()
			if who == "the caller" {
				cancel()
			} else {
				go b.Close()
			}
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("Call: %v", err)
			}
			v.awaitEnd()
		})
	}
}
