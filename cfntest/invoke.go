package cfntest

import (
	"context"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Function is what lambda.Start takes: a Dispatcher.
type Function interface {
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
// If the function continues, as with selfinvoke, what it sends itself is handed to h, too, until it
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
	req, err := answercheck.ReadRequest(event)
	if err != nil {
		t.Fatalf("cfntest: %v", err)
	}
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
