package rules_test

import (
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
		maybe := w.any(func(c call) bool {
			o := c.outcome
			return c.name == "Create" && (o.UsedStableID || o.End == rules.Unknown || o.End == rules.InvalidID && !w.deleted(o.ID) || f.Finds && o.End != rules.Done) ||
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
		return o.UsedStableID || o.ID != "" && o.End != rules.AlreadyExists || o.End == rules.Unknown || o.End == rules.Waiting || w.answer.ID == physicalid.NotCreated
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
