package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

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

// A process ends with what it has started also when it ends on its own.
func TestCrashLeavesNoChild(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what a process has started is not ended on Windows")
	}
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	b.invoke(`{"Do":"children","Arg":"exit"}`)
	one, two := g.next(), g.next()
	if one.who == "child" {
		one, two = two, one
	}
	one.letGo()
	two.awaitEnd()
	b.settle()
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
