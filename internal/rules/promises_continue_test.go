package rules_test

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// continued returns the call of Continue.
func (w *way) continued() (call, bool) {
	i := slices.IndexFunc(w.calls, func(c call) bool { return c.name == "Continue" })
	if i < 0 {
		return call{}, false
	}
	return w.calls[i], true
}

// waited returns the call that waited when the invocation ended.
func (w *way) stillWaits() (call, bool) {
	i := slices.IndexFunc(w.calls, func(c call) bool { return c.outcome.End == rules.Waiting })
	if i < 0 {
		return call{}, false
	}
	return w.calls[i], true
}

// overtaken reports whether the stack has turned round, or gone on, since the
// chain began, as a question was answered.
func overtaken(c call) bool {
	return !awaited(c.phase) || c.phase != rules.PhaseUnknown && c.began != rules.PhaseUnknown && c.phase != c.began
}

// What goes on in the next invocation.
var continuePromises = []promise{
	{"an invocation answers, or another one does", func(w *way) bool {
		c, ok := w.continued()
		return w.answer.Continued == (ok && c.outcome.End != rules.Failed)
	}},
	{"what may not have been sent fails the invocation", func(w *way) bool {
		c, _ := w.continued()
		return !w.answer.Continued || (w.answer.Reason != "") == (c.outcome.End == rules.Unknown)
	}},
	{"only what waits goes on", func(w *way) bool {
		_, waits := w.stillWaits()
		_, ok := w.continued()
		return waits || !ok
	}},
	{"what waits does nothing more but go on, or take back what it made", func(w *way) bool {
		i := slices.IndexFunc(w.calls, func(c call) bool { return c.outcome.End == rules.Waiting })
		return i < 0 || !slices.ContainsFunc(w.calls[i+1:], func(c call) bool {
			return c.name == "Find" || c.name == "Create" || c.name == "Update" || c.name == "Delete" && (w.facts.Type == lifecycle.Delete || !w.created(c.id))
		})
	}},
	{"nothing is done after another invocation has the event", func(w *way) bool {
		return !w.answer.Continued || w.calls[len(w.calls)-1].name == "Continue"
	}},
	{"the phase is asked right before", func(w *way) bool {
		for i, c := range w.calls {
			if c.name == "Continue" && (i == 0 || w.calls[i-1].name != "Phase" || w.calls[i-1].id != c.chain.CreatedID) {
				return false
			}
		}
		return true
	}},
	{"only what is awaited as it was at first goes on", func(w *way) bool {
		_, ok := w.continued()
		return !ok || (w.start == rules.Forward || w.start == rules.Back) && w.phaseAfterWaiting().phase == w.start
	}},
	{"and that does", func(w *way) bool {
		_, waits := w.stillWaits()
		_, ok := w.continued()
		return !waits || ok || w.start != rules.Forward && w.start != rules.Back || w.phaseAfterWaiting().phase != w.start
	}},
	{"the next invocation is told of this one", func(w *way) bool {
		c, ok := w.continued()
		return !ok || c.chain.Links == w.facts.Chain.Links+1
	}},
	{"the next invocation is told what was created, and never what was adopted", func(w *way) bool {
		c, ok := w.continued()
		if !ok {
			return true
		}
		if want := w.facts.Chain.CreatedID; want != "" {
			return c.chain.CreatedID == want
		}
		create, _ := w.create()
		if waits, _ := w.stillWaits(); waits.name != "Create" {
			return c.chain.CreatedID == ""
		}
		return c.chain.CreatedID == create.outcome.ID
	}},
	{"a function that continues asks for the phase before it works", func(w *way) bool {
		f := w.facts
		nothing := f.Type == lifecycle.Delete && f.ID == ""
		return !f.Continues && f.Chain.Links == 0 || nothing || f.Refused.End != rules.Done || w.calls[0].name == "Phase" && w.calls[0].id == f.Chain.CreatedID
	}},
	{"an invocation of a chain that is overtaken works no more", func(w *way) bool {
		f := w.facts
		if f.Refused.End != rules.Done || !w.linkStops() {
			return true
		}
		return w.count("Find", "Create", "Update", "Continue") == 0 && !w.answer.OK && (f.Type != lifecycle.Delete || w.count("Delete") == 0)
	}},
	{"an invocation of a chain that is not overtaken works", func(w *way) bool {
		f := w.facts
		if f.Chain.Links == 0 || f.Refused.End != rules.Done || len(w.calls) == 0 || w.linkStops() || f.Problems != (rules.Problems{}) {
			return true
		}
		return w.kept() || w.count("Find", "Create", "Update", "Delete") > 0
	}},
	{"what a chain made is gone on with, and nothing else is found or made", func(w *way) bool {
		if w.facts.Chain.CreatedID == "" {
			return true
		}
		return w.count("Find", "Create") == 0 && !w.any(func(c call) bool {
			return c.name == "Update" && (c.id != w.facts.Chain.CreatedID || c.how != rules.Adopting)
		})
	}},
	{"what a chain made is answered, or taken back", func(w *way) bool {
		id := w.facts.Chain.CreatedID
		return id == "" || w.answer.Continued || w.answer.ID == id ||
			w.facts.ID != "" && !w.answer.OK && w.answer.ID == w.facts.ID && w.count("Phase") > 0
	}},
	{"what a chain may have made and did not name is reached by the next Delete", func(w *way) bool {
		f := w.facts
		return f.Chain.Links == 0 || f.Type != lifecycle.Create || f.StableID == "" || w.answer.OK || w.answer.ID != physicalid.NotCreated
	}},
	{"what an overtaken chain made is taken back where that is allowed", func(w *way) bool {
		f := w.facts
		if f.Chain.CreatedID == "" || f.Refused.End != rules.Done || w.answer.OK || w.answer.Continued {
			return true
		}
		now := w.lastPhase()
		turned := f.Expired || overtaken(now)
		forbidden := w.start != rules.Forward || now.phase == rules.NotAwaited
		return !turned || forbidden || w.count("Delete") > 0
	}},
	{"what waits, and is not known to be overtaken, is not taken back but in a replacement", func(w *way) bool {
		waits, ok := w.stillWaits()
		if !ok || waits.name == "Delete" || w.replacing() || w.start != rules.PhaseUnknown || !awaited(w.phaseAfterWaiting().phase) {
			return true
		}
		return w.count("Delete") == 0 && strings.Contains(w.answer.Reason, waits.name+" fails")
	}},
	{"the reason of a chain that cannot go on is told", func(w *way) bool {
		c, ok := w.continued()
		return !ok || w.answer.Continued || c.outcome.End != rules.Failed || containsAll(w.answer.Reason, "Continue fails", " fails. ")
	}},
}
