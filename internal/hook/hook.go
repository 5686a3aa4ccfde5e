// Package hook gives the test kit a place around a Dispatcher: the kit puts a sender, a phase or a
// chain into the context of an invocation, or a function around the calls of the handler's methods.
// On Lambda there is none of that, at the cost of a few look-ups in the context.
package hook

import (
	"context"
	"log/slog"
	"time"

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

type loggerKey struct{}

// WithLogger returns a context with which a Dispatcher whose Options.Logger is nil logs to l.
func WithLogger(ctx context.Context, l *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, l)
}

// Logger returns what [WithLogger] put into ctx, or slog.Default().
func Logger(ctx context.Context) *slog.Logger {
	if l, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return l
	}
	return slog.Default()
}

// A Chain stands for Lambda and the stack in a Dispatcher whose Options.Continue is
// set. Without that it is not used.
type Chain struct {
	// Continue takes the payload for another invocation.
	Continue func(ctx context.Context, payload []byte) error
	// Phase says why the event came, as of now. made is what it made, or "".
	Phase func(made string) lifecycle.Phase
	// HoldsPoll reports whether a Poll goes on although it is ready. continues says that
	// the function goes on in another invocation. It may be nil.
	HoldsPoll func(continues bool) bool
	// SkipsPause reports whether a call that failed is tried again at once. It may be nil.
	SkipsPause func() bool
	// NoCreateRuns reports whether no Create runs that a Delete may have overtaken, so that the
	// Delete waits from when it was sent, and not from its arrival. It may be nil.
	NoCreateRuns func() bool
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

// HoldsPoll reports whether the context's [Chain] keeps a Poll from being ready.
func HoldsPoll(ctx context.Context, continues bool) bool {
	c, ok := ChainOf(ctx)
	return ok && c.HoldsPoll != nil && c.HoldsPoll(continues)
}

// SkipsPause reports whether the context's [Chain] skips the pause before the next try.
func SkipsPause(ctx context.Context) bool {
	c, ok := ChainOf(ctx)
	return ok && c.SkipsPause != nil && c.SkipsPause()
}

// NoCreateRuns reports whether the context's [Chain] knows that no Create runs.
func NoCreateRuns(ctx context.Context) bool {
	c, ok := ChainOf(ctx)
	return ok && c.NoCreateRuns != nil && c.NoCreateRuns()
}

// A Call is one call of a handler's method.
type Call struct {
	Method     string // "Create", "Update", "Delete" or "Find"; in the registry also "Read" or "List"
	PhysicalID string // that the method is called for; "" for Create and mostly for Find
	// Created returns the ID that the method has named so far. It is nil except for Create.
	Created func() string
}

// A Method calls the method, and returns the ID that Find returned.
type Method func() (physicalID string, err error)

// A Func is called in place of a method, in the goroutine in which the method
// is to run. What it returns is what the method is taken to have returned.
type Func func(ctx context.Context, c Call, method Method) (physicalID string, err error)

type callKey struct{}

// WithCalls returns a context with which fn is called in place of each method.
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

type stepKey struct{}

// WithSteps returns a context in which step is called at each step of the service
// that a method works with. Its error is the step's.
func WithSteps(ctx context.Context, step func(context.Context) error) context.Context {
	return context.WithValue(ctx, stepKey{}, step)
}

// Steps returns what [WithSteps] put into ctx.
func Steps(ctx context.Context) (step func(context.Context) error, ok bool) {
	step, ok = ctx.Value(stepKey{}).(func(context.Context) error)
	return step, ok
}

// A Registry calls a Dispatcher for a resource type of the registry, where CloudFormation keeps the
// identifiers itself: it makes none up, and waits for a chain of any length.
type Registry struct {
	// Failed is told the code of a FAILED answer, which may be "". It is called
	// before the answer is sent.
	Failed func(code string)
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
