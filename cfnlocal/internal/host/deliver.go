package host

import (
	"context"
	"slices"
	"time"
)

// A delivery is an event on its way through a function's queue.
type delivery struct {
	function *function
	id       string
	payload  []byte
	trace    string // X-Ray's header; "" if no function has sent the event
	born     time.Time
	faults   []Fault // those that are to come
	looped   bool    // it is the one too many of a recursive loop
}

// take reports whether a fault is still to come, and strikes it out.
func (d *delivery) take(f Fault) bool {
	i := slices.Index(d.faults, f)
	if i >= 0 {
		d.faults = slices.Delete(slices.Clone(d.faults), i, i+1)
	}
	return i >= 0
}

// enqueue delivers an event, in the background.
func (h *Host) enqueue(d *delivery) error {
	if !h.enter(true) {
		return errClosed
	}
	go func() {
		defer h.leave(true)
		h.deliver(d)
	}()
	return nil
}

// deliver brings an event to its function until it succeeds or is given up. The host's end ends it.
func (h *Host) deliver(d *delivery) {
	if d.looped {
		h.report(Event{Kind: Looped, Function: d.function.name, RequestID: d.id, Payload: d.payload})
		h.giveUp(d, "RetriesExhausted", 0, outcome{}) // [?] which condition it is
		return
	}
	if d.take(Lose) {
		h.report(Event{Kind: Dropped, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: "it was lost from the queue"})
		return
	}
	if d.take(Twice) {
		h.report(Event{Kind: Delivering, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: "twice at once"})
		twin := *d
		twin.faults = nil
		_ = h.enqueue(&twin) // unless the host is closed
	}
	if !h.process(d) {
		return
	}
	if d.take(Redeliver) {
		h.report(Event{Kind: Delivering, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: "again"})
		h.process(d)
	}
}

// retryDelays are the waits before the second and the third attempt.
var retryDelays = [2]time.Duration{time.Minute, 2 * time.Minute}

// process tries until the function succeeds, and reports whether it did.
func (h *Host) process(d *delivery) bool {
	var last outcome
	limit := d.born.Add(d.function.MaximumEventAge)
	for attempts, throttles := 0, 0; ; {
		if !h.config.Clock.Now().Before(limit) {
			h.giveUp(d, "EventAgeExceeded", attempts, last)
			return false
		}
		fault := d.nextFault()
		if fault == Throttle {
			next := h.config.Clock.Now().Add(min(time.Second<<min(throttles, 10), 5*time.Minute))
			throttles++
			h.report(Event{Kind: Throttled, Function: d.function.name, RequestID: d.id, Payload: d.payload, Next: next})
			if h.wait(d, next) != nil {
				return false
			}
			continue
		}
		o, err := h.attemptInSlot(d, attempts+1, fault)
		if err != nil {
			return false
		}
		if o.kind == Succeeded {
			return true
		}
		last = o
		attempts++
		if attempts > d.function.MaximumRetryAttempts {
			h.giveUp(d, "RetriesExhausted", attempts, last)
			return false
		}
		next := h.config.Clock.Now().Add(retryDelays[attempts-1])
		h.report(Event{Kind: Retrying, Function: d.function.name, RequestID: d.id, Payload: d.payload, Attempt: attempts + 1, Next: next})
		if h.wait(d, next) != nil {
			return false
		}
	}
}

func (d *delivery) nextFault() Fault {
	for _, f := range d.faults {
		if f == Throttle || f == DieBefore || f == DieAfter {
			d.take(f)
			return f
		}
	}
	return ""
}

// wait waits for a time, or until the event is too old.
func (h *Host) wait(d *delivery, until time.Time) error {
	if limit := d.born.Add(d.function.MaximumEventAge); until.After(limit) {
		until = limit
	}
	return h.config.Clock.Wait(h.ctx, until)
}

// attemptInSlot waits for its turn.
func (h *Host) attemptInSlot(d *delivery, number int, fault Fault) (outcome, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-h.ctx.Done():
		return outcome{}, h.ctx.Err()
	}
	return h.attempt(h.ctx, d, number, fault)
}

// giveUp ends an event that could not be processed, and records it.
func (h *Host) giveUp(d *delivery, condition string, attempts int, last outcome) {
	f := d.function
	event := Event{Kind: Dropped, Function: f.name, RequestID: d.id, Payload: d.payload, Text: condition}
	if f.OnFailure == "" {
		h.report(event)
		return
	}
	event.Kind, event.Text = Recorded, f.OnFailure
	h.report(event)
	if _, err := h.Invoke(f.OnFailure, h.record(d, condition, attempts, last)); err != nil && h.ctx.Err() == nil {
		event.Kind, event.Text = Dropped, err.Error()
		h.report(event)
	}
}

// attempt gives an event to a process of its function, and returns how that
// ended. The error is that the context is done.
func (h *Host) attempt(ctx context.Context, d *delivery, number int, fault Fault) (outcome, error) {
	event := Event{Function: d.function.name, RequestID: d.id, Payload: d.payload, Attempt: number}
	trace := d.trace
	if trace == "" {
		trace = newChain().header(d.function.ARN)
	}
	inv := &invocation{id: d.id, arn: d.function.ARN, trace: trace, payload: d.payload, timeout: d.function.Timeout, fault: fault,
		taken: make(chan struct{}), done: make(chan outcome, 1)}
	inv.invoked = func(p *process) {
		event := event
		event.Kind, event.PID = Invoked, p.pid
		h.report(event)
	}
	o, pid, err := h.invoke(ctx, d.function, inv, event)
	if err != nil {
		return outcome{}, err
	}
	event.Kind, event.PID, event.Overtime, event.Text = o.kind, pid, o.overtime, o.text()
	h.report(event)
	return o, nil
}
