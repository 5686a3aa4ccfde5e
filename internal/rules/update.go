package rules

// A change is what tells an Update in place from a replacement and from the way
// back of one: whether the identity changed, and whose properties explain the
// event's ID. An ID is explained by properties if it is their StableID, or what
// Find answers for them.
type change struct {
	identity Identity
	old, new bool // explain the ID
}

// An effect is what an Update has.
type effect int

const (
	updateInPlace effect = iota
	updateChanged        // in place, with IdentityChanged set
	replaceIt
)

// updates says what an Update is. What cannot be led back to is never
// replaced.
var updates = map[change]effect{
	{identity: Same}:                           updateInPlace,
	{identity: Incomparable}:                   updateInPlace,
	{identity: Differs, old: true, new: false}: replaceIt,
	{identity: Differs, old: false, new: true}: updateInPlace, // the way back from a replacement that failed
	{identity: Differs, old: true, new: true}:  updateChanged,
	{identity: Differs}:                        updateChanged,
}

func (e *event) update() result {
	c, found, o := e.change()
	neither := change{identity: Differs}
	if o.End == Done && c == neither && e.Finds && e.do.Wait(Lag) {
		c, found, o = e.change()
	}
	if o.End != Done {
		return fails(o)
	}
	switch updates[c] {
	case replaceIt:
		return e.replace(found)
	case updateChanged:
		o = e.do.Update(e.ID, Changed)
	default:
		o = e.do.Update(e.ID, InPlace)
	}
	if o.End == Done {
		return success(e.ID)
	}
	return fails(o)
}

// change finds out what changed, and returns what Find found for the new
// properties.
//
// Find is asked with the event's ID at hand, so that neither a search that lags
// nor a twin hides the resource. Where a Create would follow, the search has to
// show it alone: so the rollback will have to find it. For the same reason the
// StableID explains nothing by itself in a handler with Find.
func (e *event) change() (c change, found string, o Outcome) {
	c.identity = e.Identity
	if c.identity != Differs {
		return c, "", o
	}
	c.new, c.old = e.ID == e.Stable, e.ID == e.OldStable && !e.Finds
	if !c.new {
		if found, o = e.find(New, e.ID); o.End != Done {
			return c, found, o
		}
		c.new = found == e.ID
	}
	if !c.old {
		at := ""
		if found != "" && !c.new {
			at = e.ID // what was found is adopted, and nothing created
		}
		var id string
		if id, o = e.find(Old, at); o.End != Done {
			return c, found, o
		}
		c.old = id == e.ID
	}
	return c, found, o
}

// replace makes the resource that CloudFormation puts in the place of the
// event's, whose ID it then deletes.
func (e *event) replace(found string) result {
	if !e.began().awaited() { // a rollback has replacements of its own: asked before
		return givenUp()
	}
	return e.make(found)
}
