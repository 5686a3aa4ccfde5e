package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// behave goes wrong in the way that how names, or returns the data of a success.
// The secret is for the ways that give one away.
func behave(ctx context.Context, how, secret string) (map[string]any, error) {
	if strings.HasPrefix(how, "data-") {
		return data(how), nil
	}
	ok := map[string]any{"Echo": "done"}
	switch how {
	case "":
		return ok, nil
	case "slow":
		wait(time.Second)
		return ok, nil

	// Errors.
	case "error":
		return nil, errors.New("the service said no")
	case "error-6kB":
		return nil, errors.New("the service said no: " + strings.Repeat("äöü€ 𝄞 ", 400))
	case "error-empty":
		return nil, errors.New("")
	case "error-control":
		return nil, errors.New("\x1b[31mred\x1b[0m alert\r\nsecond\x00line\u0085\u2028end")
	case "error-utf8":
		return nil, errors.New("caf\xe9 \xff\xfe closed")
	case "error-secret":
		return nil, fmt.Errorf("login as admin with %s failed", secret)
	case "error-panics":
		return nil, grumpy{}
	case "error-nil-pointer":
		return nil, (*fragile)(nil)

	// Panics.
	case "panic":
		panic("out of cheese")
	case "panic-secret":
		panic("cannot parse " + secret)
	case "panic-nil-map":
		var m map[string]string
		m["a"] = "b"
	case "panic-error-panics":
		panic(grumpy{})
	case "goexit":
		runtime.Goexit()

	// Too late, or never.
	case "deadlock":
		select {}
	case "ignores-context":
		wait(time.Minute)
		return ok, nil
	case "spins":
		deadline, _ := ctx.Deadline()
		for end := deadline.Add(time.Second); time.Now().Before(end); {
		}
		return ok, nil
	case "outlasts-context":
		<-ctx.Done()
		wait(time.Second)
		return ok, nil
	case "waits-for-context":
		<-ctx.Done()
		return nil, ctx.Err()
	case "waits-for-cause":
		<-ctx.Done()
		return nil, fmt.Errorf("waiting for the service: %w", context.Cause(ctx))
	case "late-success":
		<-ctx.Done()
		return ok, nil

	// The process ends.
	case "exit":
		os.Exit(1)
	case "exit-0":
		os.Exit(0)
	case "killed":
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	case "goroutine-panic":
		go panic("in a goroutine of its own")
		select {}
	case "stack-overflow":
		debug.SetMaxStack(1 << 20)
		fmt.Println(deeper(1))
	}
	return nil, fmt.Errorf("there is no way to go wrong called %q", how)
}

// data is what no answer can hold, or can only just.
func data(how string) map[string]any {
	switch how {
	case "data-5kB":
		return map[string]any{"Large": strings.Repeat("x", 5000), "Small": "y"}
	case "data-3500":
		return map[string]any{"Large": strings.Repeat("x", 3200)}
	case "data-escaped": // 1500 bytes that JSON makes six times as long
		return map[string]any{"Large": strings.Repeat("\x01", 1500)}
	case "data-chan":
		return map[string]any{"Done": make(chan int)}
	case "data-cycle":
		m := map[string]any{"Name": "n"}
		m["Self"] = m
		return m
	case "data-utf8":
		return map[string]any{"Name": "caf\xe9", "k\xff": "v"}
	case "data-collides":
		return map[string]any{"a.b": 1, "a": map[string]any{"b": 2}}
	case "data-marshal-panics":
		return map[string]any{"Grumpy": grumpy{}}
	case "data-nested":
		return map[string]any{"Endpoint": map[string]any{"Port": 8080, "TLS": true}, "None": nil, "List": []string{"a", "b"}}
	}
	return nil
}

// wait ignores everything but time.
func wait(d time.Duration) { <-time.After(d) }

func deeper(n int) int { return deeper(n+1) + n }

// grumpy panics where it is asked for its text.
type grumpy struct{}

func (grumpy) Error() string                { panic("no comment") }
func (grumpy) MarshalJSON() ([]byte, error) { panic("no comment") }

// fragile is an error whose method needs a receiver.
type fragile struct{ text string }

func (f *fragile) Error() string { return f.text }
