package registrytest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// What helps against a method that does not end as it should.
const (
	cureBlocked = "return when the context is done: pass it on, or select on ctx.Done(). " + cureNoWait
	cureHidden  = "return Poll's error, or wrap it with %w"
	cureSwallow = cureHidden + ". " + cureNoWait
	cureNoWait  = "Do not wait for things on which the resource does not depend, such as metrics"
	cureLate    = "wait in Poll until the change is done, and change nothing in a goroutine that outlives its method: Lambda freezes a function between two calls"
	cureAnew    = "the next call runs the method again from its first line, or, once Create has called Created, runs Update: " +
		"before you write, ask whether the service has done it already, or pass IdempotencyToken to the service. If the service takes longer, set a longer Inputs.Timeout"
)

// methods knows of the calls of a resource's methods.
type methods struct {
	running atomic.Int32

	mu      sync.Mutex
	swallow string // the last method that returned no error although its wait was cut off, or ""
}

// watched returns a function that calls a method through fn, and watches how it ends.
func (m *methods) watched(fn hook.Func) hook.Func {
	return func(ctx context.Context, call hook.Call, method hook.Method) (string, error) {
		return fn(ctx, call, func() (string, error) {
			// A Poll at long intervals ends its call for a pause, and any other with the context.
			var cut atomic.Bool
			if r := hook.RegistryOf(ctx); r != nil {
				pause := r.Pause
				r.Pause = func(d time.Duration) {
					cut.Store(true)
					pause(d)
				}
			}
			m.running.Add(1)
			defer m.running.Add(-1)
			id, err := method()
			if err == nil && (cut.Load() || ctx.Err() != nil) {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.swallow = call.Method
			}
			return id, err
		})
	}
}

// swallowed returns the method that swallowed an error since it was last asked, or "".
func (m *methods) swallowed() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.swallow
	m.swallow = ""
	return last
}

// checkEnd checks that a method ends in time, and that it takes a Poll that was cut off for neither success nor failure.
func (c *client) checkEnd(r request, a answer) error {
	swallow := c.methods.swallowed()
	cut := strings.Contains(a.Message, "another call goes on") || strings.Contains(a.Message, guard.ErrOutOfTime.Error())
	// Where the check itself cuts calls short, a method may still run when its request fails.
	switch {
	case a.Status == "FAILED" && c.limit == 0 && c.methods.running.Load() > 0:
		return errBlocked
	case swallow != "" && a.Status == "SUCCESS":
		return wrongWith(cureSwallow, "%s is answered SUCCESS, though the call ended while %s still waited: %s returned no error", r.action, swallow, swallow)
	case a.Status == "FAILED" && cut && strings.Contains(a.Message, "not ready after"):
		return wrongWith(cureHidden, "%s failed because its call was over: %s: %s", r.action, a.ErrorCode, a.Message)
	}
	return nil
}

// errBlocked is the error of a request whose method was given up.
var errBlocked = wrongWith(cureBlocked, "A method of the resource does not return, though its context has ended")

// endless is the error of a request that is in progress for too long.
func (c *client) endless(action string) error {
	return wrongWith(cureAnew, "%s is still in progress after %s", action, c.timeout)
}

// bubble plays in virtual time. It returns an error if a method, or the set-up, is blocked for ever,
// which would end the test binary. It ignores other goroutines of a client, such as one that renews its token.
func (c *client) bubble(t *testing.T, play func(t *testing.T)) (err error) {
	t.Helper()
	played := false
	defer func() {
		r := recover() // synctest panics once all of the bubble's goroutines are blocked
		switch {
		case r == nil:
		case !strings.Contains(fmt.Sprint(r), "blocked"):
			panic(r) //nolint:forbidigo // it is the test's own
		case c.methods.running.Load() > 0:
			err = errBlocked
		case !played:
			err = wrongWith("", "The test waits for ever, outside of the resource's methods")
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		play(t)
		played = true
	})
	return nil
}
