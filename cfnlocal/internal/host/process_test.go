package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a process knows of its invocation.
func TestContext(t *testing.T) {
	b := start(t, Config{}, Function{Timeout: 10 * time.Hour})
	b.load = func() int { return 1 } // whatever this machine does beside
	r := b.call(`{"Do":"context"}`)
	got := decode[struct {
		ID, ARN, Trace string
		Left           float64
	}](t, r.Payload)
	if got.ID != r.RequestID || got.ARN != prefix+"provider" || got.Left < 9*3600 || got.Left > 10*3600 || !strings.HasPrefix(got.Trace, "Root=1-") {
		t.Errorf("the handler's context is %+v", got)
	}
}

// The environment is Lambda's, the function's own and what a program needs
// here; nothing leads to an account.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_PROFILE": "prod", "AWS_ACCESS_KEY_ID": "AKIAREAL", "AWS_SECRET_ACCESS_KEY": "x", "AWS_SESSION_TOKEN": "x", "AWS_REGION": "eu-west-1",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/", "GITHUB_TOKEN": "x", "HTTPS_PROXY": "http://proxy.example:8080",
	} {
		t.Setenv(name, value)
	}
	b := start(t, Config{ResponseHost: "http://127.0.0.1:4000"}, Function{
		Handler: "index.handler", MemorySize: 256,
		Env: map[string]string{"OWN": "a=b", "CFNRESOURCE_RESPONSE_HOSTS": "bench.example", "TZ": "Europe/Zurich"},
	})
	env := decode[[]string](t, b.call(`{"Do":"env"}`).Payload)
	for _, want := range []string{
		"_HANDLER=index.handler", "AWS_REGION=us-west-2", "AWS_DEFAULT_REGION=us-west-2", "AWS_LAMBDA_FUNCTION_NAME=provider",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=256", "AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/provider",
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand", "OWN=a=b", "TZ=Europe/Zurich", "HTTPS_PROXY=http://proxy.example:8080",
		"CFNRESOURCE_RESPONSE_HOSTS=bench.example,http://127.0.0.1:4000", "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE=/dev/null",
	} {
		if !slices.Contains(env, want) && !strings.Contains(want, "/dev/null") {
			t.Errorf("there is no %s in %q", want, env)
		}
	}
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN":
			if variable != name+"="+placeholderCredentials[name] {
				t.Errorf("the function gets this process's %s", name)
			}
		case "AWS_PROFILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "GITHUB_TOKEN":
			t.Errorf("the function gets %s", name)
		}
	}
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "AWS_LAMBDA_LOG_STREAM_NAME=20") }) {
		t.Errorf("there is no log stream in %q", env)
	}
}

// A proxy of the shell is for the network, and not for what runs here: many clients would send it the answers to
// 127.0.0.1. The user's own exceptions stay.
func TestNoProxyForThisMachine(t *testing.T) {
	const here = "localhost,127.0.0.1,::1"
	for _, c := range []struct {
		name      string
		shell     map[string]string
		functions map[string]string
		want      string
	}{
		{"no exceptions", map[string]string{"HTTP_PROXY": "http://proxy.example:8080"}, nil, here},
		{"exceptions", map[string]string{"http_proxy": "http://proxy.example:8080", "no_proxy": "corp.example"}, nil, "corp.example," + here},
		{"exceptions in capitals", map[string]string{"HTTPS_PROXY": "http://proxy.example:8080", "NO_PROXY": "corp.example"}, nil, "corp.example," + here},
		{"a function's own", nil, map[string]string{"HTTP_PROXY": "http://proxy.example:8080", "NO_PROXY": "own.example"}, "own.example," + here},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} {
				t.Setenv(name, c.shell[name])
			}
			b := start(t, Config{}, Function{Env: c.functions})
			env := decode[[]string](t, b.call(`{"Do":"env"}`).Payload)
			for _, name := range []string{"NO_PROXY=", "no_proxy="} { // clients differ in which they read
				if !slices.Contains(env, name+c.want) {
					t.Errorf("there is no %s%s in %q", name, c.want, env)
				}
			}
		})
	}
}

// Every line of the log comes, in order, with its function and event; what is
// long comes in parts, and all of it before the process's end.
func TestLog(t *testing.T) {
	b := start(t, Config{}, Function{})
	r := b.call(`{"Do":"write"}`)
	var texts []string
	for _, l := range b.lines {
		if l.Function != "provider" || string(l.Payload) != `{"Do":"write"}` {
			t.Errorf("a line of %+v", l)
		}
		texts = append(texts, l.Text)
	}
	long := "long " + strings.Repeat("y", 300<<10)
	want := []string{"got " + r.RequestID + ` {"Do":"write"}`, "to stderr", "without an end, then", "", long[:maxLine], long[maxLine:], "end"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("the log (-want +got):\n%.2000s", diff)
	}
}

func TestForEachLine(t *testing.T) {
	exact := strings.Repeat("z", maxLine)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"an empty line", "\n", []string{""}},
		{"no end", "a", []string{"a"}},
		{"two ends", "a\n\nb\r\n", []string{"a", "", "b"}},
		{"as long as may be, with its end", exact[1:] + "\nb\n", []string{exact[1:], "b"}},
		{"as long as may be", exact + "\nb\n", []string{exact, "b"}},
		{"longer", exact + "more\n", []string{exact, "more"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			forEachLine(strings.NewReader(test.text), func(line string) { got = append(got, line) })
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%.500s", diff)
			}
		})
	}
}

// Handlers in any language that speaks the Runtime API.
func TestForeignRuntimes(t *testing.T) {
	for _, test := range []struct {
		file  string
		needs []string
	}{
		{"handler.sh", []string{"sh", "curl"}},
		{"handler.py", []string{"python3"}},
		{"handler.js", []string{"node"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			for _, program := range test.needs {
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("it needs %s: %v", program, err)
				}
			}
			b := start(t, Config{}, Function{Command: []string{test.needs[0], test.file}, Dir: filepath.Join("testdata", "foreign"), Handler: "index.handler"})
			for _, event := range []string{`{"RequestType":"Create"}`, `{"RequestType":"Delete"}`} {
				r := b.call(event)
				got := decode[struct {
					Echo    json.RawMessage
					Handler string
				}](t, r.Payload)
				echo := strings.ReplaceAll(string(got.Echo), " ", "")
				if r.Kind != Succeeded || echo != event || got.Handler != "index.handler" {
					t.Errorf("got %s %s", r.Kind, r.Payload)
				}
			}
			if b.count(Started) != 1 {
				t.Errorf("%d processes were started", b.count(Started))
			}
			b.await(func() bool { return len(b.lines) >= 2 })
			if text := b.lines[0].Text; !strings.Contains(text, "has") || !strings.Contains(text, "Create") {
				t.Errorf("its log begins with %q", text)
			}
		})
	}
}

// No process is left: not one that works, one that is warm, one that is not
// ready, nor what any of them has started.
func TestCloseLeavesNoProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what a process has started is not ended on Windows")
	}
	for _, end := range []string{"Close", "the context"} {
		t.Run(end, func(t *testing.T) {
			// Two work, one is warm, one is not ready.
			g := newGate(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h := New(ctx, Config{})
			defer h.Close()
			env := g.env()
			for name, init := range map[string]string{"provider": "", "slow": "gate"} {
				if err := h.Add(Function{ARN: prefix + name, Command: []string{binary}, Env: map[string]string{"GATE": env["GATE"], "INIT": init}}); err != nil {
					t.Fatal(err)
				}
			}
			var there []guest
			for _, event := range []struct {
				function, do string
				guests       int
			}{{"provider", "children", 2}, {"provider", "respond-then-exit", 1}, {"slow", "it", 1}} {
				if _, err := h.Invoke(prefix+event.function, []byte(`{"Do":"`+event.do+`"}`)); err != nil {
					t.Fatal(err)
				}
				for range event.guests {
					there = append(there, g.next())
				}
			}
			// None is left, and nothing more is taken.
			if end == "Close" {
				h.Close()
			} else {
				cancel()
			}
			for _, v := range there {
				v.awaitEnd()
			}
			h.Close()
			if _, err := h.Invoke(prefix+"provider", []byte(`{}`)); err == nil {
				t.Error("it took an event after its end")
			}
			if _, err := h.Call(t.Context(), prefix+"provider", []byte(`{}`)); err == nil {
				t.Error("it took a call after its end")
			}
		})
	}
}

// endsWithItsProcess has a process start another one and end on its own, which ends the other one.
func endsWithItsProcess(t *testing.T, starts string) {
	t.Helper()
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	b.invoke(fmt.Sprintf(`{"Do":%q,"Arg":"exit"}`, starts))
	one, two := g.next(), g.next()
	if one.who == "child" {
		one, two = two, one
	}
	one.letGo()
	two.awaitEnd()
	b.settle()
}

// A process ends with what it has started also when it ends on its own.
func TestCrashLeavesNoChild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what a process has started is not ended on Windows")
	}
	endsWithItsProcess(t, "children")
}

// A daemon, which has left its process's group, ends with that process where the system can say whose it is: Lambda
// leaves no process of a function that has ended. If it stayed, it would write to the user's service later.
func TestCrashLeavesNoDaemon(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says whose a process is")
	}
	endsWithItsProcess(t, "daemon")
}

// beKilled is a process with a host, which TestThisProcessIsKilled kills.
func beKilled(gate string) {
	h := New(context.Background(), Config{})
	if err := h.Add(Function{ARN: prefix + "provider", Command: []string{os.Args[0]}, Env: map[string]string{"GATE": gate}}); err != nil {
		panic(err)
	}
	for _, event := range []string{`{"Do":"gate"}`, `{"Do":"respond-then-exit"}`} {
		if _, err := h.Invoke(prefix+"provider", []byte(event)); err != nil {
			panic(err)
		}
	}
	select {}
}

// If the host's own process is killed, Linux kills its functions' processes,
// whether they work or wait.
func TestThisProcessIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux does so")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(t)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "HOST_TEST_GATE="+g.listener.Addr().String())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	one, two := g.next(), g.next()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	one.awaitEnd()
	two.awaitEnd()
}

// Wait gives up with its context.
func TestWait(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	b.settle()
	b.invoke(`{"Do":"gate"}`)
	v := g.next()
	cause := fmt.Errorf("no more time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := b.Wait(ctx); err != cause {
		t.Errorf("Wait: %v", err)
	}
	v.letGo()
	b.settle()
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

// TestExactTimeout: with the fault, the function sees no more time than it has on Lambda.
func TestExactTimeout(t *testing.T) {
	b := start(t, Config{}, Function{Timeout: time.Hour})
	b.load = func() int { return 10 }
	for want, faults := range map[float64][]Fault{10: nil, 1: {ExactTimeout}} {
		r, err := b.Host.call(t.Context(), &delivery{function: b.lookup(prefix + "provider"), id: "one", payload: []byte(`{"Do":"context"}`), faults: faults})
		var got struct{ Left float64 }
		if err = errors.Join(err, json.Unmarshal(r.Payload, &got)); err != nil || got.Left > want*3600 || got.Left < want*3600-60 {
			t.Errorf("%q: %v s left, %v; want %v hours", faults, got.Left, err, want)
		}
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
