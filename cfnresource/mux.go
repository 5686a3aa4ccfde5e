package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/gate"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// A Mux stands between Lambda and several Handlers, one for each resource
// type. Pass it to lambda.Start once all are added with [Handle]. An event of
// another type is answered FAILED, unless it is the Delete of a resource that
// was never created.
type Mux struct {
	opts      Options
	sender    response.Sender
	errs      []error
	resources map[string]resource

	mute   atomic.Bool // the logger hangs
	gate   gate.Gate
	memory gate.Memory
}

// anyType is the resource type of a Dispatcher's handler.
const anyType = ""

// NewMux returns a Mux without handlers. It never panics; see [Mux.Err].
func NewMux(optFns ...func(*Options)) *Mux {
	m := &Mux{resources: make(map[string]resource)}
	for _, fn := range optFns {
		m.errs = append(m.errs, m.set(fn))
	}
	if slices.ContainsFunc(m.opts.Middleware, func(mw Middleware) bool { return mw == nil }) {
		m.errs = append(m.errs, errors.New("Options.Middleware holds nil: leave it out"))
	}
	m.sender = m.opts.Sender
	if m.sender == nil {
		hosts := m.opts.ResponseHosts
		if env := os.Getenv("CFNRESOURCE_RESPONSE_HOSTS"); env != "" {
			hosts = append(strings.Split(env, ","), hosts...)
		}
		sender := response.NewSender(os.Getenv("AWS_REGION"), hosts...)
		m.errs = append(m.errs, sender.Err())
		m.sender = sender
	}
	if n := m.opts.IDLength; n != 0 && (n < physicalid.MinLength || n > physicalid.MaxLength) {
		m.errs = append(m.errs, fmt.Errorf("Options.IDLength is %d: make it 0, or %d to %d", n, physicalid.MinLength, physicalid.MaxLength))
	}
	if m.opts.ResponseMargin < 0 || m.opts.LostGrace < 0 {
		m.errs = append(m.errs, errors.New("Options.ResponseMargin or LostGrace is negative"))
	}
	return m
}

func (m *Mux) set(option func(*Options)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("an option panicked: %v", r)
		}
	}()
	if option != nil {
		option(&m.opts)
	}
	return nil
}

// Handle makes h the handler of a resource type, such as Custom::Topic; that of
// the empty type gets every type that has none. It is called before the first
// Invoke. What is wrong with it is reported by [Mux.Err].
func Handle[H Handler[P, D], P, D any](m *Mux, resourceType string, h H) {
	if _, taken := m.resources[resourceType]; taken {
		m.errs = append(m.errs, fmt.Errorf("%s has two handlers: leave one Handle out", resourceType))
	}
	r, err := newTyped[P, D](h)
	m.errs = append(m.errs, err)
	if m.resources == nil {
		m.resources = make(map[string]resource)
		m.errs = append(m.errs, errors.New("the Mux was not made by NewMux"))
	}
	if err == nil {
		m.resources[resourceType] = r
	}
}

// Err returns what is wrong with the handlers, their types and the options,
// or nil.
func (m *Mux) Err() error { return errors.Join(m.errs...) }

// log writes a record. A logger is the user's code too: one that hangs is not
// called again.
func (m *Mux) log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	if m.mute.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	var g guard.Guard
	f := g.Run(ctx, "logging", func(ctx context.Context) error {
		logger := m.opts.Logger
		if logger == nil {
			logger = slog.Default()
		}
		logger.LogAttrs(ctx, level, message, attrs...)
		return nil
	})
	if f != nil && f.Abandoned {
		m.mute.Store(true)
	}
}

// resource returns the handler for an event's type, and an error if it must not
// be called.
func (m *Mux) resource(resourceType string) (resource, error) {
	r, ok := m.resources[resourceType]
	if !ok {
		r, ok = m.resources[anyType]
	}
	if err := m.Err(); err != nil {
		return r, fmt.Errorf("the function is not configured as it must be: %w", err)
	}
	if ok {
		return r, nil
	}
	return nil, fmt.Errorf("this function has no handler for the resource type %q: is ServiceToken another function's, or this version older than the template?", resourceType)
}

// Invoke answers the events in payload, as [Dispatcher.Invoke] does.
func (m *Mux) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	events, err := event.Read(payload)
	if len(events) == 1 && err == nil {
		return nil, m.handle(ctx, events[0])
	}
	errs := make([]error, len(events))
	var wg sync.WaitGroup
	for i, ev := range events {
		wg.Go(func() { errs[i] = m.handle(ctx, ev) })
	}
	wg.Wait()
	errs = append(errs, err)
	if !slices.Contains(errs[:len(events)], nil) {
		return nil, errors.Join(errs...)
	}
	// Something was answered. Where nothing can be, an error would only have
	// that handled again.
	for i, err := range errs {
		if err != nil && (i == len(events) || errors.Is(err, errUnanswerable)) {
			m.log(context.WithoutCancel(ctx), slog.LevelError, "a record holds no event that can be answered", slog.String("error", err.Error()))
			errs[i] = nil
		}
	}
	return nil, errors.Join(errs...)
}
