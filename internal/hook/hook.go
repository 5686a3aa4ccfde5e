// Package hook lets the test kit stand around a Dispatcher: it puts a sender, a
// phase or a chain into the context of an invocation, or stands around the calls
// of the handler's methods. On Lambda nobody does, and it costs a few looks into the
// context.
package hook

import (
	"context"

	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

type senderKey struct{}

// WithSender returns a context with which a Dispatcher delivers its answers
// through s, whatever its options say.
func WithSender(ctx context.Context, s response.Sender) context.Context {
	return context.WithValue(ctx, senderKey{}, s)
}

// Sender returns the Sender that [WithSender] put into ctx.
func Sender(ctx context.Context) (response.Sender, bool) {
	s, ok := ctx.Value(senderKey{}).(response.Sender)
	return s, ok
}

type phaseKey struct{}

// WithPhase returns a context in which every request's phase is p, and in which
// a Dispatcher takes it for p.
func WithPhase(ctx context.Context, p lifecycle.Phase) context.Context {
	return context.WithValue(ctx, phaseKey{}, p)
}

// Phase returns the phase that [WithPhase] put into ctx.
func Phase(ctx context.Context) (lifecycle.Phase, bool) {
	p, ok := ctx.Value(phaseKey{}).(lifecycle.Phase)
	return p, ok
}

// A Chain is what a Dispatcher whose Options.Continue is set reaches in place of
// Lambda and the stack. One that does not continue asks none of it.
type Chain struct {
	// Continue takes what is to be handled by another invocation.
	Continue func(ctx context.Context, payload []byte) error
	// Phase says why the event came, as of now. made is what it made, or "".
	Phase func(made string) lifecycle.Phase
	// Holds reports whether what a Poll with ctx waits for is to be taken for
	// not ready. It may be nil.
	Holds func(ctx context.Context) bool
}

type chainKey struct{}

// WithChain returns a context with which a Dispatcher that continues does so
// through c, whatever its options say.
func WithChain(ctx context.Context, c Chain) context.Context {
	return context.WithValue(ctx, chainKey{}, c)
}

// ChainOf returns the Chain that [WithChain] put into ctx.
func ChainOf(ctx context.Context) (Chain, bool) {
	c, ok := ctx.Value(chainKey{}).(Chain)
	return c, ok
}

// Holds reports whether the context's [Chain] keeps a Poll from being ready.
func Holds(ctx context.Context) bool {
	c, ok := ChainOf(ctx)
	return ok && c.Holds != nil && c.Holds(ctx)
}

// A Call is one call of a handler's method.
type Call struct {
	Method     string // "Create", "Update", "Delete" or "Find"; in the registry also "Read" or "List"
	PhysicalID string // that the method is called for; "" for Create and mostly for Find
	// Created returns the ID that the method has named so far. It is nil except
	// for Create.
	Created func() string
}

// A Method calls the method, and returns the ID that Find returned.
type Method func() (physicalID string, err error)

// A Func is called in place of a method, in the goroutine in which the method
// is to run. What it returns is what the method is taken to have returned.
type Func func(ctx context.Context, c Call, method Method) (physicalID string, err error)

type callKey struct{}

// WithCalls returns a context with which fn stands around each call.
func WithCalls(ctx context.Context, fn Func) context.Context {
	return context.WithValue(ctx, callKey{}, fn)
}

// Do calls a method, through the context's [Func] if it has one.
func Do(ctx context.Context, c Call, method Method) (physicalID string, err error) {
	if fn, ok := ctx.Value(callKey{}).(Func); ok {
		return fn(ctx, c, method)
	}
	return method()
}
