package cfntest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A Function is what lambda.Start takes: a Dispatcher.
type Function = interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// timeout is shorter than the ten minutes after which go test kills a test
// that hangs, so that a handler that hangs is answered for first.
const timeout = 5 * time.Minute

// Invoke hands event to h as Lambda would, and returns the answer that
// CloudFormation would get. Nothing goes over a network.
//
// Invoke fails the test unless h gave exactly one answer that CloudFormation
// accepts: at most 4096 bytes, the event's IDs as they came, a Reason with
// FAILED, a physical ID that a Delete does not change, and so on.
//
// If the function continues, as with selfinvoke, Invoke hands h what it sends itself, too, until it
// answers: whatever its options are, nothing is sent, and the phase is that of a stack that waits,
// unless the context has another, by [WithPhase]. Have it wait inside of [testing/synctest.Test].
//
// Each invocation has five minutes; use [InvokeContext] for another deadline.
// The event is one request as CloudFormation sends it to a function, not one
// that SNS or an on-failure destination has wrapped.
func Invoke(t testing.TB, h Function, event []byte) Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	return InvokeContext(ctx, t, h, event)
}

// InvokeContext is [Invoke] with a context of the test's: its deadline is that
// of the Lambda function, its values reach the handler. Of a function that
// continues, each further invocation has as much time as the first.
func InvokeContext(ctx context.Context, t testing.TB, h Function, event []byte) Response {
	t.Helper()
	if h == nil {
		t.Fatalf("cfntest: the function is nil: pass a Dispatcher, as cfnresource.New makes")
	}
	req, err := answercheck.ReadRequest(event)
	if err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	// The same process serves each link of a chain, as a warm one does.
	bodies, invocations, err := simulate.Follow(ctx, func() simulate.Function { return h }, req.RequestType, event)
	if err != nil {
		t.Fatalf("cfntest: Invoke of a %s returned an error, for which Lambda would deliver the event again: %v", req.RequestType, err)
	}
	switch len(bodies) {
	case 1:
	case 0:
		t.Fatalf("cfntest: the %s was not answered: CloudFormation would wait for its ServiceTimeout, an hour by default", req.RequestType)
	default:
		t.Fatalf("cfntest: the %s was answered %d times, want once: CloudFormation reads one of them and ignores the rest", req.RequestType, len(bodies))
	}
	answer, err := answercheck.Read(req, bodies[0])
	if err != nil {
		t.Fatalf("cfntest: CloudFormation would not accept the answer to the %s:\n%v", req.RequestType, err)
	}
	answer.Invocations = invocations
	return Response(answer)
}

// A Response is what CloudFormation reads of the answer to an event. Its form
// has been checked; what it says is for the test to judge.
type Response struct {
	Status             string // "SUCCESS" or "FAILED"
	Reason             string // never empty with FAILED
	PhysicalResourceID string
	NoEcho             bool           // whether Data holds secrets
	Data               map[string]any // strings and lists, by the name that Fn::GetAtt uses

	// Invocations is how many the event took: more than one in a function that continues.
	Invocations int
}

// WithPhase returns a context with which [InvokeContext] sends an event in
// phase p: Request.Phase returns p to the handler, and the Dispatcher goes by
// p, whatever its Options.Phase says.
func WithPhase(ctx context.Context, p lifecycle.Phase) context.Context {
	return hook.WithPhase(ctx, p)
}

// Continues is an option with which a function continues in tests, as it does in Lambda
// with those of packages selfinvoke and stackphase:
//
//	cfnresource.New(&Certificate{}, cfntest.Continues)
//
// The tools of this package then stand in for Lambda and CloudFormation: a request's phase is the one
// of the stack that is played. Without them nothing continues: the function answers FAILED.
//
// It needs a Timeout in the [Contract] or in [StackOptions], at least four minutes unless the template
// has a ServiceTimeout: CloudFormation waits for an hour, and Lambda ends a chain of more than 15
// invocations, so with the minute that is the default each request is answered with FAILED.
func Continues(o *cfnresource.Options) {
	o.Continue = func(context.Context, []byte) error {
		return errors.New("cfntest.Continues is for tests: in main, use selfinvoke.FromEnvironment")
	}
	o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
		return lifecycle.PhaseUnknown, nil
	}
}

// logTo returns a context with which a Dispatcher logs to t.Log until the test ends.
func logTo(ctx context.Context, t testing.TB) context.Context {
	w := &testLog{t: t}
	t.Cleanup(w.close)
	return hook.WithLogger(ctx, slog.New(slog.NewTextHandler(w, nil)))
}

// A testLog is an io.Writer of lines. A method that was abandoned may write one when its
// test has ended, for which t.Log would panic.
type testLog struct {
	mu sync.Mutex
	t  testing.TB // nil if the test has ended
}

func (w *testLog) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.t != nil {
		w.t.Log(strings.TrimRight(string(line), "\n"))
	}
	return len(line), nil
}

func (w *testLog) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.t = nil
}
