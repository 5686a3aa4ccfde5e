package rules

// create makes the resource, or finishes what is there of it: an earlier delivery
// or a rollback may have left it.
func (e *event) create() result {
	found, o := e.find(New, "")
	if o.End != Done {
		return failure(o, Maybe)
	}
	return e.findOrCreate(found)
}

// findOrCreate adopts what was found, or calls Create.
func (e *event) findOrCreate(found string) result {
	used := false // the StableID, in an earlier try, which may have made something after all
	for found == "" {
		o := e.effects.Create(e.ID)
		used = used || o.UsedStableID
		o.UsedStableID = used
		if o.End != Throttled || o.ID != "" || !e.effects.Wait(NextTry) {
			return e.afterCreate(o)
		}
		// This call made nothing. Another delivery may have made something meanwhile.
		if found, o = e.find(New, ""); o.End != Done {
			return failure(o, Maybe)
		}
	}
	return e.adoptFound(found)
}

// adoptFound adopts what Find returned, unless that is what is to be replaced.
func (e *event) adoptFound(id string) result {
	if id == e.ID {
		return result{reason: "Find returned the ID of the resource that is to be replaced"}
	}
	return e.adopt(id, Adopted)
}

// afterCreate decides what follows a Create.
func (e *event) afterCreate(o Outcome) result {
	switch {
	case o.End == AlreadyExists:
		return e.alreadyExists(o)
	case o.ID == "" && o.End == Done:
		return success(e.StableID)
	case o.ID == "" && (e.Finds || o.UsedStableID || o.End == Unknown || o.End == Waiting):
		return failure(o, Maybe)
	case o.ID == "":
		return failure(o, Nothing)
	case o.ID == e.ID:
		return result{reason: "Create named the ID of the resource that it was to replace: name the new one's, or return NotUpdatable"}
	case o.End == InvalidID:
		e.undo(o.ID, e.effects.PhaseNow(o.ID)) // CloudFormation cannot be told what to delete
		return failure(o, Maybe)
	}
	e.Chain.CreatedID = o.ID
	return e.keepOrUndo(o)
}

// keepOrUndo decides whether what this event made is kept.
func (e *event) keepOrUndo(o Outcome) result {
	failed := o.End != Done
	if o.End != Waiting && (e.replaces() && (failed || e.startPhase() == Forward) || !e.replaces() && o.Slow) {
		now := e.effects.PhaseNow(o.ID)
		reason := overtakenReason
		if failed {
			reason = o.Reason
		}
		if now == Back && e.startPhase() != Back || now == GivenUp || e.replaces() && failed {
			return e.compensate(o.ID, reason, now)
		}
	}
	if failed {
		return failedUnchanged(o) // the Delete that follows removes what was made
	}
	return success(o.ID)
}

// finish finishes what an earlier invocation made.
func (e *event) finish() result {
	o := e.effects.Update(e.Chain.CreatedID, Adopting)
	o.ID, o.Slow = e.Chain.CreatedID, true
	return e.keepOrUndo(o)
}

// alreadyExists decides what follows a Create that returned AlreadyExists. The thing is this
// resource only if its name is the StableID, or if Find returns it. Where the service does not say
// which thing exists, whatever Find returns is: it would have been adopted before the Create.
func (e *event) alreadyExists(o Outcome) result {
	stranger := Nothing
	if e.Finds {
		stranger = Maybe
	}
	if o.ID == e.StableID {
		return e.adopt(o.ID, stranger)
	}
	found, f := e.find(New, "") // another delivery may have made it meanwhile
	isAnother := o.ID != "" && o.ID != found
	switch {
	case f.End != Done:
		return failure(f, Maybe)
	case found == "" || isAnother:
		return failure(o, stranger)
	default:
		return e.adoptFound(found)
	}
}

// adopt updates what is there to the properties. gone is what is left if Update returns NotFound.
func (e *event) adopt(id string, gone Leftover) result {
	o := e.effects.Update(id, Adopting)
	if o.End == Done {
		return success(id)
	}
	o.ID = id
	if o.End == NotFound {
		return failure(o, gone)
	}
	return failure(o, Adopted)
}
