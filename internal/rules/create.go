package rules

// create makes the resource, or finishes what is there of it: the work of an
// earlier delivery, or what a rollback comes back to.
func (e *event) create() result {
	found, o := e.find(New, "")
	if o.End != Done {
		return failure(o, Maybe)
	}
	return e.make(found)
}

// make adopts what was found, or calls Create.
func (e *event) make(found string) result {
	for found == "" {
		o := e.do.Create(e.ID)
		if o.End != Throttled || o.ID != "" || !e.do.Wait(NextTry) {
			return e.created(o)
		}
		// This call made nothing. Another delivery may have, meanwhile.
		if found, o = e.find(New, ""); o.End != Done {
			return failure(o, Maybe)
		}
	}
	if found == e.ID {
		return result{why: "Find answers the ID of the resource that is to be replaced"}
	}
	return e.adopt(found, Adopted)
}

// created goes on after a Create.
func (e *event) created(o Outcome) result {
	switch {
	case o.End == Exists:
		return e.exists(o)
	case o.ID == "" && o.End == Done:
		return success(e.Stable)
	case o.ID == "" && (e.Finds || o.Asked || o.End == Unknown || o.End == Waits):
		return failure(o, Maybe)
	case o.ID == "":
		return failure(o, Nothing)
	case o.ID == e.ID:
		return result{why: "Create named the ID of the resource that it was to replace: name the new one's, or answer NotUpdatable"}
	case o.End == Unusable:
		e.undo(o.ID, e.do.Phase(o.ID)) // CloudFormation cannot be told what to delete
		return failure(o, Maybe)
	}
	e.Chain.Created = o.ID
	return e.made(o)
}

// made goes on after a call that ended with something that this event made.
func (e *event) made(o Outcome) result {
	failed := o.End != Done
	if o.End != Waits && (e.replaces() && (failed || e.start == Forward) || !e.replaces() && o.Slow) {
		now := e.do.Phase(o.ID)
		why := overtaken
		if failed {
			why = o.Why
		}
		if now == Back && e.start != Back || now == GivenUp || e.replaces() && failed {
			return e.takeBack(o.ID, why, now)
		}
	}
	if failed {
		return fails(o) // the Delete that follows removes what was made
	}
	return success(o.ID)
}

// finish goes on with what an invocation before this one made.
func (e *event) finish() result {
	o := e.do.Update(e.Chain.Created, Adopting)
	o.ID, o.Slow = e.Chain.Created, true
	return e.made(o)
}

// exists goes on after a Create that met something. Only what bears the
// StableID as its name, or is found, is this resource.
func (e *event) exists(o Outcome) result {
	stranger := Nothing
	if e.Finds {
		stranger = Maybe
	}
	if o.ID == e.Stable {
		return e.adopt(o.ID, stranger)
	}
	found, f := e.find(New, "") // another delivery may have made it, since
	switch {
	case f.End != Done:
		return failure(f, Maybe)
	case found != "" && found == o.ID && found != e.ID:
		return e.adopt(found, Adopted)
	default:
		return failure(o, stranger)
	}
}

// adopt brings what is there to the properties. gone is what is left if
// Update finds nothing there.
func (e *event) adopt(id string, gone Left) result {
	o := e.do.Update(id, Adopting)
	if o.End == Done {
		return success(id)
	}
	o.ID = id
	if o.End == Gone {
		return failure(o, gone)
	}
	return failure(o, Adopted)
}
