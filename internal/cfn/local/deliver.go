package local

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/bucket"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// The faults that the bucket knows, and those that Lambda knows.
var (
	bucketFaults = map[string]bucket.Fault{
		"s3-500": bucket.InternalError, "s3-503": bucket.SlowDown, "s3-reset": bucket.Reset, "expired-url": bucket.Expired,
	}
	hostFaults = map[string]host.Fault{
		"redeliver": host.Redeliver, "duplicate": host.Duplicate, "crash-before": host.CrashBefore, "crash-after": host.CrashAfter, "throttle": host.Throttle,
	}
)

// send is Live.Send. It starts the delivery of a request. It is called within a
// step, so it may read the stack.
func (r *run) send(q *engine.Request) {
	r.sent.Add(1)
	r.inFlight.Add(1)
	s := r.record.stack(q.StackID)
	d := &delivery{run: r, request: *q, name: s.PathOf(q.LogicalID)}
	if q.Registered() { // no fault meets it
		d.provider = r.record.registered(q.Type)
	} else {
		d.provider = r.record.resolveServiceToken(q.ServiceToken)
		d.faults = r.faults.forResource(q, d.name, cleaningUp(s))
	}
	r.deliveries.Go(func() {
		if err := d.deliver(); err != nil && r.ctx.Err() == nil {
			r.watcher.NoteOf(d.request.RequestID, err.Error())
		}
		_ = r.host.Wait(r.ctx) // until nothing works on this request, or another
		r.inFlight.Add(-1)
		select {
		case r.deliveryEnded <- struct{}{}:
		default:
		}
	})
}

// A delivery is a request on its way.
type delivery struct {
	run      *run
	request  engine.Request
	name     string // of its resource, as seen from the root stack
	provider *provider
	faults   []string
}

// deliver passes a request to Lambda.
func (d *delivery) deliver() error {
	r, q := d.run, &d.request
	r.describeFaults(q, d.name, d.faults)
	for _, name := range d.faults {
		switch {
		case name == "never-answer":
			return nil
		case strings.HasPrefix(name, cleanupFails):
			_, err := r.live.Answer(q.RequestID, failed(q, "made to fail by the fault "+name))
			return err
		}
	}
	if d.provider.reason == "" {
		r.buildMissing(d.provider)
	}
	if d.provider.reason == "" {
		if err := r.host.deploy(d.provider); err != nil {
			d.provider.reason = err.Error()
		}
	}
	if d.provider.reason != "" {
		return r.live.Do(func(m *engine.Machine, now time.Time) error {
			m.Refuse(now, q.RequestID, d.provider.reason)
			return nil
		})
	}
	if q.Registered() {
		return d.call()
	}
	to := bucket.Request{StackID: q.StackID, LogicalID: q.LogicalID, RequestID: q.RequestID}
	at := time.Now() // not that of a stack whose machine slept: the handler would take the event for an old one
	if q.SentAt.After(at) {
		at = q.SentAt
	}
	url := r.bucket.SignAt(to, at)
	_, err := r.host.Invoke(d.provider.arn, q.Event(url), r.injectFaults(q, d.name, d.faults)...)
	return err
}

// describeFaults notes the faults of a request.
func (r *run) describeFaults(q *engine.Request, resource string, faults []string) {
	for _, name := range faults {
		r.watcher.note(page.Note{Kind: page.Fault, Request: q.RequestID, Text: name}, "fault "+name+": "+q.RequestType+" of "+resource)
	}
}

// injectFaults injects the faults of a request's answer and of the bucket, and
// returns the faults of Lambda.
func (r *run) injectFaults(q *engine.Request, resource string, names []string) (faults []host.Fault) {
	r.mu.Lock()
	r.injected[q.RequestID] = requestFaults{resource, append(r.injected[q.RequestID].faults, names...)}
	r.mu.Unlock()
	for _, name := range names {
		if fault, ok := bucketFaults[name]; ok {
			r.bucket.Inject(bucket.Request{StackID: q.StackID, LogicalID: q.LogicalID, RequestID: q.RequestID}, fault)
		}
		if fault, ok := hostFaults[name]; ok {
			faults = append(faults, fault)
		}
	}
	return faults
}

// failed returns the answer FAILED to a request.
func failed(q *engine.Request, reason string) []byte {
	body, _ := json.Marshal(map[string]string{ // strings always can be
		"Status": "FAILED", "Reason": reason, "PhysicalResourceId": q.PhysicalID,
		"StackId": q.StackID, "RequestId": q.RequestID, "LogicalResourceId": q.LogicalID,
	})
	return body
}

// delivered is called by the bucket when it has received an answer.
func (r *run) delivered(b bucket.Delivery) {
	id := b.Request.RequestID
	r.mu.Lock()
	name, faults := r.injected[id].name, r.injected[id].faults
	late := slices.Contains(faults, "late")
	if late {
		r.lateAnswers = append(r.lateAnswers, lateAnswer{id, b.Body})
	}
	r.mu.Unlock()
	switch {
	case late:
		return
	case slices.Contains(faults, "lose"):
		// An error is that of saving the stack, which Wait returns as well.
		_ = r.live.Do(func(m *engine.Machine, _ time.Time) error { m.Lose(id, b.Body); return nil })
		r.watcher.note(page.Note{Kind: page.Lost, Request: id}, "")
		return
	case slices.Contains(faults, "cancel") && b.Count == 1:
		if err := r.execute(commandCancel); err != nil {
			return // Wait returns it as well
		}
	}
	// The handler is told that its answer has come before anything is saved.
	r.live.Queue(id, b.Body, func(waitedFor bool) {
		if !waitedFor && b.Count == 1 {
			r.watcher.note(page.Note{Kind: page.Late, Request: id}, "the answer to the request about "+name+" came when nobody waited for it: it is ignored, and what its handler did is not undone")
		}
	})
}

// refused is called by the bucket when it has refused a PUT.
func (r *run) refused(b bucket.Refusal) {
	what := "the connection to S3 broke"
	if b.Code != "" {
		what = "S3 answered " + b.Code + " (" + strings.TrimSuffix(b.Message, ".") + ")"
	}
	r.mu.Lock()
	name := r.injected[b.Request.RequestID].name
	r.mu.Unlock()
	who := " when the handler of " + cmp.Or(name, b.Request.LogicalID) + " gave its answer"
	if b.Request.LogicalID == "" {
		who = " to a " + b.Method + " whose URL is that of no request"
	}
	r.watcher.NoteOf(b.Request.RequestID, what+who)
}
