package rules_test

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// What can be said of a way.

func (w *way) any(is func(call) bool) bool { return slices.ContainsFunc(w.calls, is) }

// count counts the calls of some effects, but for the pauses between two questions.
func (w *way) count(names ...string) (n int) {
	for _, c := range w.calls {
		if slices.Contains(names, c.name) && c.wait != rules.NextAnswer {
			n++
		}
	}
	return n
}

func awaited(p rules.Phase) bool { return p != rules.GivenUp && p != rules.NotAwaited }
func gone(e rules.End) bool      { return e == rules.Done || e == rules.NotFound }

// create returns the last Create.
func (w *way) create() (call, bool) {
	for _, c := range slices.Backward(w.calls) {
		if c.name == "Create" {
			return c, true
		}
	}
	return call{}, false
}

// created reports whether a Create, perhaps an earlier invocation's, said that it made id.
func (w *way) created(id string) bool {
	return id == w.facts.Chain.CreatedID && id != "" || w.any(func(c call) bool {
		return c.name == "Create" && c.outcome.ID == id && c.outcome.End != rules.AlreadyExists
	})
}

// found reports whether Find answered id.
func (w *way) found(id string) bool {
	return w.any(func(c call) bool { return c.name == "Find" && c.found == id })
}

func (w *way) failedFind() bool {
	return w.any(func(c call) bool { return c.name == "Find" && c.outcome.End != rules.Done })
}

// met returns the ID of what the last Create met, if that proves to be this resource: by its
// StableID, or by a Find after it. ok reports whether it met anything.
func (w *way) met() (id string, ok bool) {
	c, _ := w.create()
	if c.outcome.End != rules.AlreadyExists {
		return "", false
	}
	if c.outcome.ID == w.facts.StableID {
		return c.outcome.ID, true
	}
	for _, f := range slices.Backward(w.calls) {
		if f.name == "Create" {
			break
		}
		if f.name == "Find" && f.found != "" && (c.outcome.ID == "" || c.outcome.ID == f.found) {
			return f.found, true
		}
	}
	return "", true
}

// foundAtFirst reports whether the first Find answered something.
func (w *way) foundAtFirst() bool {
	i := slices.IndexFunc(w.calls, func(c call) bool { return c.name == "Find" })
	return i >= 0 && w.calls[i].found != ""
}

// foundBefore reports whether anything was found before the Delete of id.
func (w *way) foundBefore(id string) bool {
	for _, c := range w.calls {
		if c.name == "Delete" && c.id == id {
			return false
		}
		if c.name == "Find" && c.found != "" {
			return true
		}
	}
	return false
}

func (w *way) deleted(id string) bool {
	return w.any(func(c call) bool { return c.name == "Delete" && c.id == id && gone(c.outcome.End) })
}

// beingDeleted reports whether the last Delete was taken on by the service.
func (w *way) beingDeleted() bool {
	return w.any(func(c call) bool { return c.outcome.End == rules.Deleting })
}

// gone reports whether a Delete of id says that nothing is there.
func (w *way) gone(id string) bool {
	return w.any(func(c call) bool {
		return c.name == "Delete" && c.id == id && (gone(c.outcome.End) || c.outcome.End == rules.InvalidRequest && !w.found(id))
	})
}

// ledBack reports whether the properties of before lead to id without it at
// hand: by the StableID, or by the last search for them.
func (w *way) ledBack(id string) bool {
	if !w.facts.Finds {
		return id == w.facts.OldStableID
	}
	for _, c := range slices.Backward(w.calls) {
		if c.name == "Find" && c.side == rules.Old {
			return c.id == "" && c.found == id
		}
	}
	return false
}

func (w *way) explainedByOld(id string) bool {
	return id == w.facts.OldStableID && !w.facts.Finds || w.any(func(c call) bool { return c.name == "Find" && c.side == rules.Old && c.found == id })
}

// explainedByNew goes by what was found before anything was made.
func (w *way) explainedByNew(id string) bool {
	for _, c := range w.calls {
		if c.name == "Create" {
			break
		}
		if c.name == "Find" && c.side == rules.New && c.found == id {
			return true
		}
	}
	return id == w.facts.StableID
}

// finishes reports whether an invocation before this one made something: then the
// event is about that, whatever else it says.
func (w *way) finishes() bool { return w.facts.Chain.CreatedID != "" }

// inPlace reports whether the event is an Update of the same identity.
func (w *way) inPlace() bool {
	return w.facts.Type == lifecycle.Update && w.facts.ID != "" && w.facts.Identity != rules.Differs && !w.finishes()
}

// changes reports whether the event is an Update of another identity.
func (w *way) changes() bool {
	return w.facts.Type == lifecycle.Update && w.facts.ID != "" && w.facts.Identity == rules.Differs && !w.finishes()
}

// replacing reports whether the event is on the way to another resource in the place of its own.
func (w *way) replacing() bool {
	return w.facts.Type == lifecycle.Update && w.facts.ID != "" && w.finishes() || w.changes() && w.any(func(c call) bool { return c.name == "Create" || c.name == "Update" && c.how == rules.Adopting })
}

// lost reports whether the event is a Delete of what nobody has the ID of.
func (w *way) lost() bool {
	f := w.facts
	if f.Type != lifecycle.Delete || f.ID == "" || w.stopped() || !f.Generated && (!f.Finds || f.ID != f.StableID) {
		return false
	}
	return !f.Generated || !f.Finds || w.calls[w.asks()].found != f.ID
}

// removes reports whether a question is a Delete's, about what it deletes.
func (w *way) removes(id string) bool { return w.facts.Type == lifecycle.Delete && id != "" }

// kept reports whether a Delete was told that the stack keeps what it would delete.
func (w *way) kept() bool {
	last := w.lastPhase()
	return w.removes(last.id) && last.phase == rules.NotAwaited
}

// stopped reports whether the event was refused, or is not awaited.
func (w *way) stopped() bool {
	return w.facts.Refused.End != rules.Done || w.linkStops() || (w.facts.Late || w.facts.Continues) && w.unawaited() || w.count("Create", "Update", "Delete", "Find") == 0
}

// unawaited reports whether the event was told that nobody waits for it.
func (w *way) unawaited() bool { return w.facts.Chain.Links == 0 && !awaited(w.start) }

// linkStops reports whether the event is a later invocation's, and overtaken.
func (w *way) linkStops() bool {
	return w.facts.Chain.Links > 0 && len(w.calls) > 0 && (w.facts.Expired || overtaken(w.calls[0]))
}

// refusable reports whether the event has a problem.
func (w *way) refusable() bool {
	p := w.facts.Problems
	return w.facts.Type != lifecycle.Delete && p != (rules.Problems{})
}

// asks returns how many questions for the phase came first, with the pauses between them.
func (w *way) asks() int {
	n := slices.IndexFunc(w.calls, func(c call) bool { return c.name != "Phase" && (c.name != "Wait" || c.wait != rules.NextAnswer) })
	if n < 0 {
		return len(w.calls)
	}
	return n
}

// atWork returns why the event came, as far as that was told when the work began.
func (w *way) atWork() rules.Phase {
	if n := w.asks(); n < len(w.calls) {
		return w.calls[n].began
	}
	return w.start
}

// keeps reports whether a phase that was asked for after the last Create forbids to undo
// what that made.
func (w *way) keeps() bool {
	for _, c := range slices.Backward(w.calls) {
		switch {
		case c.name == "Create":
			return false
		case c.name == "Phase" && (c.began == rules.Back || c.phase == rules.NotAwaited || c.phase == rules.Back && c.began != rules.Forward):
			return true
		}
	}
	return false
}

// lastWork returns the last call of the handler.
func (w *way) lastWork() call {
	for _, c := range slices.Backward(w.calls) {
		if c.name != "Phase" && c.name != "Continue" && c.name != "Wait" {
			return c
		}
	}
	return call{}
}

// lastPhase returns the last question for the phase.
func (w *way) lastPhase() call {
	for _, c := range slices.Backward(w.calls) {
		if c.name == "Phase" {
			return c
		}
	}
	return call{}
}

// phaseAfterCreate returns the first phase that was asked for after the last Create.
func (w *way) phaseAfterCreate() (p rules.Phase) {
	for _, c := range slices.Backward(w.calls) {
		if c.name == "Create" {
			return p
		}
		if c.name == "Phase" {
			p = c.phase
		}
	}
	return p
}

// turned reports whether the event was overtaken.
func (w *way) turned() bool {
	return w.any(func(c call) bool {
		return c.name == "Phase" && c.id != "" && (c.phase == rules.GivenUp || c.phase == rules.Back && c.began != rules.Back)
	})
}

// phaseAfterWaiting returns the first question for the phase after a call that waits.
func (w *way) phaseAfterWaiting() call {
	waits := false
	for _, c := range w.calls {
		if waits && c.name == "Phase" {
			return c
		}
		waits = waits || c.outcome.End == rules.Waiting
	}
	return call{}
}

func containsAll(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}
