package model

// A thing is one resource of the service.
type thing struct {
	id    string
	tag   string // the StableID of the request that made it
	token int    // the request that made it, where the service takes client tokens
	has   properties
	state state
	alive bool

	made, gone int       // when
	ready      int       // from when on it can be used
	leaves     int       // until when the service deletes it
	by         *delivery // made by; nil if it was there before
	said       bool      // Created was
	undone     bool      // an undo was tried, and failed
	idled      bool      // an undo waited, and had asked for nothing
	data       bool      // a deployment that held it has completed: users' data is in it
	killer     *delivery // deleted by
	writer     *delivery // brought to its properties by
	twin       bool      // another one of the same tag was there, or came
}

type state int8

const (
	ours     state = iota
	retained       // left behind on purpose, by a policy
	stranger
)

// properties are what the model's templates say.
type properties struct {
	identity int8
	version  int8
}

func (w *world) read(id string) *thing {
	for i := range w.things {
		if t := w.things[i]; t.alive && t.id == id {
			return t
		}
	}
	return nil
}

// leaving returns what the service still deletes.
func (w *world) leaving(id string) *thing {
	for _, t := range w.things {
		if !t.alive && t.id == id && t.leaves > w.now {
			return t
		}
	}
	return nil
}

// search returns what a search for a tag shows. It shows what was made, or
// deleted, only when the service's lag is over, and of several any.
func (w *world) search(tag string) *thing {
	var found *thing
	for _, t := range w.things {
		shown := t.made+w.lag <= w.now && (t.alive || w.k.careless && t.gone+w.lag > w.now)
		if t.tag == tag && shown && (found == nil || w.flip(2)) {
			found = t
		}
	}
	return found
}

func (w *world) put(t thing) *thing {
	t.alive, t.made, t.writer = true, w.now, t.by
	for _, there := range w.things {
		if there.alive && t.tag != "" && there.tag == t.tag {
			there.twin, t.twin = true, true
		}
	}
	n := len(w.things)
	if n < cap(w.things) { // things of the history before are used again
		w.things = w.things[:n+1]
		if w.things[n] == nil {
			w.things[n] = new(thing)
		}
	} else {
		w.things = append(w.things, new(thing))
	}
	*w.things[n] = t
	w.tell("      made %s", t.id)
	return w.things[n]
}

func (w *world) remove(t *thing, d *delivery) {
	t.alive, t.gone, t.leaves, t.killer = false, w.now, w.now+w.deletes, d
	w.tell("      deleted %s", t.id)
	switch t.state {
	case stranger:
		w.harm(strangerDeleted, t)
	case retained:
		w.harm(retainedDeleted, t)
	}
}
