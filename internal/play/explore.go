package play

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// ExploreOptions are cfntest's.
type ExploreOptions struct {
	Depth     int
	Histories int
	Budget    time.Duration
	Faults    []fault.Kind
	Assume    []string
	HTML      string // the directory for pages of what is found; "" writes none

	now func() time.Time // that the Budget goes by; nil is the machine's
}

// check returns what is wrong with the options.
func (o ExploreOptions) check() error {
	if o.Depth < 0 || o.Histories < 0 || o.Budget < 0 {
		return fmt.Errorf("Depth is %d, Histories is %d and Budget is %v: make each of them 0 or more", o.Depth, o.Histories, o.Budget)
	}
	if _, err := engine.ParseAssumptions(o.Assume); err != nil {
		return fmt.Errorf("Assume: %w", err)
	}
	for _, k := range o.Faults {
		if !slices.Contains(exploredFaults, k) {
			return fmt.Errorf("Faults has %q: use some of %s", k, listKinds(exploredFaults))
		}
	}
	return nil
}

// maxFindings is the number of harmful histories after which an exploration ends.
const maxFindings = 3

// Explore is cfntest's.
func Explore(t *testing.T, c Contract, o ExploreOptions) {
	t.Helper()
	if err := errors.Join(c.check(t), o.check()); err != nil {
		t.Fatalf("cfntest.Explore: %v", err)
	}
	e := explore(t, c, o)
	if e.fault != "" {
		t.Errorf("cfntest.Explore: %s", e.fault)
	}
	for _, f := range e.findings {
		t.Errorf("cfntest.Explore: %v", f)
		f.write(t, o.HTML)
	}
	if e.played == 0 {
		t.Error("cfntest.Explore: no history was played: give it more time, or leave ExploreOptions.Budget out")
	}
	t.Logf("cfntest.Explore: %v", e)
	if len(e.limits) > 0 {
		// t.Log is not shown where a test passes, and this is what remains to be done by hand.
		fmt.Fprintf(os.Stderr, "cfntest.Explore: %s: %s\n", t.Name(), e.unprevented())
	}
}

// An exploration is the result of Explore.
type exploration struct {
	findings   []finding // in the order of the histories, at most maxFindings
	played     int
	depth      int    // operations in the longest histories that were played
	stopReason string // it ended before it was through
	took       time.Duration
	limits     map[string]int // by the name of a limit, how many histories met it
	// diverged counts the histories that could not be played: they were planned from
	// an earlier run of their beginning, and this time it went another way. A client
	// that waits at random before it tries again has some.
	diverged int
	// leftOut counts the histories that were not played, as far as they are known: more
	// would go on from each of them.
	leftOut  int
	fault    string // of State, or ""
	stepless bool   // the Contract says that the service cannot call Step
	answers  answers
}

func (e exploration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d histories of up to %d operations and the deletion in %v", e.played, e.depth, e.took.Round(time.Millisecond))
	if e.stopReason != "" {
		b.WriteString(", " + e.stopReason)
	}
	if e.leftOut > 0 && len(e.findings) == 0 {
		fmt.Fprintf(&b, "; %d more were left out, with the histories that continue from them: set ExploreOptions.Histories to play all", e.leftOut)
	}
	if e.diverged > 0 {
		fmt.Fprintf(&b, "; %d were left out, since no request met the fault, or the beginning differed from an earlier run", e.diverged)
	}
	for _, doubtful := range e.answers.warnings() {
		b.WriteString("; " + doubtful)
	}
	return b.String()
}

// unprevented reports the histories whose harm no handler can prevent.
func (e exploration) unprevented() string {
	var b strings.Builder
	fmt.Fprintf(&b, "some of %d histories did harm that no handler can prevent; docs/rough_edges.md says what helps", e.played)
	for _, name := range slices.Sorted(maps.Keys(e.limits)) {
		fmt.Fprintf(&b, "\n%6d: %s", e.limits[name], name)
	}
	if e.stepless {
		b.WriteString("\nThe Contract skips " + stepsCheck + ": if the service calls no Step, a handler may be able to prevent some of this harm, and no fault at a Step is played")
	}
	return b.String()
}

// A finding is a history that did harm.
type finding struct {
	assume  []string
	history history
	harm    harm
	at      operation // that did it
	detail  string
	story   string
	log     string      // the end of what was logged, if that is kept
	helps   string      // the line about it, or ""
	caused  bool        // the requests show the cause
	written bool        // it is in what the handler writes
	page    *page.Story // nil unless pages are asked for
}

func (f finding) String() string {
	head := fmt.Sprintf("%s, by the history %q\nAfter %s: %s\nThe rule: %s", f.harm.Name, f.line(), f.at, f.detail, f.harm.Rule)
	return tell(head, f.harm.Consequence, f.story, f.helps, f.line())
}

// again is the line that Replay plays again, or "" if what the handler writes shows the harm: Replay lets that be seen.
func (f finding) again() string {
	if f.written {
		return ""
	}
	return f.line()
}

// line is what Replay plays.
func (f finding) line() string {
	if len(f.assume) == 0 {
		return f.history.String()
	}
	return strings.Join(f.assume, " ") + ": " + f.history.String()
}

// Replay is cfntest's.
func Replay(t *testing.T, c Contract, line string) {
	t.Helper()
	if err := c.check(t); err != nil {
		t.Fatalf("cfntest.Replay: %v", err)
	}
	h, o, err := c.history(line)
	if err != nil {
		t.Fatalf("cfntest.Replay: %v", err)
	}
	r := replay(t, c, h, o)
	switch {
	case r.first() != nil:
		t.Errorf("cfntest.Replay: %v", *r.first())
	case r.Limit != "":
		t.Logf("cfntest.Replay: the history does harm that no handler can prevent (%s).\n%s", r.Limit, r.story)
	default:
		t.Logf("cfntest.Replay: the history does no harm.\n%s", r.story)
	}
}

// history parses a history and the readings before it, and checks that the Contract has
// the properties for it.
func (c *Contract) history(line string) (h history, o ExploreOptions, err error) {
	readings, operations, ok := strings.Cut(line, ": ")
	if !ok {
		readings, operations = "", line
	}
	o.Assume = strings.Fields(readings)
	h, err = parseHistory(operations)
	if err := errors.Join(err, o.check()); err != nil {
		return nil, o, err
	}
	for _, op := range h {
		for _, gets := range op.besides() {
			if _, props := c.besideProperties(gets); gets != takesOut && props == nil {
				return nil, o, fmt.Errorf("the history %q has another resource with %s, which the Contract does not have", line, gets)
			}
		}
		if op.deploys() && c.version(op.What) == nil {
			if isChanged(op.What) {
				return nil, o, fmt.Errorf("the history %q has %s, but the Contract's properties cannot be changed in that way", line, op.What)
			}
			field := map[string]string{inPlace: "InPlace", replacing: "Replacing", refused: "Refused", notUpdatable: "NotUpdatable"}[op.What]
			return nil, o, fmt.Errorf("the history %q has %s, but the Contract has no %s", line, op.What, field)
		}
	}
	return h, o, nil
}

func replay(t *testing.T, c Contract, h history, o ExploreOptions) *historyResult {
	t.Helper()
	k := calibrate(t, c, t.Name()+": "+original)
	x := newExplorer(t, k.contract(c), o, k)
	if f := x.learnStates(h...); f != nil {
		return &historyResult{playedHistory: playedHistory{History: f.history}, found: f}
	}
	for _, op := range h {
		x.learnShown(op.What)
	}
	return x.runOne(h, playing{tells: true})
}

// pageOf returns the contents of a page about all that happened to a stack.
func pageOf(s *simulate.Stack) *page.Story {
	stacks, beside, began := s.Shown()
	return &page.Story{Stacks: stacks, Beside: beside, Clock: func(t time.Time) string { return t.Sub(began).Truncate(time.Second).String() }}
}

// write writes the page of a finding into a directory, which it creates if needed.
func (f finding) write(t *testing.T, dir string) {
	t.Helper()
	if dir == "" || f.page == nil {
		return
	}
	s := f.page
	s.Title = f.harm.Name
	s.Facts = []page.Fact{
		{Name: "After " + f.at.String(), Text: f.detail},
		{Name: "What should have been", Text: f.harm.Rule},
		{Name: "CloudFormation would have", Text: f.harm.Consequence},
		{Name: "The history", Text: f.line(), Code: true},
		{Name: "To play it again", Text: "cfntest.Replay(t, contract, \"" + f.line() + "\")", Code: true},
	}
	if f.harm == leftBehind {
		s.Left = []page.Left{{Name: theResource, Text: f.detail}}
	}
	file, err := s.WriteNext(dir, t.Name())
	if err != nil {
		t.Errorf("cfntest.Explore: the page of the history cannot be written: %v", err)
		return
	}
	t.Logf("cfntest.Explore: the page of the history: %s", file)
}
