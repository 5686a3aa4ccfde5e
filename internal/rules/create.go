package rules

// create makes the resource, or finishes what is there of it: the work of an
// earlier delivery, or what a rollback comes back to.
func (e *event) create() result {
	found, o := e.find(New, "")
	if o.End != Done {
		return failure(o, Maybe)
	}
	return e.make(found, "")
}

// make adopts what was found, or calls Create. replaces is the ID of the
// resource that the new one replaces, or "".
func (e *event) make(found, replaces string) result {
	for found == "" {
		o := e.do.Create(replaces)
		if o.End != Throttled || o.ID != "" || !e.do.Wait(NextTry) {
			return e.created(o, replaces)
		}
		// This call made nothing. Another delivery may have, meanwhile.
		if found, o = e.find(New, ""); o.End != Done {
			return failure(o, Maybe)
		}
	}
	if found == replaces {
		return result{why: "Find answers the ID of the resource that is to be replaced"}
	}
	return e.adopt(found, Adopted)
}

// created goes on after a Create.
func (e *event) created(o Outcome, replaces string) result {
	switch {
	case o.End == Exists:
		return e.exists(o, replaces)
	case o.ID == "" && o.End == Done:
		return success(e.Stable)
	case o.ID == "" && (e.Finds || o.Asked || o.End == Unknown):
		return failure(o, Maybe)
	case o.ID == "":
		return failure(o, Nothing)
	case o.ID == replaces:
		return result{why: "Create named the ID of the resource that it was to replace: name the new one's, or answer NotUpdatable"}
	case o.End == Unusable:
		e.undo(o.ID, e.do.Phase(o.ID)) // CloudFormation cannot be told what to delete
		return failure(o, Maybe)
	}
	failed := o.End != Done
	if replaces != "" && (failed || e.start == Forward) || replaces == "" && o.Slow {
		now := e.do.Phase(o.ID)
		if now == Back || now == GivenUp || replaces != "" && failed {
			return e.takeBack(o, now)
		}
	}
	if failed {
		return failure(o, Made) // the Delete that follows removes it
	}
	return success(o.ID)
}

// exists goes on after a Create that met something. Only what bears the
// StableID as its name, or is found, is this resource.
func (e *event) exists(o Outcome, replaces string) result {
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
	case found != "" && found == o.ID && found != replaces:
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
