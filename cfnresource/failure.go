package cfnresource

import (
	"context"
	"fmt"

	"github.com/cfnresource/sdk-go/internal/guard"
)

// A failure is why an event is answered FAILED, or a call is tried again: all
// that is needed of an error of the user's, read where its methods can do no
// harm, or one of the dispatcher's own.
type failure struct {
	guard.Failure
	code   Code
	exists string // the ID of AlreadyExists
}

// failed returns a failure of the dispatcher's own.
func failed(code Code, format string, args ...any) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: fmt.Sprintf(format, args...)}}
}

// unknown returns one after which nobody knows what was done.
func unknown(code Code, text string) *failure {
	return &failure{code: code, Failure: guard.Failure{Text: text, Unknown: true}}
}

// run runs code of the user's. If that was given up, nothing that fn writes
// may be read.
func (w *work) run(ctx context.Context, what string, fn func(context.Context) error) *failure {
	var code Code
	var exists string
	f := w.guard.Run(ctx, what, func(ctx context.Context) error {
		err := fn(ctx)
		code = CodeOf(err)
		exists = existing(err)
		return err
	})
	switch {
	case f == nil:
		return nil
	case f.Abandoned:
		return &failure{*f, CodeNotStabilized, ""}
	case f.Stack != "":
		return &failure{*f, CodeInternalFailure, ""}
	}
	return &failure{*f, code, exists}
}
