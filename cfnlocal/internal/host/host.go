// Package host stands for AWS Lambda on this machine. It runs functions as processes that get their
// events from the Runtime API (version 2018-06-01), which every runtime speaks, so that a function
// can be a built binary or any command. Events come asynchronously, as from CloudFormation,
// directly or through an SNS topic, or from a function that calls Lambda's Invoke.
//
// # As in Lambda
//
// An event that fails is tried twice more, with the same request ID and the same payload, after
// one minute and after two; then a record of it goes to the function's on-failure destination. An
// event that gets too old is given up. A throttled event goes back to the queue and is tried again
// after one second, two, four, and so on up to five minutes, which does not count as an attempt. A process serves one event at a time, is kept for the next one, and is killed when the
// function's timeout has passed. The host distinguishes a function's error, the end of its
// process, and an end before it was ready. (AWS Lambda Developer Guide, "How Lambda handles errors and
// retries with asynchronous invocation", "Capturing records of Lambda asynchronous invocations",
// "Using the Lambda runtime API for custom runtimes".)
//
// # Invoke
//
// Each process has an endpoint of Lambda's API, in AWS_ENDPOINT_URL_LAMBDA, where the AWS SDKs look
// for one. It is the endpoint of its Runtime API, excludes other users like that, ends with the
// process, and answers one action, Invoke: with the invocation types Event, RequestResponse and
// DryRun, qualifiers, and Lambda's error codes and statuses. The host ends a chain of more than
// sixteen invocations of one function, unless its RecursiveLoop is Allow; as in Lambda, a client
// that does not pass X-Ray's header on begins a chain. (AWS Lambda API Reference, "Invoke"; AWS
// Lambda Developer Guide, "Use Lambda recursive loop detection".)
//
// # Unlike Lambda
//
//   - Processes are not frozen between events, have no limit of memory, and see
//     the machine's files and network. There is no sandbox: programs run here are
//     trusted as go test trusts them.
//   - They get only those environment variables that a program needs to run here,
//     and none of the user's AWS credentials, neither from variables nor from the
//     shared files. They get made-up ones, without which AWS's clients send
//     nothing. A function's own variables can set others.
//   - If a function does not get ready in ten seconds, the host starts it once more
//     with its own timeout as the limit, as in Lambda, but two minutes at most. If
//     its process ends before it is ready, the attempt has failed. If it does not
//     get ready the second time, and never has, the next attempt starts it for ten
//     seconds, and later ones do not start it: only the clock counts their time.
//   - All versions and aliases are the function as it is now. There are no layers,
//     extensions or dead-letter queues, no reserved concurrency but that of zero, and
//     responses are not streamed.
//   - Invoke verifies no signature, checks no role, and returns no log and no
//     client context.
//   - Destinations and subscribers are functions, or topics, of this host.
//   - If an event was given up before its first attempt, the record has no
//     response: it is not known what Lambda writes there.
//
// # Ends
//
// Close leaves no process behind: each is killed with the group of processes that it leads. If this
// process is killed, Linux kills the processes that it has started, but not their own children. There,
// and on other systems, a program that speaks the Runtime API ends when it asks for its next event.
package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// maxPayload is how long the payload of an asynchronous invocation may be, in
// bytes (AWS Lambda Developer Guide, "Lambda quotas").
const maxPayload = 1 << 20

// Config configures a host. The zero value is valid.
type Config struct {
	// ResponseHost is added to the functions' CFNRESOURCE_RESPONSE_HOSTS: the origin of the response
	// bucket, or "".
	ResponseHost string
	// CloudFormation is the endpoint of CloudFormation's API for functions that
	// name none; "" if there is none.
	CloudFormation string
	// Clock measures the age of events and the waits between attempts, and for functions that do not
	// get ready. Nil is the real one. The timeout of a process is in real time in any case, and longer
	// if the machine is busy.
	Clock Clock
	// ExactTimeouts are as long on a busy machine as on an idle one.
	ExactTimeouts bool
	// InitTimeout is how long a process may take to ask for its first event; 0 is Lambda's ten seconds. Tests of
	// functions that never ask set less.
	InitTimeout time.Duration
	// BeforeInvoke is called with the ARN of the function or topic that a function
	// invokes, before the look-up, so that it can be added as it is then.
	// The function gets its error, such as a *NotFoundError. Nil adds nothing.
	BeforeInvoke func(arn string) error
	// Deleted reports whether the function of an ARN is deleted by now. It then gets no further attempt [I]. Nil says that
	// none is.
	Deleted func(arn string) bool
	// Faults returns the faults of an event that a function sends. Nil is none.
	Faults func(payload []byte) []Fault
	// Event is called for everything that happens, and Log for every line that a
	// process writes, each one call at a time. They must not call Close.
	Event func(Event)
	Log   func(LogLine)
}

// A Clock has a time, and waits.
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
	slowStart time.Duration // after which it is reported that a process has not asked for an event
	load      func() int    // how many times as long as on Lambda work takes here

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
		initLimit: cmp.Or(c.InitTimeout, 10*time.Second),
		slowStart: 5 * time.Second,
		load:      loadFactor,
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

// A RefusedError is what Lambda or SNS answers to a call that it refuses: no function gets the event, and
// CloudFormation fails the resource at once, with the error's text as the reason: observed of an event that is too large
// (aws-samples/aws-cdk-eks-fluxv2-example#53), inferred of all others. Codes and statuses are documented, in AWS's API
// References. Unless a comment says otherwise, the messages are those that people have quoted from AWS.
type RefusedError struct {
	Status        int
	Code, Message string
	Service       string // as AWS names it in errors: "" is AWSLambda
}

// Error is the reason as CloudFormation shows it, without the service's request ID (aws/aws-pdk#771).
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s (Service: %s; Status Code: %d; Error Code: %s)", e.Message, cmp.Or(e.Service, "AWSLambda"), e.Status, e.Code)
}

// A NotFoundError reports an ARN for which the host has no function and no topic.
// CloudFormation fails a resource with such a ServiceToken at once.
type NotFoundError struct{ ARN string }

func (e *NotFoundError) Error() string {
	return "host: there is no function and no topic " + e.ARN
}

// Invoke puts an event into the queue of a function, or publishes it to a topic,
// and returns the ID that its invocations have in common. Config.Event reports
// what becomes of it, with that ID. The faults strike it. The error is a *RefusedError
// if Lambda or SNS would not accept the event.
func (h *Host) Invoke(arn string, payload []byte, faults ...Fault) (requestID string, err error) {
	if !json.Valid(payload) {
		return "", errNoJSON
	}
	if slices.Contains(faults, Refuse) {
		return "", notAuthorized(arn)
	}
	h.mu.Lock()
	f, topic, isTopic := h.functions[arn], h.topics[arn], h.topics[arn].ARN != ""
	h.mu.Unlock()
	switch {
	case f != nil && len(payload) > maxPayload:
		err = eventTooLarge(len(payload))
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

// allowed returns how long a function with a timeout on Lambda may take on this machine.
func (h *Host) allowed(timeout time.Duration) time.Duration {
	return timeout * time.Duration(h.load())
}

// A Result is how a synchronous invocation ended.
type Result struct {
	RequestID string
	Kind      Kind            // Succeeded, Errored, Crashed, TimedOut or InitFailed
	Payload   json.RawMessage // the function's response, or Lambda's description of the error
}

// Call invokes a function synchronously, once. The Result has the outcome, even a
// failure; the error says why the function was not invoked. Call does not wait for
// other events, so that functions can call each other.
func (h *Host) Call(ctx context.Context, arn string, payload []byte) (Result, error) {
	f := h.lookup(arn)
	switch {
	case !json.Valid(payload):
		return Result{}, errNoJSON
	case len(payload) > maxSyncPayload:
		return Result{}, requestTooLarge(maxSyncPayload)
	case f == nil:
		return Result{}, &NotFoundError{arn}
	case f.Unavailable:
		return Result{}, errNoConcurrency
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
		return Result{}, fmt.Errorf("host: the invocation was interrupted: %w", err)
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

// Close gives up all events, kills all processes, and waits until they have ended.
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

// A Fault is a failure of Lambda with an event, even if the function is correct.
type Fault string

// The faults. Throttle, DieBefore and DieAfter are used up by one attempt
// each, in their order; the others are for the event as a whole.
const (
	// Redeliver delivers the event once more after it succeeded, which the queue
	// can do at any time.
	Redeliver Fault = "redeliver"
	// Twice delivers the event twice at once, to two processes.
	Twice Fault = "twice"
	// Refuse has Lambda refuse the event, as if nobody had a permission to invoke the function.
	Refuse Fault = "refuse"
	// DropEvent takes the event out of the queue: no process ever gets it.
	DropEvent Fault = "lose"
	// Throttle has no room for the event.
	Throttle Fault = "throttle"
	// DieBefore kills the process before it gets the event, so that the handler does not see it.
	DieBefore Fault = "die-before"
	// DieAfter kills the process when it returns: the work is done, but Lambda never
	// learns of it.
	DieAfter Fault = "die-after"
	// ExactTimeout has the function see its own timeout also on a busy machine: it waits for that long,
	// or compares the event's age with it.
	ExactTimeout Fault = "exact-timeout"
	// NoCreateRuns has Lambda say in the client context that no Create runs that a Delete may have
	// overtaken. A handler of this SDK then waits from when the Delete was sent, and not from its arrival.
	NoCreateRuns Fault = "no-create-runs"
)
