package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/response"
)

// A Dispatcher stands between Lambda and the [Handler] of each resource type: pass it to
// lambda.Start. It is safe for concurrent use once it has all its handlers.
type Dispatcher struct {
	opts      Options
	sender    response.Sender
	errs      []error
	resources map[string]resource
	types     []ResourceType // those of resources, in the order of Handle

	logs      guard.Log
	delivered atomic.Int64 // when the last answer was, in Unix nanoseconds
	gate      gate
	memory    memory
	secrets   redact.Redactor // those that outlive an event
}

// anyType is the resource type of the handler for every type that has none.
const anyType = ""

// New returns a Dispatcher that passes every event to h, whatever its resource type. It never
// panics: [Dispatcher.Err] reports what is wrong with h, its types or the options, and every event
// is answered FAILED with that Reason.
func New[H Handler[P, D], P, D any](h H, optFns ...func(*Options)) *Dispatcher {
	d := NewDispatcher(optFns...)
	Handle(d, anyType, h)
	return d
}

// NewDispatcher returns a Dispatcher without handlers, for a function with several resource types:
// add them with [Handle]. An event of another type is answered FAILED, unless it is the Delete of a
// resource that was never created. It never panics; see [New].
func NewDispatcher(optFns ...func(*Options)) *Dispatcher {
	d := &Dispatcher{resources: make(map[string]resource)}
	for _, fn := range optFns {
		d.errs = append(d.errs, guard.Apply(&d.opts, fn))
	}
	sender, err := d.opts.sender()
	d.sender, d.errs = sender, append(d.errs, err, d.opts.check())
	return d
}

// Handle makes h the handler of a resource type, such as Custom::Topic; the
// empty type stands for every type without a handler. Call it before the first
// Invoke. [Dispatcher.Err] reports what is wrong with h.
func Handle[H Handler[P, D], P, D any](d *Dispatcher, resourceType string, h H) {
	if _, taken := d.resources[resourceType]; taken {
		d.errs = append(d.errs, fmt.Errorf("%s has two handlers: leave one Handle out", resourceType))
	}
	r, err := newTypedResource[P, D](h)
	d.errs = append(d.errs, err)
	if d.resources == nil {
		d.resources = make(map[string]resource)
		d.errs = append(d.errs, errors.New("the Dispatcher was not made by New or NewDispatcher"))
	}
	if err == nil {
		d.resources[resourceType] = r
		d.types = append(d.types, ResourceType{resourceType, reflect.TypeFor[P](), reflect.TypeFor[D]()})
	}
}

// Err returns what is wrong with the handlers, their types and the options, or nil. It is for
// tests: New cannot return an error, since a program that ends before it answers costs an hour's
// wait.
func (d *Dispatcher) Err() error { return errors.Join(d.errs...) }

// resource returns the handler for an event's type, and an error if it must not be called.
func (d *Dispatcher) resource(resourceType string) (resource, error) {
	r, ok := d.resources[resourceType]
	if !ok {
		r, ok = d.resources[anyType]
	}
	if err := d.Err(); err != nil {
		return r, fmt.Errorf("the function is not configured as it must be: %w", err)
	}
	if ok {
		return r, nil
	}
	return nil, fmt.Errorf("this function has no handler for the resource type %q: check that ServiceToken names the right function, and that this version is not older than the template", resourceType)
}

// Invoke answers the events in payload: one as CloudFormation sends it, those in an SNS
// notification, or the one in the record that an on-failure destination gets. It returns nil once
// they are answered, a FAILED answer included, and an error if one could not be answered or
// delivered: then Lambda delivers the payload again. The result is empty, unless [Options.Describe]
// is set and payload asks for it.
func (d *Dispatcher) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if d.opts.Describe != nil && event.IsDescribe(payload) {
		return d.describe()
	}
	events, err := event.Read(payload)
	if len(events) == 1 && err == nil {
		return nil, d.handle(ctx, events[0])
	}
	errs := make([]error, len(events))
	var wg sync.WaitGroup
	for i, ev := range events {
		wg.Go(func() { errs[i] = d.handle(ctx, ev) })
	}
	wg.Wait()
	if !slices.Contains(errs, nil) { // nothing was answered
		return nil, errors.Join(append(errs, err)...)
	}
	// An event that cannot be answered must not have Lambda deliver the others again.
	var retry []error
	for _, failed := range errs {
		if errors.Is(failed, errUnanswerable) {
			err = errors.Join(err, failed)
		} else {
			retry = append(retry, failed)
		}
	}
	if err != nil {
		d.log(context.WithoutCancel(ctx), slog.LevelError, "a record holds no event that can be answered", slog.String("error", err.Error()))
	}
	return nil, errors.Join(retry...)
}

// log writes a record.
func (d *Dispatcher) log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	d.startLog(ctx, guard.LogLimit, level, message, attrs...)()
}

// startLog begins to write a record, and returns a function that waits for it.
func (d *Dispatcher) startLog(ctx context.Context, limit time.Duration, level slog.Level, message string, attrs ...slog.Attr) (wait func()) {
	logger := d.opts.Logger
	if logger == nil {
		logger = hook.Logger(ctx) // slog.Default() on Lambda
	}
	return d.logs.Start(ctx, limit, logger, level, message, attrs...)
}

// A ResourceType is one that a Dispatcher has a handler for.
type ResourceType struct {
	Name             string       // as given to Handle; "" is every type that has no handler of its own
	Properties, Data reflect.Type // the handler's P and D
}

// ResourceTypes returns the types that have handlers, in the order of [Handle].
func (d *Dispatcher) ResourceTypes() []ResourceType { return slices.Clone(d.types) }

// describe returns the description of the resource types.
func (d *Dispatcher) describe() ([]byte, error) {
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("the function is not configured as it must be: %w", err)
	}
	return d.opts.Describe(d.types)
}
