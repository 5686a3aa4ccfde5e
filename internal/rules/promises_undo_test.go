package rules_test

import (
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
			if c.name != "Continue" { // which takes a moment
				before = c
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
				short := w.began() == rules.PhaseUnknown || last == rules.PhaseUnknown || last == rules.GivenUp
				if short != (c.wait == rules.NextUndo) {
					return false
				}
			}
		}
		return true
	}},
}
