package rules_test

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

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
		return containsAll(w.answer.Why, "is being deleted") == w.beingDeleted() && containsAll(w.answer.Why, "is deleted again") == again &&
			(containsAll(w.answer.Why, "is left behind") || containsAll(w.answer.Why, "is left for the stack to delete")) == (!w.beingDeleted() && !again)
	}},
	{"what the stack deletes is not said to be left behind", func(w *way) bool {
		return !w.replacing() || !containsAll(w.answer.Why, "is left behind") || w.answer.ID != made
	}},
	{"and nothing else is left for it", func(w *way) bool {
		return !containsAll(w.answer.Why, "is left for the stack") || w.created(w.answer.ID)
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
