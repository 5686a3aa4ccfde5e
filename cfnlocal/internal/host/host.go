package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/load"
)

// MaxPayload is how long the payload of an asynchronous invocation may be, in
// bytes (AWS Lambda Developer Guide, "Lambda quotas").
const MaxPayload = 1 << 20

// Config configures a host. The zero value is valid.
type Config struct {
	// ResponseHosts are added to the functions' CFNRESOURCE_RESPONSE_HOSTS: the
	// origin of the response bucket.
	ResponseHosts []string
	// CloudFormation is the endpoint of CloudFormation's API for functions that
	// name none; "" if there is none.
	CloudFormation string
	// Clock tells the age of events and waits between attempts. Nil is the real one. The time that
	// a process may take is real in any case, and longer if the machine is busy.
	Clock Clock
	// ExactTimeouts are as long on a busy machine as on an idle one.
	ExactTimeouts bool
	// Deploy is called with the ARN of what a function invokes, before it is
	// looked up, so that it can be added as it is deployed then. Its error, such
	// as a *NotFoundError, is what the function gets. Nil adds nothing.
	Deploy func(arn string) error
	// Faults says what is to go wrong with an event that a function sends. Nil is nothing.
	Faults func(payload []byte) []Fault
	// Event is called for everything that happens, and Log for every line that a
	// process writes, each one call at a time. They must not call Close.
	Event func(Event)
	Log   func(LogLine)
}

// A Clock tells the time, and waits.
type Clock interface {
	Now() time.Time
	// Wait returns nil when it is at, or the context's cause when that is done.
	Wait(ctx context.Context, at time.Time) error
}

// A Host is a Lambda service. Its methods are safe for concurrent use.
type Host struct {
	config Config
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{} // one for each event that may be processed at a time

	initLimit time.Duration // how long a process may take to ask for its first event
	load      func() int    // how much longer than on Lambda all takes here

	reporting, logging sync.Mutex // held while Event and Log are called

	mu        sync.Mutex
	functions map[string]*function // by ARN
	topics    map[string]Topic
	closed    bool
	busy      sync.WaitGroup // deliveries and processes; none is added once closed is set
	events    int            // deliveries
	atRest    chan struct{}  // closed when there are no deliveries, nil if nobody waits
}

// New returns a host that lives until it is closed or the context is done.
func New(ctx context.Context, c Config) *Host {
	if c.Clock == nil {
		c.Clock = realClock{}
	}
	h := &Host{
		config:    c,
		slots:     make(chan struct{}, 4*runtime.NumCPU()), // the others wait; Lambda would start more processes
		initLimit: 10 * time.Second,
		load:      load.Factor,
		functions: make(map[string]*function),
		topics:    make(map[string]Topic),
	}
	if c.ExactTimeouts {
		h.load = func() int { return 1 }
	}
	h.ctx, h.cancel = context.WithCancel(ctx)
	return h
}

var errClosed = errors.New("host: it has been closed")

// A NotFoundError reports an ARN for which the host has no function and no topic.
// CloudFormation fails a resource with such a ServiceToken at once.
type NotFoundError struct{ ARN string }

func (e *NotFoundError) Error() string {
	return "host: there is no function and no topic " + e.ARN
}

// Invoke puts an event into the queue of a function, or publishes it to a topic,
// and returns the ID that its invocations have in common, which is in the
// events. What becomes of it shows there; faults say what is to go wrong.
func (h *Host) Invoke(arn string, payload []byte, faults ...Fault) (requestID string, err error) {
	if err := checkPayload(payload); err != nil {
		return "", err
	}
	h.mu.Lock()
	f, topic, isTopic := h.functions[arn], h.topics[arn], h.topics[arn].ARN != ""
	h.mu.Unlock()
	switch {
	case f != nil:
		requestID = uuid.NewString()
		err = h.enqueue(&delivery{function: f, id: requestID, payload: payload, born: h.config.Clock.Now(), faults: faults})
	case isTopic:
		requestID, err = h.publish(topic, payload, faults)
	default:
		err = &NotFoundError{arn}
	}
	return requestID, err
}

func checkPayload(payload []byte) error {
	switch {
	case len(payload) > MaxPayload:
		return fmt.Errorf("host: the event has %d bytes, and Lambda takes %d: make the resource's properties smaller", len(payload), MaxPayload)
	case !json.Valid(payload):
		return errors.New("host: the event is not JSON, and Lambda takes nothing else")
	default:
		return nil
	}
}

// allowed is how long something may take on this machine that has a timeout on Lambda.
func (h *Host) allowed(timeout time.Duration) time.Duration {
	return timeout * time.Duration(h.load())
}

// A Result is how a synchronous invocation ended.
type Result struct {
	RequestID string
	Kind      Kind            // Succeeded, Errored, Crashed, TimedOut or InitFailed
	Payload   json.RawMessage // the function's response, or what Lambda says of the error
}

// Call invokes a function synchronously, once. The error is about what prevented
// that: what the function made of it is in the Result. It waits for
// no place among the events, so that functions can call each other.
func (h *Host) Call(ctx context.Context, arn string, payload []byte) (Result, error) {
	if err := checkPayload(payload); err != nil {
		return Result{}, err
	}
	f := h.lookup(arn)
	if f == nil {
		return Result{}, &NotFoundError{arn}
	}
	return h.call(ctx, &delivery{function: f, id: uuid.NewString(), payload: payload, born: h.config.Clock.Now()})
}

func (h *Host) call(ctx context.Context, d *delivery) (Result, error) {
	if !h.enter(true) {
		return Result{}, errClosed
	}
	defer h.leave(true)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	o, err := h.attempt(ctx, d, 1, "")
	if err != nil {
		return Result{}, fmt.Errorf("host: the invocation has been ended: %w", err)
	}
	return Result{d.id, o.kind, o.payload}, nil
}

// Wait waits until no event is in the queue or in a process.
func (h *Host) Wait(ctx context.Context) error {
	h.mu.Lock()
	if h.events == 0 {
		h.mu.Unlock()
		return nil
	}
	if h.atRest == nil {
		h.atRest = make(chan struct{})
	}
	atRest := h.atRest
	h.mu.Unlock()
	select {
	case <-atRest:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close gives up all events, kills all processes, and waits until they are gone.
func (h *Host) Close() {
	h.cancel()
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.busy.Wait()
}

// enter counts a delivery, or a process, and reports whether there may be one.
func (h *Host) enter(event bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.ctx.Err() != nil {
		return false
	}
	h.busy.Add(1)
	if event {
		h.events++
	}
	return true
}

func (h *Host) leave(event bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy.Done()
	if event {
		h.events--
	}
	if h.events == 0 && h.atRest != nil {
		close(h.atRest)
		h.atRest = nil
	}
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Wait(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
