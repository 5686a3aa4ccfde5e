package host

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A runtime that does what it should not, and bodies that are no JSON.
func TestRuntimeAPI(t *testing.T) {
	p := &process{host: &Host{load: func() int { return 1 }}, work: make(chan *invocation)}
	server := httptest.NewServer(p.runtimeAPI())
	defer server.Close()
	send := func(method, path, body string) (int, string) {
		t.Helper()
		r := send(t, method, server.URL+"/2018-06-01/runtime/"+path, body)
		return r.StatusCode, r.text
	}
	// One invocation at a time, and one answer to each.
	for _, test := range []struct {
		name, id, path, body string
		status               int
		kind                 Kind
		payload              string
	}{
		{"a response", "1", "invocation/1/response", `{"a":1}`, 202, Succeeded, `{"a":1}`},
		{"a response that is no JSON", "2", "invocation/2/response", `plain`, 202, Succeeded, `"plain"`},
		{"a response of nothing", "3", "invocation/3/response", ``, 202, Succeeded, `null`},
		{"an error", "4", "invocation/4/error", `{"errorType":"E"}`, 202, Errored, `{"errorType":"E"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			inv := &invocation{id: test.id, arn: "arn", payload: []byte(`{"n":1}`), timeout: time.Minute,
				invoked: func(*process) {}, taken: make(chan struct{}), done: make(chan outcome, 1)}
			go func() { p.work <- inv }()
			if status, body := send("GET", "invocation/next", ""); status != 200 || body != `{"n":1}` {
				t.Fatalf("next gives %d %s", status, body)
			}
			if status, body := send("GET", "invocation/next", ""); status != 403 || !strings.Contains(body, "InvalidStateTransition") {
				t.Errorf("another one before the answer gives %d %s", status, body)
			}
			if status, body := send("POST", "invocation/other/response", "{}"); status != 400 || !strings.Contains(body, "InvalidRequestID") {
				t.Errorf("the answer to another one gives %d %s", status, body)
			}
			if status, body := send("POST", test.path, test.body); status != test.status {
				t.Fatalf("the answer gives %d %s", status, body)
			}
			if got := <-inv.done; got.kind != test.kind || string(got.payload) != test.payload {
				t.Errorf("the outcome is %s %s", got.kind, got.payload)
			}
			if status, _ := send("POST", test.path, test.body); status != 400 {
				t.Errorf("a second answer gives %d", status)
			}
		})
	}
	// What is of no invocation.
	if status, _ := send("POST", "init/error", `{"errorType":"E"}`); status != 202 || string(p.initErr) != `{"errorType":"E"}` {
		t.Errorf("an init error gives %d, kept is %s", status, p.initErr)
	}
	if status, _ := send("GET", "invocation/else", ""); status != 404 {
		t.Errorf("an unknown path gives %d", status)
	}
}

// What is said of an error is short and never a payload of another form.
func TestOutcomeText(t *testing.T) {
	for _, test := range []struct{ payload, want string }{
		{`{"errorType":"E","errorMessage":"m"}`, "E: m"},
		{`{"errorMessage":"m"}`, "m"},
		{`{}`, ""},
		{`"text"`, "an error that is not in a runtime's form"},
		{`{"errorMessage":"` + strings.Repeat("ä", 600) + `"}`, strings.Repeat("ä", 500) + "…"},
	} {
		if got := (outcome{kind: Errored, payload: []byte(test.payload)}).text(); got != test.want {
			t.Errorf("%.50s: %q, want %q", test.payload, got, test.want)
		}
	}
}

// A runtime that says why it cannot start is quoted.
func TestInitError(t *testing.T) {
	p := &process{exited: make(chan struct{}), initErr: []byte(`{"errorType":"Runtime.ImportModuleError","errorMessage":"no index.js"}`)}
	close(p.exited)
	if o := p.initFailure(&invocation{id: "1"}); o.kind != InitFailed || o.text() != "Runtime.ImportModuleError: no index.js" {
		t.Errorf("the outcome is %s %s", o.kind, o.payload)
	}
}

// Runtimes send what X-Ray is told of an error as a header of up to 1 MiB.
func TestLongCauseOfAnError(t *testing.T) {
	b := start(t, Config{}, Function{})
	r := send(t, http.MethodPost, endpoint(b)+"/2018-06-01/runtime/init/error", "{}", "Lambda-Runtime-Function-Xray-Error-Cause", strings.Repeat("x", 1<<20-1))
	if r.StatusCode != http.StatusAccepted {
		t.Error(r.Status)
	}
}

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

// While a process does not ask for an event, that is reported, once for its function.
func TestNotReadyIsReportedOnce(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: map[string]string{"INIT": "gate", "GATE": g.env()["GATE"]}})
	b.slowStart = time.Millisecond
	first := b.invoke(`{"Do":"it"}`, DieBefore)
	b.await(func() bool { return b.count(NotReady) > 0 })
	g.next().letGo()
	b.settle()
	second := b.invoke(`{"Do":"it"}`)
	g.next().letGo() // it takes as long
	b.settle()
	if got, want := b.story(first)+", "+b.story(second), "Started NotReady Invoked Crashed Dropped, Started Invoked Succeeded"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, e := range b.events {
		if e.Kind == NotReady && (e.Text != binary || e.PID == 0) {
			t.Errorf("the program is not named: %+v", e)
		}
	}
}

// One that is never ready has timed out. It is waited for in two attempts, and less long in the second:
// the rest of the time, and that of the attempts after it, is the clock's. A function that takes its place is waited for again.
func TestNeverReady(t *testing.T) {
	g := newGate(t)
	never := Function{Timeout: 50 * time.Millisecond, MaximumRetryAttempts: 2, Env: map[string]string{"INIT": "gate", "GATE": g.env()["GATE"]}}
	b := start(t, Config{}, never)
	b.initLimit = 50 * time.Millisecond
	id := b.invoke(`{}`)
	b.settle()
	if got, want := b.story(id), "Started Started TimedOut Retrying Started TimedOut Retrying TimedOut Dropped"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := []time.Duration{time.Minute, 50 * time.Millisecond, 2 * time.Minute, 100 * time.Millisecond}; !slices.Equal(b.clock.waits, want) {
		t.Errorf("the waits are %v, want %v", b.clock.waits, want)
	}
	b.add("provider", never)
	if r := b.call(`{}`); r.Kind != TimedOut || !strings.Contains(string(r.Payload), "Task timed out after 0.05 seconds") || b.count(Started) != 5 {
		t.Errorf("got %s %s after %d processes", r.Kind, r.Payload, b.count(Started))
	}
	b.add("provider", Function{})
	if r := b.call(`{}`); r.Kind != Succeeded {
		t.Errorf("the corrected function: %s %s", r.Kind, r.Payload)
	}
}

// One whose start leaves something to the next is ready in the second attempt.
func TestReadyInTheSecondAttempt(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Timeout: 50 * time.Millisecond, MaximumRetryAttempts: 2, Env: map[string]string{"INIT": "gate", "GATE": g.env()["GATE"]}})
	b.initLimit = 50 * time.Millisecond
	if r := b.call(`{}`); r.Kind != TimedOut {
		t.Errorf("got %s", r.Kind)
	}
	b.initLimit = time.Minute
	go func() {
		for range 3 {
			g.next().letGo()
		}
	}()
	if r := b.call(`{}`); r.Kind != Succeeded {
		t.Errorf("got %s %s", r.Kind, r.Payload)
	}
}

// One that was ready before is waited for again: what keeps a process from that may be another's.
func TestNotReadyForOnce(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Timeout: 50 * time.Millisecond, Env: map[string]string{"INIT": "gate", "GATE": g.env()["GATE"]}})
	b.invoke(`{"Do":"it"}`, DieBefore)
	g.next().letGo()
	b.settle()
	b.initLimit = 50 * time.Millisecond
	for range 2 {
		if r := b.call(`{}`); r.Kind != TimedOut {
			t.Errorf("got %s %s", r.Kind, r.Payload)
		}
	}
	if b.count(Crashed) != 1 || b.count(Started) != 5 {
		t.Errorf("%d processes, and %d died", b.count(Started), b.count(Crashed))
	}
}

// A program that cannot be executed is the function's failure: one that is looked for, without the directory in which it runs. One
// that is named by its whole path needs no directory.
func TestWithoutItsDirectory(t *testing.T) {
	b := start(t, Config{}, Function{Command: []string{binary}, Dir: t.TempDir()})
	gone := filepath.Join(t.TempDir(), "gone")
	b.add("provider", Function{Command: []string{"go"}, Dir: gone})
	r := b.call(`{}`)
	isNamed := strings.Contains(string(r.Payload), "Runtime.InvalidEntrypoint") && strings.Contains(string(r.Payload), "the directory in which it runs, ")
	if r.Kind != InitFailed || !isNamed {
		t.Errorf("got %s %s", r.Kind, r.Payload)
	}
	b.add("provider", Function{Command: []string{binary}, Dir: gone})
	env := decode[[]string](t, b.call(`{"Do":"env"}`).Payload)
	if root := "LAMBDA_TASK_ROOT=" + filepath.Dir(binary); !slices.Contains(env, root) {
		t.Errorf("got %q, not %s", env, root)
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

// TestStrangersGetNoEvent: a page of another site that finds a process's Runtime
// API gets nothing, nor does it answer, nor does it invoke anything.
func TestStrangersGetNoEvent(t *testing.T) {
	b := start(t, Config{}, Function{})
	const runtime = "/2018-06-01/runtime/"
	for path, method := range map[string]string{runtime + "invocation/next": http.MethodGet, runtime + "invocation/1/response": http.MethodPost, runtime + "init/error": http.MethodPost,
		"/2015-03-31/functions/provider/invocations": http.MethodPost} {
		if r := send(t, method, endpoint(b)+path, "", "Origin", "https://attacker.example"); r.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
}
