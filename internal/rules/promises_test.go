package rules_test

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A promise holds in every way.
type promise struct {
	name  string
	holds func(*way) bool
}

var (
	withoutAnswer = slices.Concat(adoptionPromises, undoPromises, continuePromises)
	promises      = slices.Concat(withoutAnswer, identityPromises, answerPromises, leakPromises, lostPromises)
)

// broken returns the promise that the way breaks, or "". What a way without an
// answer did is done by another one, too, whose Continue failed.
func (w *way) broken() string {
	all := promises
	if w.answer.Continued {
		all = withoutAnswer
	}
	for _, p := range all {
		if !p.holds(w) {
			return p.name
		}
	}
	return ""
}

// What is answered.
var answerPromises = []promise{
	{"an answer has an ID", func(w *way) bool { return w.answer.ID != "" }},
	{"a failure says why", func(w *way) bool { return w.answer.OK == (w.answer.Reason == "") }},
	{"the reason of a Create that made something is told if it failed", func(w *way) bool {
		c, ok := w.create()
		if !ok || w.answer.OK || c.outcome.ID != made || c.outcome.End == rules.Waiting {
			return true
		}
		return strings.HasPrefix(w.answer.Reason, "Create fails") == (c.outcome.End != rules.Done)
	}},
	{"the reason of an undo that failed is told", func(w *way) bool {
		i := len(w.calls) - 1
		if i >= 0 && w.calls[i].name == "Wait" {
			i--
		}
		if c, ok := w.create(); !ok || c.outcome.End == rules.InvalidID || w.calls[i].name != "Delete" {
			return true
		}
		return strings.Contains(w.answer.Reason, "Delete fails") != (gone(w.calls[i].outcome.End) || w.beingDeleted())
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
			reason := c.id == "" && !awaited(c.began) && w.facts.Chain.Links == 0
			if c.name != "Phase" || w.facts.Late || !reason && (!w.removes(c.id) || c.phase != rules.NotAwaited) {
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

// What tells an Update in place from a replacement, and which ID is answered.
var identityPromises = []promise{
	{"an Update in place answers the event's ID", func(w *way) bool {
		return !w.inPlace() || w.answer.ID == w.facts.ID
	}},
	{"an Update in place calls Update alone", func(w *way) bool {
		f := w.facts
		return !w.inPlace() || w.count("Create", "Delete", "Find") == 0 && !w.any(func(c call) bool { return c.name == "Update" && (c.how != rules.InPlace || c.id != f.ID) })
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
	{"an Update whose ID the new properties explain is in place, and says so if the old ones do, too", func(w *way) bool {
		f := w.facts
		if !w.changes() || w.stopped() || !w.explainedByNew(f.ID) {
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
		return !w.changes() || w.stopped() || w.failedFind() || f.Finds || f.ID != f.OldStableID || w.count("Create") > 0 || w.unawaited()
	}},
	{"an ID that nothing explains is changed in place, and said so", func(w *way) bool {
		f := w.facts
		return !w.changes() || w.stopped() || f.Finds || f.ID == f.StableID || f.ID == f.OldStableID ||
			w.count("Find", "Create", "Update", "Delete", "Wait") == 1 && w.any(func(c call) bool { return c.name == "Update" && c.id == f.ID && c.how == rules.Changed })
	}},
	{"a changed identity is looked for when it is known why the event came", func(w *way) bool {
		i := slices.IndexFunc(w.calls, func(c call) bool { return c.name == "Find" })
		return !w.changes() || i < 0 || slices.ContainsFunc(w.calls[:i], func(c call) bool { return c.name == "Phase" })
	}},
	{"only what nothing explains waits until searches show it, and is then looked for again", func(w *way) bool {
		i := slices.IndexFunc(w.calls, func(c call) bool { return c.name == "Wait" && c.wait == rules.Lag })
		if !w.changes() || w.stopped() || !w.facts.Finds || w.failedFind() {
			return true
		}
		explained := w.explainedByNew(w.facts.ID) || w.explainedByOld(w.facts.ID)
		if i < 0 {
			return explained
		}
		before := slices.ContainsFunc(w.calls[:i], func(c call) bool { return c.found == w.facts.ID })
		after := slices.ContainsFunc(w.calls[i:], func(c call) bool { return c.name == "Find" && c.side == rules.Old })
		return !before && after == w.calls[i].waited
	}},
	{"the old properties are looked for with the ID at hand only where something else is adopted", func(w *way) bool {
		for i, c := range w.calls {
			if c.name != "Find" || c.side != rules.Old {
				continue
			}
			before := ""
			if i > 0 && w.calls[i-1].name == "Find" {
				before = w.calls[i-1].found
			}
			if (c.id != "") != (before != "" && before != w.facts.ID) {
				return false
			}
		}
		return true
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
				id = f.StableID
			}
			if id == "" {
				id = physicalid.NotCreated
			}
			return c.outcome.End == rules.Done && (c.name == "Create" && w.answer.ID == id || c.name == "Update" && w.answer.ID == c.id)
		})
	}},
}

// What is adopted: a stranger's is never touched.
var adoptionPromises = []promise{
	{"only what is found, bears the StableID, or was made by an earlier invocation, is adopted", func(w *way) bool {
		return !w.any(func(c call) bool {
			return c.name == "Update" && c.how == rules.Adopting && !w.found(c.id) && c.id != w.facts.StableID && c.id != w.facts.Chain.CreatedID
		})
	}},
	{"what is brought to the properties is the event's or adopted", func(w *way) bool {
		return !w.any(func(c call) bool { return c.name == "Update" && c.how != rules.Adopting && c.id != w.facts.ID })
	}},
	{"what Create met is adopted only if it proves ours", func(w *way) bool {
		met, ok := w.met()
		return !ok || met != "" || !w.any(func(c call) bool { return c.name == "Update" })
	}},
	{"what proves ours is adopted, unless it is to be replaced", func(w *way) bool {
		met, ok := w.met()
		return !ok || met == "" || met == w.facts.ID || w.any(func(u call) bool { return u.name == "Update" && u.id == met })
	}},
	{"what is to be replaced is not adopted in its own place, and the answer says so", func(w *way) bool {
		met, ok := w.met()
		return !ok || met == "" || met != w.facts.ID || strings.Contains(w.answer.Reason, "the resource that is to be replaced") && !w.any(func(c call) bool { return c.name == "Update" })
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
}
