package cfnresource

import (
	"context"

	"github.com/cfnresource/sdk-go/internal/redact"
)

// Secret registers secrets that no event holds, such as a password that was read from Secrets
// Manager. From then on they are redacted, as the values of properties tagged secret are, in the
// Reason and in what the dispatcher logs of this event; in package registry also in what goes
// through its Logger. The handler's other logs are not. Values of fewer than four bytes stay.
//
// ctx is the context of a handler's method, or of any other code that the dispatcher calls with one:
// middleware, Options.Phase, a client. What is registered in the function passed to [Lazy] is
// redacted in every later event, too. In a context that is no dispatcher's, as in a unit test,
// Secret does nothing.
func Secret(ctx context.Context, values ...string) {
	if r := redact.FromContext(ctx); r != nil {
		r.Add(values...)
	}
}
