package cfnresource

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/rules"
)

// A failure is why an event is answered FAILED, or why a call is retried: the parts of the user's
// error that matter, read inside of a guard, or an error of the dispatcher's own.
type failure struct {
	guard.Failure
	code       Code
	exists     string // the ID of AlreadyExists
	retryAfter time.Duration
	wait       *waitError // the Poll that the invocation's end cut off, or nil
}

// failed returns a failure of the dispatcher's own.
func failed(code Code, format string, args ...any) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: fmt.Sprintf(format, args...)}}
}

// unknown returns a failure after which it is not known what was done.
func unknown(code Code, text string) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: text, Unknown: true}}
}

// mayPass reports whether the call may succeed if it is tried again.
func (e *execution) mayPass(f *failure) bool {
	codePasses := f.code.Transient() || e.mayBeAllowed(f.code)
	return codePasses && !f.Unknown
}

// hasNoCode reports whether the call certainly ended, with an error to which its author gave no code.
func (f *failure) hasNoCode() bool { return f.code == "" && !f.Unknown }

// mayBeAllowed reports whether the code is that of a denied call, and the permission may be so new
// that it is not in force yet. A denied call had no effect. Half of the handler's time is left for
// the call that is allowed.
func (e *execution) mayBeAllowed(code Code) bool {
	c, now := &e.clock, time.Now()
	if c.signed.IsZero() && e.ev.Chain.Links > 0 {
		return false // an earlier invocation had that time, and each further one would have it anew
	}
	inForce := c.sentBy().Add(cmp.Or(e.d.opts.PermissionLag, permissionLag))
	half := c.start.Add(c.handlerDeadline().Sub(c.start) / 2)
	return code == CodeAccessDenied && now.Before(inForce) && now.Before(half)
}

// outcome returns a failure, or success, as the rules take it.
func (e *execution) outcome(f *failure) rules.Outcome {
	if f == nil {
		return rules.Outcome{}
	}
	end, ok := codes[f.code]
	switch {
	case f.Unknown:
		end = rules.Unknown
	case f.code == "":
		end = rules.NoCode
	case e.mayBeAllowed(f.code):
		end = rules.Throttled
	case !ok:
		end = rules.Failed
	}
	return rules.Outcome{End: end, Reason: f.Text}
}

// run runs the user's code. If it was given up, what fn writes must not be read.
func (e *execution) run(ctx context.Context, what string, fn func(context.Context) error) *failure {
	return guarded(ctx, &e.guard, what, fn)
}

// guarded is run with another guard. Code that this guard gives up does not make other
// events of the resource wait.
func guarded(ctx context.Context, g *guard.Guard, what string, fn func(context.Context) error) *failure {
	var details failure // read with the error's methods, which are the user's code too
	f := g.Run(ctx, what, func(ctx context.Context) error {
		err := fn(ctx)
		if err != nil {
			details = failure{code: CodeOf(err), exists: existingID(err), retryAfter: retryAfter(err), wait: waitOf(err)}
		}
		return err
	})
	switch {
	case f == nil:
		return nil
	case f.Abandoned:
		return &failure{Failure: *f, code: CodeNotStabilized}
	case f.Stack != "":
		return &failure{Failure: *f, code: CodeInternalFailure}
	}
	details.Failure = *f
	return &details
}

// warnUncoded warns of an error that the author may have meant to be tried again: it
// has no code, and reads like a client's of a call that failed for a moment.
func (e *execution) warnUncoded(f *failure) {
	if f != nil && f.hasNoCode() && readsTransient(f.Text) {
		e.log(slog.LevelWarn, "an error without a code is not tried again: give it one with HTTPStatus or Errorf", slog.String("error", e.redact(f.Text)))
	}
}

// transientWords are what clients write, in lower case, when a call may succeed a moment later.
var transientWords = []string{
	"too many requests", "throttl", "rate exceeded", "rate limit", "slow down",
	"internal server error", "bad gateway", "service unavailable", "gateway timeout", "try again",
	"connection refused", "connection reset", "broken pipe", "no such host", "i/o timeout", "tls handshake timeout",
}

// readsTransient reports whether an error's text is one of those that clients write
// of calls that may succeed a moment later. It decides nothing: it is for a warning.
func readsTransient(text string) bool {
	text = strings.ToLower(text)
	for _, words := range transientWords {
		if strings.Contains(text, words) {
			return true
		}
	}
	const inWords = "0123456789abcdefghijklmnopqrstuvwxyz-." // a version or an ID with such a number in it is no status
	for _, number := range strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune(inWords, r) }) {
		switch number {
		case "429", "500", "502", "503", "504":
			return true
		}
	}
	return false
}
