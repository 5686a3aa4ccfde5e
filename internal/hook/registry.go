package hook

import (
	"context"
	"time"

	"github.com/cfnresource/sdk-go/internal/redact"
)

// A Registry calls a Dispatcher for a resource type of the registry, where CloudFormation keeps the
// identifiers itself: it makes none up, and waits for a chain of any length.
type Registry struct {
	// Failed is told the code of a FAILED answer, which may be "". It is called
	// before the answer is sent.
	Failed func(code string)
	// Redactor knows the secrets of the call: credentials and configuration beside
	// those that the Dispatcher reads, and adds.
	Redactor *redact.Redactor
	// Pause is told that the next call is to come after a while, and no sooner.
	Pause func(time.Duration)
	// Logs leads to where the call's records go, or is "".
	Logs string
}

type registryKey struct{}

// WithRegistry returns a context in which a Dispatcher works for r.
func WithRegistry(ctx context.Context, r *Registry) context.Context {
	return context.WithValue(ctx, registryKey{}, r)
}

// RegistryOf returns what [WithRegistry] put into ctx, or nil.
func RegistryOf(ctx context.Context) *Registry {
	r, _ := ctx.Value(registryKey{}).(*Registry)
	return r
}
