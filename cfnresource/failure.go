package cfnresource

import (
	"context"
	"fmt"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/rules"
)

// A failure is why an event is answered FAILED, or why a call is retried: what is
// needed of the user's error, read inside of a guard, or an error of the
// dispatcher's own.
type failure struct {
	guard.Failure
	code       Code
	exists     string // the ID of AlreadyExists
	retryAfter time.Duration
	waiting    bool // the invocation ended while the method only waited
}

// failed returns a failure of the dispatcher's own.
func failed(code Code, format string, args ...any) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: fmt.Sprintf(format, args...)}}
}

// unknown returns a failure after which it is not known what was done.
func unknown(code Code, text string) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: text, Unknown: true}}
}

// transient reports whether the call may succeed if it is tried again.
func (f *failure) transient() bool {
	return !f.Unknown && transientCode(f.code)
}

// transientCode reports whether a call that failed with a code may succeed if it is
// tried again.
func transientCode(code Code) bool {
	end := endOfCode[code]
	return end == rules.Transient || end == rules.Throttled
}

// endOfCode says what the codes of errors mean to the rules.
var endOfCode = map[Code]rules.End{
	"":                       rules.NoCode,
	CodeNotFound:             rules.NotFound,
	CodeInvalidRequest:       rules.InvalidRequest,
	CodeAlreadyExists:        rules.AlreadyExists,
	CodeThrottling:           rules.Throttled,
	CodeResourceConflict:     rules.Transient,
	CodeServiceInternalError: rules.Transient,
	CodeNetworkFailure:       rules.Transient,
}

// outcome returns a failure, or success, as the rules take it.
func (x *execution) outcome(f *failure) rules.Outcome {
	if f == nil {
		return rules.Outcome{}
	}
	end, ok := endOfCode[f.code]
	switch {
	case f.Unknown:
		end = rules.Unknown
	case !ok:
		end = rules.Failed
	}
	return rules.Outcome{End: end, Why: f.Text}
}

// run runs the user's code. If it was given up, what fn writes must not be read.
func (x *execution) run(ctx context.Context, what string, fn func(context.Context) error) *failure {
	return guarded(ctx, &x.guard, what, fn)
}

// guarded is run with another guard. What that gives up does not make other events
// of the resource wait.
func guarded(ctx context.Context, g *guard.Guard, what string, fn func(context.Context) error) *failure {
	var code Code
	var exists string
	var after time.Duration
	var waits bool
	f := g.Run(ctx, what, func(ctx context.Context) error {
		err := fn(ctx)
		if err != nil {
			code, exists, after, waits = CodeOf(err), existingID(err), retryAfter(err), isWaiting(err)
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
	return &failure{Failure: *f, code: code, exists: exists, retryAfter: after, waiting: waits}
}
