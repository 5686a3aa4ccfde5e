package rules_test

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A promise holds in every way.
type promise struct {
	name  string
	holds func(*way) bool
}

var promises = []promise{
	// Answered.
	{"an answer has an ID", func(w *way) bool { return w.answer.ID != "" }},
	{"a failure says why", func(w *way) bool { return w.answer.OK == (w.answer.Why == "") }},
	{"what cannot be kept is never answered", func(w *way) bool { return w.answer.ID != unusable }},
	{"a handler is called only for what is not refused", func(w *way) bool {
		return w.facts.Refused.End == rules.Done || w.count("Create", "Update", "Delete", "Find") == 0
	}},
	{"what is not awaited is not handled", func(w *way) bool {
		return !w.facts.Late || len(w.calls) == 0 || awaited(w.calls[0].phase) || len(w.calls) == 1 && !w.answer.OK
	}},
	{"what is late is asked about first", func(w *way) bool {
		return !w.facts.Late || len(w.calls) == 0 || w.calls[0].name == "Phase"
	}},
	{"success means that the last thing done went well", func(w *way) bool {
		return !w.answer.OK || !slices.ContainsFunc(w.calls, func(c call) bool {
			return c.name == "Find" && c.outcome.End != rules.Done || c.name == "Update" && c.outcome.End != rules.Done
		})
	}},
	{"a Create that went well, and still counts, is a success", func(w *way) bool {
		c, ok := w.create()
		return !ok || c.outcome.End != rules.Done || w.answer.OK || c.outcome.ID == w.facts.ID || w.turned()
	}},
	{"Invalid properties are refused, but for a Delete and a way back", func(w *way) bool {
		if w.facts.Problems.Invalid == "" || w.facts.Refused.End != rules.Done || w.facts.Type == lifecycle.Delete {
			return true
		}
		return w.began() == rules.Back && w.facts.Type == lifecycle.Update && w.facts.ID != "" || w.count("Create", "Update", "Delete", "Find") == 0 && !w.answer.OK
	}},
	{"a Create and an Update that leads forward refuse what they do not know", func(w *way) bool {
		if w.facts.Problems.Unknown == "" || w.facts.Type == lifecycle.Delete || w.facts.Type == lifecycle.Update && w.facts.ID != "" && w.began() != rules.Forward {
			return true
		}
		return w.count("Create", "Update", "Delete", "Find") == 0
	}},
	{"a Create refuses what was not resolved", func(w *way) bool {
		return w.facts.Problems.Unresolved == "" || w.facts.Type == lifecycle.Delete || w.facts.ID != "" || w.count("Create", "Update", "Delete", "Find") == 0
	}},
	{"only problems refuse an event that is awaited", func(w *way) bool {
		f := w.facts
		nothing := f.Type == lifecycle.Delete && f.ID == ""
		return nothing || f.Refused.End != rules.Done || w.any(unawaited) || w.refusable() || w.count("Create", "Update", "Delete", "Find") > 0
	}},

	// Identity.
	{"an Update in place answers the event's ID", func(w *way) bool {
		return w.facts.Type != lifecycle.Update || w.facts.ID == "" || w.facts.Identity == rules.Differs || w.answer.ID == w.facts.ID
	}},
	{"an Update in place calls Update alone", func(w *way) bool {
		f := w.facts
		return f.Type != lifecycle.Update || f.ID == "" || f.Identity == rules.Differs || w.count("Create", "Delete", "Find") == 0 && !w.any(func(c call) bool { return c.name == "Update" && (c.how != rules.InPlace || c.id != f.ID) })
	}},
	{"a Delete answers the event's ID", func(w *way) bool {
		f := w.facts
		return f.Type != lifecycle.Delete || w.answer.ID == f.ID || f.ID == "" && w.answer.ID == physicalid.NotCreated
	}},
	{"a Delete neither makes nor changes", func(w *way) bool {
		return w.facts.Type != lifecycle.Delete || w.count("Create", "Update") == 0
	}},
	{"nothing created is deleted without a call", func(w *way) bool {
		f := w.facts
		return f.Type != lifecycle.Delete || f.ID != "" || f.Refused.End != rules.Done || w.answer.OK && len(w.calls) == 0
	}},
	{"an Update whose ID nothing but the new properties explain is in place", func(w *way) bool {
		f := w.facts
		if !w.changes() || w.stopped() || f.ID != f.Stable {
			return true
		}
		how := rules.InPlace
		if w.explainedByOld(w.facts.ID) {
			how = rules.Changed
		}
		return w.failedFind() || w.answer.ID == f.ID && w.any(func(c call) bool { return c.name == "Update" && c.id == f.ID && c.how == how })
	}},
	{"what is replaced by a Create is explained by the old properties, by the search alone", func(w *way) bool {
		c, ok := w.create()
		return !ok || c.id == "" || c.id == w.facts.ID && w.facts.Identity == rules.Differs && w.ledBack(c.id)
	}},
	{"what explains the ID with the new properties is not replaced", func(w *way) bool {
		replaced := w.any(func(c call) bool { return c.name == "Create" && c.id != "" || c.name == "Update" && c.id != w.facts.ID })
		return !w.changes() || !replaced || !w.any(func(c call) bool {
			return c.name == "Find" && c.side == rules.New && c.id == w.facts.ID && c.found == w.facts.ID && c.waited
		})
	}},
	{"what the old properties alone explain is replaced", func(w *way) bool {
		f := w.facts
		return !w.changes() || w.stopped() || w.failedFind() || f.Finds || f.ID != f.OldStable || w.count("Create") > 0 || w.any(unawaited)
	}},
	{"an ID that nothing explains is changed in place, and said so", func(w *way) bool {
		f := w.facts
		return !w.changes() || w.stopped() || f.Finds || f.ID == f.Stable || f.ID == f.OldStable ||
			len(w.calls) == w.asks()+1 && w.any(func(c call) bool { return c.name == "Update" && c.id == f.ID && c.how == rules.Changed })
	}},
	{"a replacement has an ID of its own", func(w *way) bool {
		_, ok := w.create()
		return !ok || w.facts.Type != lifecycle.Update || !w.answer.OK || w.answer.ID != w.facts.ID
	}},
	{"success is answered with what Create named, or what was brought to the properties", func(w *way) bool {
		f := w.facts
		if !w.answer.OK || f.Type == lifecycle.Delete {
			return true
		}
		return w.any(func(c call) bool {
			id := c.outcome.ID
			if id == "" {
				id = f.Stable
			}
			if id == "" {
				id = physicalid.NotCreated
			}
			return c.outcome.End == rules.Done && (c.name == "Create" && w.answer.ID == id || c.name == "Update" && w.answer.ID == c.id)
		})
	}},

	// A stranger's is never touched.
	{"only what is found, or bears the StableID, is adopted", func(w *way) bool {
		return !w.any(func(c call) bool {
			return c.name == "Update" && c.how == rules.Adopting && !w.found(c.id) && c.id != w.facts.Stable
		})
	}},
	{"what is brought to the properties is the event's or adopted", func(w *way) bool {
		return !w.any(func(c call) bool { return c.name == "Update" && c.how != rules.Adopting && c.id != w.facts.ID })
	}},
	{"what Create met is adopted only if it proves ours", func(w *way) bool {
		c, ok := w.create()
		if !ok || c.outcome.End != rules.Exists || c.outcome.ID == w.facts.Stable {
			return true
		}
		return w.foundAfterCreate(c.outcome.ID) || !w.any(func(c call) bool { return c.name == "Update" })
	}},
	{"what proves ours is adopted", func(w *way) bool {
		c, ok := w.create()
		return !ok || c.outcome.End != rules.Exists || c.outcome.ID == "" || c.outcome.ID == w.facts.ID || c.outcome.ID != w.facts.Stable && !w.foundAfterCreate(c.outcome.ID) ||
			w.any(func(u call) bool { return u.name == "Update" && u.id == c.outcome.ID })
	}},
	{"what is found is not made again", func(w *way) bool {
		n := len(w.calls)
		for i := 1; i < n; i++ {
			if w.calls[i].name == "Create" && w.calls[i-1].name == "Find" && w.calls[i-1].side == rules.New && w.calls[i-1].found != "" {
				return false
			}
		}
		return true
	}},
	{"Find is asked for the old properties in an Update alone", func(w *way) bool {
		return w.changes() || !w.any(func(c call) bool { return c.name == "Find" && c.side == rules.Old })
	}},
	{"Create follows a Find", func(w *way) bool {
		seen := !w.facts.Finds
		for _, c := range w.calls {
			if c.name == "Create" && !seen {
				return false
			}
			if c.name == "Find" && c.side == rules.New {
				seen = true
			} else if c.name == "Create" {
				seen = !w.facts.Finds
			}
		}
		return true
	}},

	// Nothing is deleted by accident.
	{"a Create or an Update deletes only what it said Created", func(w *way) bool {
		return w.facts.Type == lifecycle.Delete || !w.any(func(c call) bool { return c.name == "Delete" && !w.created(c.id) })
	}},
	{"an Update never deletes the event's own", func(w *way) bool {
		return w.facts.Type != lifecycle.Update || !w.any(func(c call) bool { return c.name == "Delete" && c.id == w.facts.ID })
	}},
	{"what is undone is asked about before each try", func(w *way) bool {
		for i, c := range w.calls {
			if c.name == "Delete" && w.facts.Type != lifecycle.Delete && (i == 0 || w.calls[i-1].name != "Phase" || w.calls[i-1].id != c.id || !c.once) {
				return false
			}
		}
		return true
	}},
	{"an event that came in a rollback undoes nothing", func(w *way) bool {
		return w.facts.Type == lifecycle.Delete || w.began() != rules.Back || w.count("Delete") == 0
	}},
	{"nothing is undone that may be in use", func(w *way) bool {
		var last rules.Phase
		asked := false
		for _, c := range w.calls {
			switch {
			case c.name == "Phase":
				last, asked = c.phase, true
			case c.name == "Delete" && w.facts.Type != lifecycle.Delete:
				if !asked || last == rules.NotAwaited || last == rules.Back && w.began() != rules.Forward {
					return false
				}
			}
		}
		return true
	}},
	{"no success with what was deleted", func(w *way) bool {
		return w.facts.Type == lifecycle.Delete || !w.answer.OK || !w.deleted(w.answer.ID)
	}},
	{"what an undo is refused for good, or for too long, is not tried again", func(w *way) bool {
		for i, c := range w.calls[:max(0, len(w.calls)-1)] {
			if c.name == "Delete" && c.once && c.outcome.End != rules.Passing && c.outcome.End != rules.Throttled && w.calls[i+1].name == "Wait" {
				return false
			}
		}
		return true
	}},
	{"an undo that the service refuses for now is tried again", func(w *way) bool {
		for i, c := range w.calls {
			if c.name == "Delete" && c.once && (c.outcome.End == rules.Passing || c.outcome.End == rules.Throttled) && (i+1 == len(w.calls) || w.calls[i+1].name != "Wait") {
				return false
			}
		}
		return true
	}},
	{"where the phase is not known, an undo gives up soon", func(w *way) bool {
		last := rules.Untold
		for i, c := range w.calls {
			if c.name == "Phase" {
				last = c.phase
			}
			if c.name == "Wait" && i > 0 && w.calls[i-1].name == "Delete" && w.calls[i-1].once {
				short := w.began() == rules.Untold || last == rules.Untold || last == rules.GivenUp
				if short != (c.wait == rules.NextUndo) {
					return false
				}
			}
		}
		return true
	}},

	// No leak.
	{"a failed Create leads to what it made", func(w *way) bool {
		return w.answer.OK || w.replacing() || !w.any(func(c call) bool {
			return c.name == "Create" && c.outcome.End != rules.Exists && c.outcome.End != rules.Unusable && c.outcome.ID != "" &&
				c.outcome.ID != w.answer.ID
		})
	}},
	{"a failed Create that may have made something leads to where it is found", func(w *way) bool {
		f := w.facts
		if w.answer.OK || w.replacing() || f.Type == lifecycle.Delete || f.ID != "" || f.Stable == "" {
			return true
		}
		maybe := w.any(func(c call) bool {
			o := c.outcome
			return c.name == "Create" && (o.Asked || o.End == rules.Unknown || o.End == rules.Unusable && !w.deleted(o.ID) || f.Finds && o.End != rules.Done) ||
				c.name == "Find" && o.End != rules.Done
		})
		return !maybe || w.answer.ID != physicalid.NotCreated
	}},
	{"a Create that made nothing is not deleted", func(w *way) bool {
		f := w.facts
		c, ok := w.create()
		if w.answer.OK || !ok || f.ID != "" || f.Finds || w.count("Update") > 0 {
			return true
		}
		o := c.outcome
		return o.Asked || o.ID != "" && o.End != rules.Exists || o.End == rules.Unknown || w.answer.ID == physicalid.NotCreated
	}},
	{"what was not handled, and may have been by another delivery, leads to it", func(w *way) bool {
		f := w.facts
		return w.answer.OK || f.ID != "" || f.Type == lifecycle.Delete || f.Stable == "" ||
			f.Refused.End != rules.Unknown && (f.Refused.End != rules.Done || !w.any(unawaited) || w.count("Create") > 0) || w.answer.ID == f.Stable
	}},
	{"what is refused before anything was done leads nowhere", func(w *way) bool {
		f := w.facts
		return f.Refused.End != rules.Failed || f.ID != "" || w.answer.ID == physicalid.NotCreated
	}},
	{"a failed adoption leads to what is there", func(w *way) bool {
		f := w.facts
		if w.answer.OK || w.replacing() || f.Type == lifecycle.Delete || f.ID != "" {
			return true
		}
		return !w.any(func(c call) bool {
			return c.name == "Update" && (c.outcome.End != rules.Gone || w.found(c.id)) && w.answer.ID != c.id
		})
	}},
	{"a failed replacement has the event's ID, or that of what it made and could not delete", func(w *way) bool {
		if w.answer.OK || !w.replacing() || w.answer.ID == w.facts.ID {
			return true
		}
		return w.created(w.answer.ID) && !w.deleted(w.answer.ID)
	}},
	{"a failed replacement that goes on and cannot delete what it made names it", func(w *way) bool {
		c, ok := w.create()
		if !ok || !w.replacing() || w.answer.OK || c.outcome.ID != made || c.outcome.End == rules.Exists || w.deleted(made) {
			return true
		}
		goesOn := w.began() == rules.Forward && w.lastPhase() == rules.Forward || w.began() == rules.Untold && (w.lastPhase() == rules.Untold || w.lastPhase() == rules.Forward)
		return !goesOn || w.answer.ID == made
	}},
	{"a failed replacement in a stack that goes back has the event's ID", func(w *way) bool {
		return w.answer.OK || !w.replacing() || w.lastPhase() == rules.Untold || w.lastPhase() == rules.Forward || w.answer.ID == w.facts.ID
	}},
	{"the phase is not asked for twice at once", func(w *way) bool {
		for i, c := range w.calls[:max(0, len(w.calls)-1)] {
			if c.name == "Phase" && c.id != "" && w.calls[i+1].name == "Phase" {
				return false
			}
		}
		return true
	}},
	{"what a replacement made and failed with is tried to be undone", func(w *way) bool {
		c, ok := w.create()
		if !ok || w.answer.OK || c.outcome.ID != made || c.outcome.End == rules.Exists || !w.replacing() {
			return true
		}
		now := w.phaseAfterCreate()
		forbidden := w.began() == rules.Back || now == rules.NotAwaited || now == rules.Back && w.began() != rules.Forward
		return forbidden || w.count("Delete") > 0
	}},
	{"what is overtaken is taken back", func(w *way) bool {
		c, ok := w.create()
		if !ok || c.outcome.ID != made || c.outcome.End == rules.Exists || c.outcome.End == rules.Unusable {
			return true
		}
		asks := w.replacing() && w.began() == rules.Forward || !w.replacing() && c.outcome.Slow
		if !asks {
			return true
		}
		if !w.any(func(c call) bool { return c.name == "Phase" && c.id == made }) {
			return false
		}
		if now := w.phaseAfterCreate(); now != rules.GivenUp && now != rules.Back {
			return true
		} else if now == rules.Back && w.began() != rules.Forward {
			return !w.answer.OK
		}
		return !w.answer.OK && w.count("Delete") > 0 || w.began() == rules.Back
	}},
	{"what CloudFormation cannot be told of is deleted", func(w *way) bool {
		c, ok := w.create()
		if !ok || c.outcome.End != rules.Unusable {
			return true
		}
		now := w.phaseAfterCreate()
		forbidden := w.began() == rules.Back || now == rules.NotAwaited || now == rules.Back && w.began() != rules.Forward
		return !w.answer.OK && (forbidden || w.count("Delete") > 0)
	}},
	{"a Create that was throttled and made nothing is tried again while there is time", func(w *way) bool {
		for i, c := range w.calls {
			if c.name != "Create" || c.outcome.End != rules.Throttled || c.outcome.ID != "" {
				continue
			}
			if i+1 == len(w.calls) || w.calls[i+1].name != "Wait" || w.calls[i+1].wait != rules.NextTry {
				return false
			}
			if w.calls[i+1].waited && i+2 == len(w.calls) {
				return false
			}
		}
		return true
	}},
	{"nothing else makes a Create be called again", func(w *way) bool {
		n := 0
		for _, c := range w.calls {
			if c.name == "Create" {
				if n++; n > 1+maxWaits {
					return false
				}
			}
		}
		throttled := 0
		for _, c := range w.calls {
			if c.name == "Create" && c.outcome.End == rules.Throttled && c.outcome.ID == "" {
				throttled++
			}
		}
		return n <= throttled+1
	}},

	// Lost Deletes.
	{"an ordinary Delete deletes the event's ID alone", func(w *way) bool {
		f := w.facts
		if f.Type != lifecycle.Delete || f.ID == "" || f.Generated || f.Finds && f.ID == f.Stable || w.stopped() {
			return true
		}
		return len(w.calls) == w.asks()+1 && w.count("Delete") == 1 && w.any(func(c call) bool { return c.name == "Delete" && c.id == f.ID && !c.once }) &&
			w.answer.OK == w.any(func(c call) bool { return c.name == "Delete" && gone(c.outcome.End) })
	}},
	{"a generated ID that Find finds is an ordinary Delete", func(w *way) bool {
		f := w.facts
		if f.Type != lifecycle.Delete || !f.Generated || !f.Finds || w.stopped() {
			return true
		}
		first := w.calls[w.asks()]
		return first.found != f.ID || w.count("Delete") == 1 && w.count("Wait") == 0 && w.answer.OK == w.any(func(c call) bool { return c.name == "Delete" && gone(c.outcome.End) })
	}},
	{"a lost Delete deletes what is found, and the event's ID only where nothing is", func(w *way) bool {
		return !w.lost() || !w.any(func(c call) bool {
			if c.name != "Delete" {
				return false
			}
			if c.id == w.facts.ID {
				return w.foundBefore(c.id) && !w.found(c.id)
			}
			return !w.found(c.id) && (w.facts.Finds || c.id != w.facts.Stable)
		})
	}},
	{"a lost Delete that succeeds deleted all that it found", func(w *way) bool {
		return !w.lost() || !w.answer.OK || !w.any(func(c call) bool { return c.name == "Find" && c.found != "" && !w.gone(c.found) })
	}},
	{"a lost Delete that succeeds looked again after the Create was over", func(w *way) bool {
		if !w.lost() || !w.answer.OK || !w.facts.Makes || !w.facts.Generated {
			return true
		}
		i := slices.IndexFunc(w.calls, func(c call) bool { return c.name == "Wait" && c.wait == rules.CreateOver })
		return i >= 0 && (!w.calls[i].waited || i+1 < len(w.calls))
	}},
	{"a lost Delete that found nothing looks again when searches show it", func(w *way) bool {
		if !w.lost() || !w.answer.OK || !w.facts.Makes || w.facts.Generated || w.any(func(c call) bool { return c.name == "Find" && c.found != "" }) {
			return true
		}
		i := slices.IndexFunc(w.calls, func(c call) bool { return c.name == "Wait" && c.wait == rules.Lag })
		return i >= 0 && (!w.calls[i].waited || i+1 < len(w.calls))
	}},
	{"a lost Delete that found nothing at first deletes the event's own ID", func(w *way) bool {
		return !w.lost() || !w.answer.OK || w.foundAtFirst() || w.any(func(c call) bool { return c.name == "Delete" && c.id == w.facts.ID })
	}},
	{"a lost Delete without Find deletes the StableID", func(w *way) bool {
		return !w.lost() || w.facts.Finds || w.any(func(c call) bool { return c.name == "Delete" && c.id == w.facts.Stable })
	}},
	{"a form that the service refuses does not fail a lost Delete", func(w *way) bool {
		if !w.lost() || w.answer.OK {
			return true
		}
		last := w.calls[len(w.calls)-1]
		if last.name == "Delete" && last.id == w.facts.ID && !w.found(last.id) {
			return !gone(last.outcome.End) && last.outcome.End != rules.Invalid && last.outcome.End != rules.Uncoded
		}
		return last.name == "Find" && last.outcome.End != rules.Done || last.name == "Delete" && !gone(last.outcome.End) && last.outcome.End != rules.Invalid
	}},
	{"a lost Delete does not succeed over what could not be deleted", func(w *way) bool {
		return !w.lost() || !w.answer.OK || !w.any(func(c call) bool {
			lastResort := c.id == w.facts.ID && !w.foundBefore(c.id)
			return c.name == "Delete" && !gone(c.outcome.End) && c.outcome.End != rules.Invalid && !(lastResort && c.outcome.End == rules.Uncoded)
		})
	}},
}
