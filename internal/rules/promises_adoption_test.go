package rules_test

import (
	"github.com/cfnresource/sdk-go/internal/rules"
)

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
		c, ok := w.create()
		if !ok || c.outcome.End != rules.AlreadyExists || c.outcome.ID == w.facts.StableID {
			return true
		}
		return w.foundAfterCreate(c.outcome.ID) || !w.any(func(c call) bool { return c.name == "Update" })
	}},
	{"what proves ours is adopted", func(w *way) bool {
		c, ok := w.create()
		return !ok || c.outcome.End != rules.AlreadyExists || c.outcome.ID == "" || c.outcome.ID == w.facts.ID || c.outcome.ID != w.facts.StableID && !w.foundAfterCreate(c.outcome.ID) ||
			w.any(func(u call) bool { return u.name == "Update" && u.id == c.outcome.ID })
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
