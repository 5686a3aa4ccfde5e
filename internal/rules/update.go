package rules

// A change decides whether an Update is in place, a replacement, or the rollback of a replacement:
// whether the identity changed, and to whose properties the event's ID belongs. An ID belongs to
// properties if it is their StableID, or what Find returns for them.
type change struct {
	identity     Identity
	oldID, newID bool // the event's ID belongs to the old properties, to the new ones
}

// An updateKind is what is done for an Update.
type updateKind int

const (
	updateInPlace         updateKind = iota
	updateIdentityChanged            // in place, with IdentityChanged set
	replacement
)

// updates says what is done for an Update. A resource that its properties do not lead
// to is never replaced.
var updates = map[change]updateKind{
	{identity: Same}:                               updateInPlace,
	{identity: Incomparable}:                       updateInPlace,
	{identity: Differs, oldID: true, newID: false}: replacement,
	{identity: Differs, oldID: false, newID: true}: updateInPlace, // the rollback of a replacement
	{identity: Differs, oldID: true, newID: true}:  updateIdentityChanged,
	{identity: Differs}:                            updateIdentityChanged,
}

// isNeither reports whether the identity changed, and the event's ID belongs to neither side: a
// search that lags may hide to which.
func (c change) isNeither() bool { return c == change{identity: Differs} }

func (e *event) update() result {
	if e.Finds && e.Identity == Differs {
		e.phase() // a stack that turns back while Find is retried, or waits, makes the event look like the rollback's own
	}
	c, found, o := e.change()
	if e.Finds && o.End == Done && c.isNeither() {
		if e.effects.Wait(Lag) {
			c, found, o = e.change()
		}
	}
	if o.End != Done {
		return failedUnchanged(o)
	}
	switch updates[c] {
	case replacement:
		return e.replace(found)
	case updateIdentityChanged:
		o = e.effects.Update(e.ID, Changed)
	default:
		o = e.effects.Update(e.ID, InPlace)
	}
	if o.End == Done {
		return success(e.ID)
	}
	return failedUnchanged(o)
}

// change finds out what changed, and returns what Find found for the new properties.
//
// Find gets the event's ID, so that neither a search that lags nor a twin hides the
// resource. Where a Create would follow, the search alone has to show the resource,
// since the rollback will have to find it in that way. For the same reason the
// StableID alone proves nothing in a handler with Find.
func (e *event) change() (c change, found string, o Outcome) {
	c.identity = e.Identity
	if c.identity != Differs {
		return c, "", o
	}
	c.newID, c.oldID = e.ID == e.StableID, e.ID == e.OldStableID && !e.Finds
	if !c.newID {
		if found, o = e.find(New, e.ID); o.End != Done {
			return c, found, o
		}
		c.newID = found == e.ID
	}
	if !c.oldID {
		at := ""
		if found != "" && !c.newID {
			at = e.ID // what was found is adopted, and nothing created
		}
		var id string
		if id, o = e.find(Old, at); o.End != Done {
			return c, found, o
		}
		c.oldID = id == e.ID
	}
	return c, found, o
}

// replace makes the resource that CloudFormation puts in the place of the
// event's, whose ID it then deletes.
func (e *event) replace(found string) result {
	if !e.phase().awaited() { // a rollback has replacements of its own, so the phase is asked before
		return givenUp()
	}
	return e.findOrCreate(found)
}
