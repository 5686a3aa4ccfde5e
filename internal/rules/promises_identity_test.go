package rules_test

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

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
	{"what waits until searches show it knows why it came", func(w *way) bool {
		for _, c := range w.calls {
			if c.name == "Wait" && c.wait == rules.Lag && w.changes() {
				return false
			}
			if c.name == "Phase" {
				return true
			}
		}
		return true
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
