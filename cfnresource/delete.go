package cfnresource

import (
	"time"

	"github.com/cfnresource/sdk-go/physicalid"
)

// delete answers a Delete, with the event's ID always.
func (w *work) delete(p *reading) ([]byte, *failure) {
	f := w.clear(p)
	if f != nil {
		return nil, f
	}
	return w.succeed(w.ev.PhysicalID, nil)
}

// clear removes the resource that a Delete is about. Its ID is CloudFormation's
// invention, or the dispatcher's word for "whatever Find finds", where an
// answer to the Create never arrived.
func (w *work) clear(p *reading) *failure {
	id := w.ev.PhysicalID
	if w.res.hasFind() && id == w.stableID(p) {
		_, f := w.sweep(p)
		return f
	}
	if !physicalid.Generated(id, w.ev.StackID, w.ev.LogicalID) {
		_, f := w.remove(id, p)
		return f
	}
	explained, _, f := w.explains(p, id)
	switch {
	case f != nil:
		return f
	case explained:
		_, f = w.remove(id, p)
		return f
	}
	return w.clearLost(p)
}

// clearLost removes what a Create made whose answer CloudFormation never took.
// That Create may run still, so what is there now proves nothing: it is
// removed, and again once no Create of this function can run any more.
func (w *work) clearLost(p *reading) *failure {
	some, f := w.sweep(p)
	if f != nil {
		return f
	}
	if !some { // an older provider may have made an ID of this shape
		if _, f := w.removeLost(w.ev.PhysicalID, p); f != nil {
			return f
		}
	}
	if !w.waitForCreate() {
		return nil
	}
	_, f = w.sweep(p)
	return f
}

// waitForCreate waits until a Create of this function must have ended, and
// returns false at once if that is the case already.
func (w *work) waitForCreate() bool {
	grace := w.mux.opts.LostGrace
	if grace == 0 {
		grace = w.timeout
	}
	birth := w.ev.Birth
	if birth.IsZero() {
		birth = w.start
	}
	until := birth.Add(grace)
	if last := w.hard.Add(-2 * w.margin); until.After(last) {
		until = last // leaves a margin for the second sweep
	}
	wait := time.Until(until)
	if wait <= 0 {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// maxSweep bounds how many resources one Delete removes: two deliveries of a
// Create may have made two.
const maxSweep = 10

// sweep removes what Find finds until it finds nothing, or the resource that
// bears the StableID. It returns false if there was nothing.
func (w *work) sweep(p *reading) (some bool, f *failure) {
	if !w.res.hasFind() {
		gone, f := w.removeLost(w.stableID(p), p)
		return !gone, f
	}
	last := ""
	for range maxSweep {
		id, f := w.find(p)
		if f != nil || id == "" || id == last { // the same again: not yet out of the service's index
			return some, f
		}
		if _, f := w.removeLost(id, p); f != nil {
			return some, f
		}
		some, last = true, id
	}
	return some, nil
}

// removeLost is remove for an ID that the service may never have seen: that it
// is not one of its own means that nothing is there.
func (w *work) removeLost(id string, p *reading) (gone bool, f *failure) {
	gone, f = w.remove(id, p)
	if f != nil && f.code == CodeInvalidRequest && !f.Abandoned {
		return true, nil
	}
	return gone, f
}
