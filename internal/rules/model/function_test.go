package model

// A revision is a version of the function, as far as a history can tell it from another one.
type revision struct {
	timeout int // of an invocation
	findLag int // Options.FindLag
	grace   int // Options.LostGrace; 0 is the timeout

	// reads is the identity that it takes each of the template's for. It takes two for one where it
	// does not know the property in which they differ, or where its default for the property is the
	// other's value.
	reads [4]int8
	names int8 // how it makes StableIDs of identities
	knows bool // the property extra
}

var firstRevision = revision{timeout: timeout, findLag: findLag, reads: [4]int8{0, 1, 2, 3}, knows: true}

const longTimeout = 900 * second

// stable returns the StableID of properties.
func (v *revision) stable(p properties) string { return stables[v.names][v.reads[p.identity]] }

// name returns what a handler whose template chooses names calls the thing.
func (v *revision) name(p properties) string { return names[v.reads[p.identity]] }

// means returns what the template asks for, as the revision reads it.
func (v *revision) means(p properties) properties {
	p.identity = v.reads[p.identity]
	return p
}

// sets returns what the revision makes of that: it leaves out what it does not know.
func (v *revision) sets(p properties) properties {
	p = v.means(p)
	if !v.knows {
		p.extra = 0
	}
	return p
}

// differs reports whether two revisions give properties two identities.
func (v *revision) differs(w *revision, p properties) bool { return v.stable(p) != w.stable(p) }

// An occasion is when another revision of the function is deployed.
type occasion int8

const (
	never  occasion = iota
	alone           // before the step, in a deployment or a stack of its own
	within          // in the step's own deployment, before the resource: the rollback restores it first
	atRest          // while the stack rests in a status that ends in _FAILED
)

// A change of the function.
type change struct {
	from, to revision
	occasion occasion
}

// run deploys a revision of the function.
func (w *world) run(v revision, o occasion) {
	if v == w.revision {
		return
	}
	w.changes = append(w.changes, change{from: w.revision, to: v, occasion: o})
	w.revision = v
	w.tell("function: %+v", v)
}

// on deploys the step's revision if this is the occasion.
func (s *stack) on(o occasion) {
	if s.step.occasion == o {
		s.run(s.step.revision, o)
	}
}

// restore has a rollback restore the function.
func (s *stack) restore() {
	if s.step.occasion == within {
		s.run(s.step.former, within)
	}
}
