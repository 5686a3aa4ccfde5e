package cfnresource

import (
	"context"
	"fmt"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/rules"
)

// A failure is why an event is answered FAILED, or a call is tried again: all
// that is needed of an error of the user's, read where its methods can do no
// harm, or one of the dispatcher's own.
type failure struct {
	guard.Failure
	code       Code
	exists     string // the ID of AlreadyExists
	retryAfter time.Duration
	waits      bool // the invocation ended while the method only waited
}

// failed returns a failure of the dispatcher's own.
func failed(code Code, format string, args ...any) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: fmt.Sprintf(format, args...)}}
}

// unknown returns one after which nobody knows what was done.
func unknown(code Code, text string) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: text, Unknown: true}}
}

// passes reports whether the call may succeed if it is tried again.
func (f *failure) passes() bool {
	return !f.Unknown && passes(f.code)
}

// passes reports whether a call that failed with a code may succeed if it is
// tried again.
func passes(code Code) bool {
	end := ends[code]
	return end == rules.Passing || end == rules.Throttled
}

// ends are how the codes of errors look to the rules.
var ends = map[Code]rules.End{
	"":                       rules.Uncoded,
	CodeNotFound:             rules.Gone,
	CodeInvalidRequest:       rules.Invalid,
	CodeAlreadyExists:        rules.Exists,
	CodeThrottling:           rules.Throttled,
	CodeResourceConflict:     rules.Passing,
	CodeServiceInternalError: rules.Passing,
	CodeNetworkFailure:       rules.Passing,
}

// outcome returns what the rules are told of a failure, or of none.
func (j *job) outcome(f *failure) rules.Outcome {
	if f == nil {
		return rules.Outcome{}
	}
	end, ok := ends[f.code]
	switch {
	case f.Unknown:
		end = rules.Unknown
	case !ok:
		end = rules.Failed
	}
	return rules.Outcome{End: end, Why: f.Text}
}

// run runs code of the user's. If that was given up, nothing that fn writes
// may be read.
func (j *job) run(ctx context.Context, what string, fn func(context.Context) error) *failure {
	return guarded(ctx, &j.guard, what, fn)
}

// guarded is run for what is not the handler's: what g gives up keeps no other
// event of the resource waiting.
func guarded(ctx context.Context, g *guard.Guard, what string, fn func(context.Context) error) *failure {
	var code Code
	var exists string
	var after time.Duration
	var waits bool
	f := g.Run(ctx, what, func(ctx context.Context) error {
		err := fn(ctx)
		if err != nil {
			code, exists, after, waits = CodeOf(err), existing(err), retryAfter(err), onlyWaits(err)
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
	return &failure{*f, code, exists, after, waits}
}
