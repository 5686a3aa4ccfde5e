package rules_test

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

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
	{"a form that the service refuses does not fail a lost Delete", func(w *way) bool {
		if !w.lost() || w.answer.OK || w.kept() {
			return true
		}
		last := w.lastWork()
		if last.name == "Delete" && last.id == w.facts.ID && !w.found(last.id) {
			return !gone(last.outcome.End) && last.outcome.End != rules.InvalidRequest && last.outcome.End != rules.NoCode
		}
		return last.name == "Find" && last.outcome.End != rules.Done || last.name == "Delete" && !gone(last.outcome.End) && last.outcome.End != rules.InvalidRequest
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
