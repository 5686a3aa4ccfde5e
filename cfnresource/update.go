package cfnresource

import "github.com/cfnresource/sdk-go/physicalid"

// update answers an Update: in place, or by a replacement.
func (w *work) update(p *reading) ([]byte, *failure) {
	id := w.ev.PhysicalID
	if id == physicalid.NotCreated {
		return w.create(p)
	}
	if f := w.accept(p); f != nil {
		return nil, f
	}
	old, f := w.read(w.ev.OldProperties)
	if f != nil {
		return nil, f
	}
	// Unknown is not changed: what cannot be compared is never replaced.
	if !p.identityKnown || !old.identityKnown || p.identity == old.identity {
		return w.converge(id, p, old, old.err, false)
	}

	byNew, found, f := w.explains(p, id)
	if f != nil {
		return nil, f
	}
	byOld, _, f := w.explains(old, id)
	if f != nil {
		return nil, f
	}
	switch {
	case byNew && !byOld: // the way back from a replacement that failed
		return w.converge(id, p, old, old.err, false)
	case byOld && !byNew:
		return w.replace(p, found)
	default: // what cannot be led back to is never replaced
		return w.converge(id, p, old, old.err, true)
	}
}

// replace makes the resource that CloudFormation puts in the place of the
// event's, or adopts what Find found to be that one.
func (w *work) replace(p *reading, found string) (body []byte, f *failure) {
	w.replacing = true
	w.phase() // before: a rollback has replacements of its own
	if found != "" {
		body, f = w.adopt(found, p)
	} else {
		body, f = w.make(p, w.ev.PhysicalID)
	}
	if f != nil && !w.adopted && !w.refused && !w.undone {
		w.undo(p)
	}
	return body, f
}

// undo deletes what a Create made before it failed, in the time that is left.
// CloudFormation's own way to do so, an answer with the new ID, is not
// documented for an Update.
func (w *work) undo(p *reading) {
	if w.made == "" {
		w.made, _ = w.find(p)
	}
	if w.made == w.ev.PhysicalID || w.inRollback() {
		w.made = "" // it is live, or about to be
	}
	if w.made != "" {
		w.undone = w.remove(w.made, p) == nil
	}
}
