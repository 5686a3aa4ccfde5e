package rules_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"iter"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
)

// The IDs that the ways know.
const (
	stableID  = "stable"
	oldStable = "old-stable"
	generated = "Stack-Thing-1ABCDEFGHIJK"
	theirs    = "svc-0"  // the event's
	made      = "svc-1"  // by this event
	another   = "svc-2"  // what Find finds, or Create meets
	unusable  = "svc-\t" // CloudFormation cannot keep it
)

// How often one way may meet what could go on for ever.
const (
	maxFinds = 4 // later ones find nothing
	maxWaits = 1 // of each moment, later ones are past
	maxCalls = 40
)

// A given is what a way begins with: the facts, and the phase in which the chain began
// that the event continues.
type given struct {
	rules.Facts
	began rules.Phase
}

// A way is one run of Handle: the outcomes that its effects chose, as indices,
// and what was called. Walked again and again it takes them depth first.
type way struct {
	facts given

	path, widths []int
	at           int

	calls  []call
	finds  int
	waits  [6]int
	start  rules.Phase // why the event came, as far as it was told
	asked  bool
	answer rules.Answer
}

// A call is one effect and its outcome.
type call struct {
	name string // of the method
	id   string // that it was called with, or Find's "at"
	side rules.Side
	how  rules.How
	once bool
	wait rules.Moment

	chain   rules.Chain
	found   string // by Find
	outcome rules.Outcome
	phase   rules.Phase
	waited  bool

	began rules.Phase // why the event came, as far as that was told by then
}

// walk runs Handle and returns the promise that it broke, or "". It holds them
// only if the way matters.
func (w *way) walk(matters func() bool) (broken string) {
	w.at, w.finds, w.waits = 0, 0, [6]int{}
	w.asked = w.facts.Chain.Links > 0
	w.start = rules.PhaseUnknown
	if w.asked {
		w.start = w.facts.began
	}
	w.calls = w.calls[:0]
	defer func() {
		if v := recover(); v != nil {
			broken = fmt.Sprint("panics: ", v)
		}
	}()
	w.answer = rules.Handle(w.facts.Facts, w)
	if !matters() {
		return ""
	}
	return w.broken()
}

// next turns to the next way. It returns false after the last.
func (w *way) next() bool {
	for i := len(w.path) - 1; i >= 0; i-- {
		if w.path[i]+1 < w.widths[i] {
			w.path, w.widths = w.path[:i+1], w.widths[:i+1]
			w.path[i]++
			return true
		}
	}
	return false
}

func (w *way) choose(n int) int {
	if len(w.calls) > maxCalls {
		panic("it calls without end")
	}
	if w.at == len(w.path) {
		w.path, w.widths = append(w.path, 0), append(w.widths, n)
	}
	w.at++
	return w.path[w.at-1]
}

func (w *way) called(c call) call {
	c.began = w.start
	w.calls = append(w.calls, c)
	return c
}

var (
	findable = []string{"", another, theirs, generated}
	creates  = []rules.Outcome{
		{End: rules.Done}, {End: rules.Done, ID: made}, {End: rules.Done, ID: made, Slow: true}, {End: rules.Done, UsedStableID: true},
		{End: rules.Failed}, {End: rules.Failed, ID: made}, {End: rules.Failed, ID: made, Slow: true}, {End: rules.Failed, UsedStableID: true},
		{End: rules.AlreadyExists, ID: stableID}, {End: rules.AlreadyExists, ID: another}, {End: rules.AlreadyExists}, {End: rules.AlreadyExists, ID: oldStable},
		{End: rules.Throttled}, {End: rules.Throttled, ID: made}, {End: rules.Throttled, UsedStableID: true},
		{End: rules.InvalidID, ID: unusable},
		{End: rules.Unknown}, {End: rules.Unknown, ID: made},
		{End: rules.Done, ID: theirs}, {End: rules.Failed, ID: theirs},
		{End: rules.Waiting}, {End: rules.Waiting, ID: made},
	}
	updates     = []rules.End{rules.Done, rules.Failed, rules.NotFound, rules.Unknown, rules.Waiting}
	deletes     = []rules.End{rules.Done, rules.Failed, rules.NoCode, rules.NotFound, rules.InvalidRequest, rules.Unknown, rules.Waiting}
	deletesOnce = []rules.End{rules.Done, rules.Failed, rules.NotFound, rules.Transient, rules.Throttled, rules.Unknown, rules.Deleting}
	continues   = []rules.End{rules.Done, rules.Failed, rules.Unknown}
	phases      = []rules.Phase{rules.PhaseUnknown, rules.Forward, rules.Back, rules.GivenUp, rules.NotAwaited}

	removalPhases = []rules.Phase{rules.PhaseUnknown, rules.NotAwaited} // of what a Delete asks about: the others let it go on, too
)

func (w *way) Find(of rules.Side, at string) (string, rules.Outcome) {
	w.finds++
	c := call{name: "Find", side: of, id: at}
	switch i := w.choose(len(findable) + 1); {
	case w.finds > maxFinds:
	case i == len(findable):
		c.outcome = rules.Outcome{End: rules.Failed, Reason: "Find fails"}
	default:
		c.found = findable[i]
	}
	c = w.called(c)
	return c.found, c.outcome
}

func (w *way) Create(replaces string) rules.Outcome {
	of := creates
	if !w.facts.Continues {
		of = creates[:len(creates)-2] // nothing waits
	}
	c := call{name: "Create", id: replaces, outcome: of[w.choose(len(of))]}
	c.outcome.Reason = "Create fails"
	return w.called(c).outcome
}

// end chooses an end. Where nothing may go on elsewhere, nothing waits.
func (w *way) end(of []rules.End) rules.End {
	if n := len(of) - 1; !w.facts.Continues && of[n] == rules.Waiting {
		of = of[:n]
	}
	return of[w.choose(len(of))]
}

func (w *way) Update(id string, how rules.How) rules.Outcome {
	end := w.end(updates)
	return w.called(call{name: "Update", id: id, how: how, outcome: rules.Outcome{End: end, Reason: "Update fails"}}).outcome
}

func (w *way) Delete(id string, once bool) rules.Outcome {
	ends := deletes
	if once {
		ends = deletesOnce
	}
	end := w.end(ends)
	return w.called(call{name: "Delete", id: id, once: once, outcome: rules.Outcome{End: end, Reason: "Delete fails"}}).outcome
}

func (w *way) Continue(c rules.Chain) rules.Outcome {
	o := rules.Outcome{End: w.end(continues)}
	if o.End != rules.Done {
		o.Reason = "Continue fails"
	}
	return w.called(call{name: "Continue", chain: c, outcome: o}).outcome
}

func (w *way) Phase() rules.Phase {
	if !w.asked {
		w.asked = true
		w.start = phases[w.choose(len(phases))]
		w.called(call{name: "Phase", phase: w.start})
	}
	return w.start
}

func (w *way) PhaseNow(id string) rules.Phase {
	of := phases
	if w.removes(id) {
		of = removalPhases
	}
	now := of[w.choose(len(of))]
	if rules.Stale(w.start, now) {
		w.start = now
	}
	return w.called(call{name: "Phase", id: id, phase: now}).phase
}

func (w *way) Wait(m rules.Moment) bool {
	w.waits[m]++
	c := call{name: "Wait", wait: m}
	if w.waits[m] <= maxWaits {
		c.waited = w.choose(2) == 1
	}
	return w.called(c).waited
}

// String tells a way as it would be told in a report.
func (w *way) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", w.facts)
	for _, c := range w.calls {
		fmt.Fprintf(&b, "  %s %q", c.name, c.id)
		switch c.name {
		case "Find":
			fmt.Fprintf(&b, " of side %d: %q %+v\n", c.side, c.found, c.outcome)
		case "Phase":
			fmt.Fprintf(&b, ": %d\n", c.phase)
		case "Wait":
			fmt.Fprintf(&b, " for %d: %t\n", c.wait, c.waited)
		default:
			fmt.Fprintf(&b, " how %d once %t: %+v\n", c.how, c.once, c.outcome)
		}
	}
	fmt.Fprintf(&b, "answer: %+v", w.answer)
	return b.String()
}

func goStatements(file *ast.File) iter.Seq[token.Pos] {
	return func(yield func(token.Pos) bool) {
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.GoStmt)
			return !ok || yield(s.Pos())
		})
	}
}
