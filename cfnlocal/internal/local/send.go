package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/bucket"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// send is Live.Send. It sends a request on its way. It is called within a
// step, so it may read the stack.
func (o *operation) send(q *engine.Request) {
	s := o.record.StackOf(q.StackID)
	r := &sentRequest{operation: o, request: *q, name: s.PathOf(q.LogicalID), lost: lostDelete(s, q)}
	if q.Registered() { // no fault meets it
		r.provider = providerOfType(o.record, q.Type)
	} else {
		r.provider = o.providerOf(q.ServiceToken)
		r.faults = o.faults.chosen.forResource(q, r.name, cleaningUp(s))
	}
	r.start(r.send)
}

// start does something for a request in the background.
func (r *sentRequest) start(do func(context.Context) error) {
	o := r.operation
	o.sent.start(func(ctx context.Context) {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			o.watcher.NoteOf(r.request.RequestID, err.Error())
		}
		_ = o.host.Wait(ctx) // until nothing works on this request, or another
	})
}

// A sentRequest is a request on its way to its provider. Lambda delivers the event, perhaps more than once.
type sentRequest struct {
	operation *operation
	request   engine.Request
	name      string // of its resource, as seen from the root stack
	provider  *provider
	faults    []*faultKind
	lost      lost
	waits     bool      // its handler waits, for as long as the function's timeout
	due       time.Time // in the stack's time, once it is in the queue
}

func (r *sentRequest) send(ctx context.Context) error {
	o, q := r.operation, &r.request

	// Some faults keep it from its provider.
	o.describeFaults(q, r.name, r.faults)
	for _, fault := range r.faults {
		if fault != neverAnswer && fault.cleanups == 0 {
			continue
		}
		o.struck(q.RequestID, func(kind *faultKind) bool { return kind == fault })
		if fault == neverAnswer {
			return nil
		}
		_, err := o.live.Answer(q.RequestID, failed(q, "made to fail by the fault "+fault.Name))
		return err
	}

	// CloudFormation fails a resource at once if there is no function to call.
	if none := o.provide(ctx, r.provider); none != nil {
		return o.failUncalled(q.RequestID, none)
	}

	switch {
	case q.Registered():
		return r.call(ctx)
	case r.queue(ctx):
		return nil
	}
	return r.invoke(ctx)
}

// invoke hands the event to Lambda. Its URL is signed at the present, not in the past of a stack whose
// machine slept: the handler would take the event for an old one. An event from the queue is that old.
func (r *sentRequest) invoke(context.Context) error {
	o, q := r.operation, &r.request
	at, faults := time.Now(), o.injectFaults(q, r.name, r.faults)
	if r.waits {
		faults = append(faults, host.ExactTimeout)
	}
	switch {
	case !r.due.IsZero():
		at = at.Add(q.SentAt.Sub(r.due))
		faults = append(faults, host.NoCreateRuns)
	case q.SentAt.After(at):
		at = q.SentAt
	}
	url := o.bucket.SignAt(addressOf(q), at)
	_, err := o.host.Invoke(r.provider.arn, q.Event(url), faults...)
	return o.failIfRefused(q.RequestID, err)
}

// failIfRefused fails a request at once if Lambda or SNS has refused it.
func (o *operation) failIfRefused(requestID string, err error) error {
	if _, is := errors.AsType[*host.RefusedError](err); !is {
		return err
	}
	o.struckByLambda(requestID, host.Refused)
	return o.failUncalled(requestID, err)
}

// failUncalled fails a request for which nothing could be called.
func (o *operation) failUncalled(requestID string, why error) error {
	return o.live.Do(func(m *engine.Machine, now time.Time) error {
		m.Refuse(now, requestID, why.Error())
		return nil
	})
}

func addressOf(q *engine.Request) bucket.Request {
	return bucket.Request{StackID: q.StackID, LogicalID: q.LogicalID, RequestID: q.RequestID}
}

func (o *operation) describeFaults(q *engine.Request, resource string, faults []*faultKind) {
	o.faults.await(q.RequestID, faults)
	for _, fault := range faults {
		o.watcher.tell("fault " + fault.Name + ": " + q.RequestType + " of " + resource)
	}
}

// struck notes that a fault strikes a request now, if an awaited fault matches.
func (o *operation) struck(requestID string, is func(*faultKind) bool) {
	if fault := o.faults.struck(requestID, is); fault != nil {
		o.watcher.note(engine.Note{Kind: engine.NoteFault, Request: requestID, Text: fault.Name}, "")
	}
}

// struckByLambda notes the fault that causes what has happened to an event.
func (o *operation) struckByLambda(requestID string, kind host.Kind) {
	faults := map[host.Kind][]host.Fault{
		host.Crashed: {host.DieBefore, host.DieAfter}, host.Throttled: {host.Throttle},
		host.Delivering: {host.Twice, host.Redeliver}, host.Dropped: {host.DropEvent}, host.Refused: {host.Refuse},
	}[kind]
	o.struck(requestID, func(fault *faultKind) bool { return slices.Contains(faults, fault.lambda) })
}

// injectFaults injects the faults of a request's answer and of the bucket, and
// returns the faults of Lambda.
func (o *operation) injectFaults(q *engine.Request, resource string, faults []*faultKind) (lambda []host.Fault) {
	o.faults.inject(q.RequestID, resource, faults)
	for _, fault := range faults {
		if fault.s3 != "" {
			o.bucket.Inject(addressOf(q), fault.s3)
		}
		if fault.lambda != "" {
			lambda = append(lambda, fault.lambda)
		}
	}
	return lambda
}

func failed(q *engine.Request, reason string) []byte {
	body, _ := json.Marshal(map[string]string{ // strings always can be
		"Status": "FAILED", "Reason": reason, "PhysicalResourceId": q.PhysicalID,
		"StackId": q.StackID, "RequestId": q.RequestID, "LogicalResourceId": q.LogicalID,
	})
	return body
}

// answered is called by the bucket when it has stored an answer.
func (o *operation) answered(b bucket.Upload) {
	id := b.Request.RequestID
	injected := o.faults.of(id)
	o.struck(id, func(fault *faultKind) bool {
		return fault == lateAnswer || fault == loseAnswer || fault == cancelWhileRunning
	})
	switch {
	case injected.has(lateAnswer):
		o.faults.hold(heldAnswer{id, b.Body})
		return
	case injected.has(loseAnswer):
		// Only saving the stack can fail, and Wait returns that error as well.
		_ = o.live.Do(func(m *engine.Machine, _ time.Time) error { m.LoseAnswer(id, b.Body); return nil })
		o.watcher.note(engine.Note{Kind: engine.NoteLost, Request: id}, "")
		return
	case injected.has(cancelWhileRunning) && b.Count == 1:
		if _, err := o.execute(instructCancel); err != nil {
			return // Wait returns it as well
		}
	}
	// The handler gets the response to its PUT before anything is saved.
	o.live.Queue(id, b.Body, func(waitedFor bool) {
		if !waitedFor && b.Count == 1 {
			text := unwaitedFor(injected.resource)
			o.watcher.note(engine.Note{Kind: engine.NoteLate, Request: id}, text)
		}
	})
}

// unwaitedFor describes an answer about a resource that came too late.
func unwaitedFor(resource string) string {
	return "the answer to the request about " + resource + " came too late: CloudFormation ignores it, and the handler's work is not undone"
}

// answerRefused is called by the bucket when it has refused a PUT.
func (o *operation) answerRefused(b bucket.Refusal) {
	o.struck(b.Request.RequestID, func(fault *faultKind) bool { return fault.s3 != "" })
	o.watcher.noteRefusal(b, o.faults.of(b.Request.RequestID).resource)
}

// sentRequests are the requests of an operation that are on their way.
type sentRequests struct {
	ctx      context.Context
	cancel   context.CancelFunc
	group    sync.WaitGroup
	running  atomic.Int64
	begun    atomic.Int64  // so far
	settling atomic.Int64  // those that wait for the others to end
	ended    chan struct{} // signals that one has ended

	mu     sync.Mutex
	queued []*sentRequest // lost Deletes, the first that is due first
}

// begin allows requests to be sent. The end of ctx does not end them.
func (s *sentRequests) begin(ctx context.Context) {
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.ended = make(chan struct{}, 1)
}

func (s *sentRequests) start(do func(ctx context.Context)) {
	s.begun.Add(1)
	s.running.Add(1)
	s.group.Go(func() {
		do(s.ctx)
		s.running.Add(-1)
		select {
		case s.ended <- struct{}{}:
		default:
		}
	})
}

// end ends what is still done for requests.
func (s *sentRequests) end() {
	s.cancel()
	s.group.Wait()
}

// provideInvoked adds to Lambda the function with an ARN that another function invokes, as it is now. It
// returns a *host.NotFoundError if neither the stack nor a command has it.
func (o *operation) provideInvoked(arn string) error {
	var p *provider
	o.live.Look(func(*engine.Stack) { p = o.behind(arn) })
	if len(p.functions) == 0 {
		return &host.NotFoundError{ARN: arn}
	}
	return o.provide(o.sent.ctx, p)
}

// isDeleted reports whether no stack has the function of an ARN any more, and no command runs it.
func (o *operation) isDeleted(arn string) (is bool) {
	o.live.Look(func(*engine.Stack) { is = o.behind(arn).unknown })
	return is
}

// provide builds the missing programs of a provider, and adds its functions to Lambda. The error is why there is no function to call.
func (o *operation) provide(ctx context.Context, p *provider) error {
	if p.reason == "" {
		o.buildMissing(ctx, p)
	}
	if p.reason != "" {
		return errors.New(p.reason)
	}
	return o.host.provide(p)
}

// faultsOfLink returns the faults of an event that a function sends. An event about a request of
// this operation counts as one more request of its kind. A cancellation comes before the event is
// queued.
func (o *operation) faultsOfLink(payload []byte) []host.Fault {
	// Find the request that the event is about.
	var about struct{ RequestId string }
	if json.Unmarshal(payload, &about) != nil {
		return nil
	}
	var q *engine.Request
	cleanup, resource := false, ""
	o.live.Look(func(s *engine.Stack) {
		sent := s.Sent()
		if i := slices.IndexFunc(sent, func(q *engine.Request) bool { return q.RequestID == about.RequestId }); i >= 0 {
			copied, stack := *sent[i], o.record.StackOf(sent[i].StackID)
			q, cleanup, resource = &copied, cleaningUp(stack), stack.PathOf(copied.LogicalID)
		}
	})
	if q == nil {
		return nil
	}

	// Cancel now, and leave the other faults to Lambda.
	faults := o.faults.chosen.forResource(q, resource, cleanup)
	o.describeFaults(q, resource, faults)
	if i := slices.Index(faults, cancelWhileRunning); i >= 0 {
		faults = slices.Delete(faults, i, i+1)
		_, _ = o.execute(instructCancel) // Wait returns its error as well
	}
	lambda := o.injectFaults(q, resource, faults)
	if slices.Contains(faults, neverAnswer) {
		lambda = append(lambda, host.DropEvent)
	}
	return lambda
}

func cleaningUp(s *engine.Stack) bool { return strings.HasSuffix(s.Status, "_CLEANUP_IN_PROGRESS") }

// call calls the handler of a registered type, and passes its answer on.
func (r *sentRequest) call(ctx context.Context) error {
	o, q := r.operation, &r.request
	result, err := o.host.Call(ctx, r.provider.arn, q.Event(""))
	if err != nil {
		return o.failIfRefused(q.RequestID, err)
	}
	waitedFor, err := o.live.Answer(q.RequestID, answerOf(result))
	if err == nil && !waitedFor {
		o.watcher.Note(unwaitedFor(r.name))
	}
	return err
}

// answerOf returns the answer of a call: a call without one failed [I].
func answerOf(result host.Result) []byte {
	if result.Kind == host.Succeeded {
		return result.Payload
	}
	var failure struct{ ErrorMessage string }
	_ = json.Unmarshal(result.Payload, &failure) // then it has no message
	body, _ := json.Marshal(map[string]string{"status": "FAILED", "errorCode": "HandlerInternalFailure",
		"message": mask.Signatures(cmp.Or(failure.ErrorMessage, string(result.Kind)))}) // strings always can be
	return body
}
