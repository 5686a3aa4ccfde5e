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
// ctx is any context that comes from the dispatcher: that of a handler's method, of middleware or of
// Options.Phase, also in a client that they call. What is registered in the function passed to [Lazy]
// is also redacted in every later event of that dispatcher. With another context, as in a unit test,
// Secret does nothing.
func Secret(ctx context.Context, values ...string) {
	if r := redact.FromContext(ctx); r != nil {
		r.Add(values...)
	}
}
