package cfntest

import (
	"context"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// WithPhase returns a context with which [InvokeContext] has an event come in
// phase p: it is what Request.Phase returns to the handler, and what the
// Dispatcher goes by, whatever its Options.Phase says.
func WithPhase(ctx context.Context, p lifecycle.Phase) context.Context {
	return hook.WithPhase(ctx, p)
}
