package rules_test

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// What a failure leads to: nothing leaks.
var leakPromises = []promise{
	{"a failed Create leads to what it made", func(w *way) bool {
		return w.answer.OK || w.replacing() || !w.any(func(c call) bool {
			return c.name == "Create" && c.outcome.End != rules.AlreadyExists && c.outcome.End != rules.InvalidID && c.outcome.ID != "" &&
				c.outcome.ID != w.answer.ID
		})
	}},
	{"a failed Create that may have made something leads to where it is found", func(w *way) bool {
		f := w.facts
		if w.answer.OK || w.replacing() || f.Type == lifecycle.Delete || f.ID != "" || f.StableID == "" {
			return true
		}
		last, _ := w.create()
		maybe := w.any(func(c call) bool {
			o := c.outcome
			return c.name == "Create" && (o.UsedStableID && last.outcome.End != rules.AlreadyExists || o.End == rules.Unknown || o.End == rules.InvalidID && !w.deleted(o.ID) || f.Finds && o.End != rules.Done) ||
				c.name == "Find" && o.End != rules.Done
		})
		return !maybe || w.answer.ID != physicalid.NotCreated
	}},
	{"a Create that made nothing is not deleted", func(w *way) bool {
		f := w.facts
		c, ok := w.create()
		if w.answer.OK || !ok || f.ID != "" || f.Chain.Links > 0 || f.Finds || w.count("Update") > 0 {
			return true
		}
		o := c.outcome
		used := w.any(func(c call) bool { return c.outcome.UsedStableID }) // by any try
		return used || o.ID != "" && o.End != rules.AlreadyExists || o.End == rules.Unknown || o.End == rules.Waiting || w.answer.ID == physicalid.NotCreated
	}},
	{"what was not handled, and may have been by another delivery, leads to it", func(w *way) bool {
		f := w.facts
		return w.answer.OK || f.ID != "" || f.Type == lifecycle.Delete || f.StableID == "" || w.finishes() ||
			f.Refused.End != rules.Unknown && (f.Refused.End != rules.Done || !w.unawaited() && !w.linkStops() || w.count("Create", "Update") > 0) || w.answer.ID == f.StableID
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
			return c.name == "Update" && (c.outcome.End != rules.NotFound || w.found(c.id)) && w.answer.ID != c.id
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
		if !ok || !w.replacing() || w.answer.OK || c.outcome.ID != made || c.outcome.End == rules.AlreadyExists || w.deleted(made) || w.beingDeleted() {
			return true
		}
		last := w.lastPhase()
		goesOn := last.began == rules.Forward && last.phase == rules.Forward || last.began == rules.PhaseUnknown && (last.phase == rules.PhaseUnknown || last.phase == rules.Forward)
		return !goesOn || w.answer.ID == made
	}},
	{"a failed replacement in a stack that goes back has the event's ID", func(w *way) bool {
		return w.answer.OK || !w.replacing() || w.lastPhase().phase == rules.PhaseUnknown || w.lastPhase().phase == rules.Forward || w.answer.ID == w.facts.ID
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
		if !ok || w.answer.OK || c.outcome.ID != made || c.outcome.End == rules.AlreadyExists || !w.replacing() {
			return true
		}
		return w.keeps() || w.count("Delete") > 0
	}},
	{"what is overtaken is taken back", func(w *way) bool {
		c, ok := w.create()
		if !ok || c.outcome.ID != made || c.outcome.End == rules.AlreadyExists || c.outcome.End == rules.InvalidID {
			return true
		}
		asks := w.replacing() && w.start == rules.Forward || !w.replacing() && c.outcome.Slow
		if !asks {
			return true
		}
		if !w.any(func(c call) bool { return c.name == "Phase" && c.id == made }) {
			return false
		}
		if now := w.phaseAfterCreate(); now != rules.GivenUp && now != rules.Back || now == rules.Back && w.start == rules.Back {
			return true
		}
		return !w.answer.OK && (w.count("Delete") > 0 || w.keeps()) || w.start == rules.Back
	}},
	{"what CloudFormation cannot be told of is deleted", func(w *way) bool {
		c, ok := w.create()
		if !ok || c.outcome.End != rules.InvalidID {
			return true
		}
		return !w.answer.OK && (w.keeps() || w.count("Delete") > 0)
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
}

// What a lost Delete deletes.
var lostPromises = []promise{
	{"an ordinary Delete deletes the event's ID alone", func(w *way) bool {
		f := w.facts
		if f.Type != lifecycle.Delete || f.ID == "" || f.Generated || f.Finds && f.ID == f.StableID || w.stopped() {
			return true
		}
		return w.kept() || w.count("Find", "Delete", "Wait") == 1 && w.count("Delete") == 1 && w.any(func(c call) bool { return c.name == "Delete" && c.id == f.ID && !c.once }) &&
			w.answer.OK == w.any(func(c call) bool { return c.name == "Delete" && gone(c.outcome.End) })
	}},
	{"a generated ID that Find finds is an ordinary Delete", func(w *way) bool {
		f := w.facts
		if f.Type != lifecycle.Delete || !f.Generated || !f.Finds || w.stopped() {
			return true
		}
		first := w.calls[w.asks()]
		return first.found != f.ID || w.kept() || w.count("Delete") == 1 && w.count("Wait") == 0 && w.answer.OK == w.any(func(c call) bool { return c.name == "Delete" && gone(c.outcome.End) })
	}},
	{"a lost Delete deletes what is found, and the event's ID only where nothing is", func(w *way) bool {
		return !w.lost() || !w.any(func(c call) bool {
			if c.name != "Delete" {
				return false
			}
			if c.id == w.facts.ID {
				return w.foundBefore(c.id) && !w.found(c.id)
			}
			return !w.found(c.id) && (w.facts.Finds || c.id != w.facts.StableID)
		})
	}},
	{"a lost Delete that succeeds deleted all that it found", func(w *way) bool {
		return !w.lost() || !w.answer.OK || !w.any(func(c call) bool { return c.name == "Find" && c.found != "" && !w.gone(c.found) })
	}},
	{"a lost Delete that succeeds looked again after the Create was over", func(w *way) bool {
		if !w.lost() || !w.answer.OK || !w.facts.Makes || !w.facts.Generated || !w.facts.Finds && w.facts.StableID == "" {
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
		return !w.lost() || w.facts.Finds || w.facts.StableID == "" || w.kept() || w.any(func(c call) bool { return c.name == "Delete" && c.id == w.facts.StableID })
	}},
	{"a form that the service refuses does not fail a lost Delete of what nobody found", func(w *way) bool {
		if !w.lost() || w.answer.OK || w.kept() {
			return true
		}
		last := w.lastWork()
		if last.name == "Delete" && last.id == w.facts.ID && !w.found(last.id) {
			return !gone(last.outcome.End) && last.outcome.End != rules.InvalidRequest && last.outcome.End != rules.NoCode
		}
		if last.name == "Find" {
			return last.outcome.End != rules.Done
		}
		return last.name == "Delete" && !gone(last.outcome.End) && (last.outcome.End != rules.InvalidRequest || w.found(last.id))
	}},
	{"a Delete deletes nothing that the stack was seen to keep, and fails", func(w *way) bool {
		for i, c := range w.calls {
			if c.name == "Delete" && w.removes(c.id) && (i == 0 || w.calls[i-1].name != "Phase" || w.calls[i-1].id != c.id || w.calls[i-1].phase == rules.NotAwaited) {
				return false
			}
		}
		return !w.kept() || !w.answer.OK
	}},
	{"a lost Delete does not succeed over what could not be deleted", func(w *way) bool {
		return !w.lost() || !w.answer.OK || !w.any(func(c call) bool {
			lastResort := c.id == w.facts.ID && !w.foundBefore(c.id)
			return c.name == "Delete" && !gone(c.outcome.End) && c.outcome.End != rules.InvalidRequest && (!lastResort || c.outcome.End != rules.NoCode)
		})
	}},
}

// What is undone: nothing is deleted by accident.
var undoPromises = []promise{
	{"a Create or an Update deletes only what it said Created", func(w *way) bool {
		return w.facts.Type == lifecycle.Delete || !w.any(func(c call) bool { return c.name == "Delete" && !w.created(c.id) })
	}},
	{"nothing is changed or deleted without an ID", func(w *way) bool {
		return !w.any(func(c call) bool { return (c.name == "Update" || c.name == "Delete") && c.id == "" })
	}},
	{"an Update never deletes the event's own", func(w *way) bool {
		return w.facts.Type != lifecycle.Update || !w.any(func(c call) bool { return c.name == "Delete" && c.id == w.facts.ID })
	}},
	{"what is undone is asked about before each try", func(w *way) bool {
		var before call
		for _, c := range w.calls {
			if c.name == "Delete" && w.facts.Type != lifecycle.Delete && (before.name != "Phase" || before.id != c.id || !c.once) {
				return false
			}
			if c.name != "Continue" && (c.wait != rules.OtherAnswers || c.waited) { // which take a moment at most
				before = c
			}
		}
		return true
	}},
	{"an event that came in a rollback undoes nothing", func(w *way) bool {
		return w.facts.Type == lifecycle.Delete || !w.any(func(c call) bool { return c.name == "Delete" && c.began == rules.Back })
	}},
	{"nothing is undone that may be in use", func(w *way) bool {
		var last rules.Phase
		asked := false
		for _, c := range w.calls {
			switch {
			case c.name == "Phase":
				last, asked = c.phase, true
			case c.name == "Delete" && w.facts.Type != lifecycle.Delete:
				if !asked || last == rules.NotAwaited || last == rules.Back && c.began != rules.Forward {
					return false
				}
			}
		}
		return true
	}},
	{"the first try of a replacement's undo waits for other deliveries' answers, where a phase tells of them", func(w *way) bool {
		i := slices.IndexFunc(w.calls, func(c call) bool { return c.name == "Delete" })
		if w.facts.Type != lifecycle.Update || i < 0 || w.facts.ID == "" {
			return true
		}
		waits := func(i int) bool { return i >= 0 && w.calls[i].wait == rules.OtherAnswers }
		return waits(i-1) || waits(i-2) || untold(w.calls[i-1])
	}},
	{"what is undone is asked about again after that wait", func(w *way) bool {
		for i, c := range w.calls {
			if c.wait == rules.OtherAnswers && c.waited && (i+1 == len(w.calls) || w.calls[i+1].name != "Phase" || w.calls[i+1].id == "") {
				return false
			}
		}
		return true
	}},
	{"only a replacement's undo that is allowed waits for other deliveries' answers", func(w *way) bool {
		var asked call
		for _, c := range w.calls {
			if c.name == "Phase" {
				asked = c
			}
			forbidden := asked.id == "" || untold(asked) || asked.phase == rules.NotAwaited || asked.began == rules.Back
			if c.wait == rules.OtherAnswers && (forbidden || w.facts.Type != lifecycle.Update || w.facts.ID == "") {
				return false
			}
		}
		return true
	}},
	{"what is being deleted is deleted again", func(w *way) bool {
		return !w.beingDeleted() || w.answer.ID != made || !w.replacing() || w.answer.OK
	}},
	{"and the reason says so", func(w *way) bool {
		c, _ := w.create()
		if w.facts.Type == lifecycle.Delete || c.outcome.End == rules.InvalidID || w.count("Delete") == 0 {
			return true
		}
		again := w.any(func(c call) bool { return c.name == "Delete" && gone(c.outcome.End) })
		return containsAll(w.answer.Reason, "is being deleted") == w.beingDeleted() && containsAll(w.answer.Reason, "is deleted again") == again &&
			(containsAll(w.answer.Reason, "is left behind") || containsAll(w.answer.Reason, "is left for the stack to delete")) == (!w.beingDeleted() && !again)
	}},
	{"what the stack deletes is not said to be left behind", func(w *way) bool {
		return !w.replacing() || !containsAll(w.answer.Reason, "is left behind") || w.answer.ID != made
	}},
	{"and nothing else is left for it", func(w *way) bool {
		return !containsAll(w.answer.Reason, "is left for the stack") || w.created(w.answer.ID)
	}},
	{"no success with what was deleted", func(w *way) bool {
		return w.facts.Type == lifecycle.Delete || !w.answer.OK || !w.deleted(w.answer.ID)
	}},
	{"what an undo is refused for good, or for too long, is not tried again", func(w *way) bool {
		for i, c := range w.calls[:max(0, len(w.calls)-1)] {
			if c.name == "Delete" && c.once && c.outcome.End != rules.Transient && c.outcome.End != rules.Throttled && w.calls[i+1].name == "Wait" {
				return false
			}
		}
		return true
	}},
	{"an undo that the service refuses for now is tried again", func(w *way) bool {
		for i, c := range w.calls {
			if c.name == "Delete" && c.once && (c.outcome.End == rules.Transient || c.outcome.End == rules.Throttled) && (i+1 == len(w.calls) || w.calls[i+1].name != "Wait") {
				return false
			}
		}
		return true
	}},
	{"where the phase is not known, an undo gives up soon", func(w *way) bool {
		last := rules.PhaseUnknown
		for i, c := range w.calls {
			if c.name == "Phase" {
				last = c.phase
			}
			if c.name == "Wait" && i > 0 && w.calls[i-1].name == "Delete" && w.calls[i-1].once {
				short := c.began == rules.PhaseUnknown || last == rules.PhaseUnknown || last == rules.GivenUp
				if short != (c.wait == rules.NextUndo) {
					return false
				}
			}
		}
		return true
	}},
}

// untold reports whether a question was not answered, as no question was before it.
func untold(c call) bool { return c.phase == rules.PhaseUnknown && c.began == rules.PhaseUnknown }
