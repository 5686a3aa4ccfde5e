package cfnresource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/internal/guard"
)

// requestFor returns the Request of a call about the resource with the properties
// p. more distinguishes the call from others in the same event.
func (e *execution) requestFor(p *decoded, more ...string) Request {
	r := e.request
	r.state = &requestState{stableID: e.stableIDFor(p), idLength: e.d.opts.IDLength, execution: e, more: more}
	return r
}

// token returns what identifies this request in every delivery.
func (e *execution) token() []string {
	return []string{e.ev.StackID, e.ev.LogicalID, e.ev.RequestID, e.ev.Type,
		e.ev.SentAt.UTC().Format(time.RFC3339), string(e.ev.Properties.JSON()), string(e.ev.OldProperties.JSON())}
}

var (
	errNextNotCalled = errors.New("a middleware returned nil without calling next, so nothing was done")
	errNotReturned   = errors.New("a middleware returned nil, though the method panicked or had not returned")
)

// call calls a method of the handler, through the middleware. A middleware may
// return before the method does: what method writes must be safe to read then.
func (e *execution) call(name, physicalID string, r Request, method func(context.Context, Request) error) *failure {
	var last struct { // what the method did, when it was called last
		called, returned atomic.Bool
		failed           atomic.Pointer[error]
	}

	// The call, in its middleware, which may hide what the method returned.
	f := e.run(e.clock.handler, name, func(ctx context.Context) error {
		next := func(ctx context.Context) error {
			last.called.Store(true)
			err := method(ctx, r)
			last.failed.Store(nil)
			if failed := err; failed != nil {
				last.failed.Store(&failed)
			}
			last.returned.Store(true)
			return err
		}
		if err := e.inMiddleware(name, physicalID, r, next)(ctx); err != nil {
			return err
		}
		switch failed := last.failed.Load(); {
		case !last.called.Load():
			return errNextNotCalled
		case !last.returned.Load():
			return errNotReturned
		case failed != nil:
			return fmt.Errorf("%w (a middleware returned nil for it)", *failed)
		}
		return nil
	})

	// What the failure means for later calls.
	stillRuns := last.called.Load() && !last.returned.Load()
	if f != nil && stillRuns {
		f.Unknown = true
	}
	e.tries.failure = f
	e.tries.noteDenial(name, f)
	if name != "Find" { // which is tried again without a code, too
		e.warnUncoded(f)
	}
	return f
}

// inMiddleware is a call of a method with the middleware around it, the first outermost.
func (e *execution) inMiddleware(name, physicalID string, r Request, next func(context.Context) error) func(context.Context) error {
	if len(e.d.opts.Middleware) == 0 {
		return next
	}
	op := &Operation{Request: r, Name: name, PhysicalID: physicalID, SentAt: e.ev.SentAt}
	for _, m := range slices.Backward(e.d.opts.Middleware) {
		inner := next
		next = func(ctx context.Context) error { return m(ctx, op, inner) }
	}
	return next
}

// retry calls a method until it succeeds, or fails with what is not retried.
func (e *execution) retry(name, physicalID string, r Request, method func(context.Context, Request) error, retryable func(*failure) bool) *failure {
	b := newBackoff(e.clock.handler)
	for {
		f := e.call(name, physicalID, r, method)
		isFinal := f == nil || !retryable(f)
		if isFinal || !e.pause(&b, e.clock.Deadline) {
			return f
		}
	}
}

// pause waits before the next try of the call that failed last. It returns false if
// the try would begin after until, or too late for the handler.
func (e *execution) pause(b *guard.Backoff, until time.Time) bool {
	wait, ok := nextTry(e.clock.handler, b, e.tries.retryAfter())
	if !ok || time.Now().Add(wait).After(until) {
		return false
	}
	if f := e.tries.failure; f != nil {
		e.log(slog.LevelInfo, "a call is tried again", slog.String("error", e.redact(f.Text)), slog.String("code", string(f.code)), slog.Duration("after", wait))
	}
	return sleep(e.clock.handler, wait)
}

// A createdID is the ID that a Create has named. Goroutines of the handler set it.
// The dispatcher reads it once, possibly before the Create returns.
type createdID struct {
	mu         sync.Mutex
	id         string
	before     []string // other IDs, up to maxIDs
	afterClose func(id string)
}

// maxIDs is how many IDs of one Create are kept beside the last.
const maxIDs = 4

// set sets the ID, unless it is empty.
func (c *createdID) set(id string) {
	if id == "" {
		return
	}
	c.mu.Lock()
	isAnother := c.id != "" && c.id != id
	isToBeKept := len(c.before) < maxIDs && !slices.Contains(c.before, c.id)
	if isAnother && isToBeKept {
		c.before = append(c.before, c.id)
	}
	c.id = id
	late := c.afterClose
	c.mu.Unlock()
	if late != nil {
		late(id)
	}
}

func (c *createdID) get() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// close returns the ID, and the others that were named before it. IDs that are set later are passed
// to late too.
func (c *createdID) close(late func(id string)) (id string, others []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.afterClose = late
	others = slices.DeleteFunc(slices.Clone(c.before), func(other string) bool { return other == c.id })
	return c.id, others
}

// tokenNamespace is the UUID under which tokens are made. Another one would give other
// tokens to the deliveries that are under way.
var tokenNamespace = uuid.MustParse("b4f6d1f4-1f0a-5d43-8f0e-6a4f5f2f7d11")

// tokenOf returns a UUID that is the same for the same parts, and only for them.
func tokenOf(parts ...string) string {
	text, _ := json.Marshal(parts) // strings always marshal
	return uuid.NewSHA1(tokenNamespace, text).String()
}
