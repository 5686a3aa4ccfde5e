package rules_test

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// What is answered.
var answerPromises = []promise{
	{"an answer has an ID", func(w *way) bool { return w.answer.ID != "" }},
	{"a failure says why", func(w *way) bool { return w.answer.OK == (w.answer.Why == "") }},
	{"the reason of a Create that made something is told if it failed", func(w *way) bool {
		c, ok := w.create()
		if !ok || w.answer.OK || c.outcome.ID != made || c.outcome.End == rules.Waiting {
			return true
		}
		return strings.HasPrefix(w.answer.Why, "Create fails") == (c.outcome.End != rules.Done)
	}},
	{"the reason of an undo that failed is told", func(w *way) bool {
		i := len(w.calls) - 1
		if i >= 0 && w.calls[i].name == "Wait" {
			i--
		}
		if c, ok := w.create(); !ok || c.outcome.End == rules.InvalidID || w.calls[i].name != "Delete" {
			return true
		}
		return strings.Contains(w.answer.Why, "Delete fails") != (gone(w.calls[i].outcome.End) || w.beingDeleted())
	}},
	{"what cannot be kept is never answered", func(w *way) bool { return w.answer.ID != unusable }},
	{"a handler is called only for what is not refused", func(w *way) bool {
		return w.facts.Refused.End == rules.Done || w.count("Create", "Update", "Delete", "Find") == 0
	}},
	{"what is not awaited is not handled", func(w *way) bool {
		return !w.facts.Late || len(w.calls) == 0 || awaited(w.calls[0].phase) || len(w.calls) == 1 && !w.answer.OK
	}},
	{"what is young and seems not to be awaited asks again, until it is told to believe it", func(w *way) bool {
		for i, c := range w.calls {
			why := c.id == "" && !awaited(c.began) && w.facts.Chain.Links == 0
			if c.name != "Phase" || w.facts.Late || !why && (!w.removes(c.id) || c.phase != rules.NotAwaited) {
				continue
			}
			if i+1 == len(w.calls) || w.calls[i+1].wait != rules.NextAnswer || w.calls[i+1].waited != (i+2 < len(w.calls) && w.calls[i+2].name == "Phase" && w.calls[i+2].id == c.id) {
				return false
			}
		}
		return true
	}},
	{"what is told to be awaited after all is handled", func(w *way) bool {
		return !w.facts.Continues || w.facts.Chain.Links > 0 || w.facts.Refused.End != rules.Done || w.unawaited() || w.refusable() || w.kept() || w.count("Create", "Update", "Delete", "Find") > 0 || w.facts.ID == ""
	}},
	{"only what seems not to be awaited asks again", func(w *way) bool {
		for i, c := range w.calls {
			if c.wait != rules.NextAnswer {
				continue
			}
			if i == 0 || w.calls[i-1].name != "Phase" || awaited(w.calls[i-1].began) && (!w.removes(w.calls[i-1].id) || awaited(w.calls[i-1].phase)) {
				return false
			}
		}
		return true
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
		return w.atWork() == rules.Back && w.facts.Type == lifecycle.Update && w.facts.ID != "" || w.count("Create", "Update", "Find") == 0 && (w.finishes() || w.count("Delete") == 0) && !w.answer.OK
	}},
	{"a Create and an Update that leads forward refuse what they do not know", func(w *way) bool {
		if w.facts.Problems.Unknown == "" || w.facts.Type == lifecycle.Delete || w.facts.Type == lifecycle.Update && w.facts.ID != "" && w.atWork() != rules.Forward {
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
		return nothing || f.Refused.End != rules.Done || w.unawaited() || w.linkStops() || w.refusable() || w.kept() || w.count("Create", "Update", "Delete", "Find") > 0
	}},
}
