package host

import (
	"context"
	"errors"
	"slices"
	"time"
)

// invoke gives an invocation to a process that is warm, or to a new one, and returns how it ended,
// and the ID of the process. The error is that the context is done.
func (h *Host) invoke(ctx context.Context, f *function, inv *invocation, event Event) (o outcome, pid int, err error) {
	run := func(p *process, limit time.Duration) error {
		o, err = p.run(ctx, inv, limit)
		if err == nil {
			h.keepWarm(p)
		}
		return err
	}
	for p := h.idleProcess(f); p != nil; p = h.idleProcess(f) {
		err := run(p, h.initLimit)
		if !errors.Is(err, errGone) && !errors.Is(err, errNotReady) { // else it ended, or hung, after its last event
			return o, p.pid, err
		}
	}
	for _, limit := range []time.Duration{h.initLimit, f.Timeout} {
		p, err := h.start(f)
		switch {
		case errors.Is(err, errClosed):
			return outcome{}, 0, err
		case err != nil:
			return failure(InitFailed, "Runtime.InvalidEntrypoint", inv.id, err.Error()), 0, nil
		}
		event.Kind, event.PID = Started, p.pid
		h.report(event)
		switch err := run(p, limit); {
		case errors.Is(err, errGone):
			return p.initFailure(inv), p.pid, nil
		case errors.Is(err, errNotReady):
			o, pid = timedOut(inv.id, limit), p.pid
		default:
			return o, p.pid, err
		}
	}
	return o, pid, nil
}

// idleProcess returns the idle process that was busy most recently, or nil.
func (h *Host) idleProcess(f *function) *process {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(f.idle) - 1
	if last < 0 {
		return nil
	}
	p := f.idle[last]
	f.idle = f.idle[:last]
	return p
}

// keepWarm keeps a process for the next event, unless it has ended or nobody wants it any more.
func (h *Host) keepWarm(p *process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.function.retired {
		p.kill()
		return
	}
	select {
	case <-p.exited:
	default:
		p.function.idle = append(p.function.idle, p)
	}
}

// removeProcess removes a process that has ended from its function's idle ones.
func (h *Host) removeProcess(p *process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p.function.idle = slices.DeleteFunc(p.function.idle, func(q *process) bool { return q == p })
}
