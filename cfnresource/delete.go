package cfnresource

import (
	"time"

	"github.com/cfnresource/sdk-go/internal/budget"
	"github.com/cfnresource/sdk-go/physicalid"
)

// delete answers a Delete, with the event's ID always.
func (w *work) delete(p *reading) ([]byte, *failure) {
	if f := w.clear(p); f != nil {
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
		return w.sweep(p)
	}
	if physicalid.Generated(id, w.ev.StackID, w.ev.LogicalID) {
		if explained, _, f := w.explains(p, id); f != nil {
			return f
		} else if !explained {
			return w.clearLost(p)
		}
	}
	return w.remove(id, p)
}

// clearLost removes what a Create made whose answer CloudFormation never took.
// That Create may run still, so what is there now proves nothing: it is
// removed, and again once no Create of this function can run any more.
func (w *work) clearLost(p *reading) *failure {
	if f := w.sweep(p); f != nil || !w.waitForCreate() {
		return f
	}
	w.again = true
	return w.sweep(p)
}

// waitForCreate waits until a Create of this function must have ended, and
// returns false at once if that is the case already.
func (w *work) waitForCreate() bool {
	if !w.res.makes() {
		return false
	}
	grace := w.mux.opts.LostGrace
	if grace == 0 {
		grace = w.timeout
	}
	until := w.birth().Add(grace).Add(time.Second) // the signed URL tells whole seconds
	if last := w.hard.Add(-2 * w.margin); until.After(last) {
		until = last // leaves a margin for the second sweep
	}
	wait := time.Until(until)
	return wait > 0 && budget.Sleep(w.ctx, wait)
}

// maxSweep bounds how many resources one Delete removes: two deliveries of a
// Create may have made two.
const maxSweep = 10

// sweep removes what Find finds until it finds nothing. Where there is no Find,
// or it found nothing, it removes what bears the StableID. If that is not the
// event's ID, it removes that too: an older provider may have made IDs of
// CloudFormation's shape.
func (w *work) sweep(p *reading) *failure {
	last := ""
	for range maxSweep {
		id, f := w.find(p)
		if f != nil {
			return f
		}
		if id == "" || id == last { // the same again: not yet out of the service's index
			break
		}
		if f := w.removeLost(id, p); f != nil {
			return f
		}
		last = id
	}
	if last != "" || w.again && w.res.hasFind() {
		return nil
	}
	if f := w.removeLost(w.stableID(p), p); f != nil || w.again || w.ev.PhysicalID == w.stableID(p) {
		return f
	}
	return w.removeLost(w.ev.PhysicalID, p)
}

// removeLost is remove for an ID that the service may never have seen: that it
// is not one of its own means that nothing is there.
func (w *work) removeLost(id string, p *reading) *failure {
	f := w.remove(id, p)
	if f != nil && f.code == CodeInvalidRequest {
		return nil
	}
	return f
}
