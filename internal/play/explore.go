package play

import (
	"errors"
	"fmt"
	"os"
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
	if min(int64(o.Depth), int64(o.Histories), int64(o.Budget)) < 0 {
		return fmt.Errorf("Depth is %d, Histories is %d and Budget is %v: make each of them 0 or more", o.Depth, o.Histories, o.Budget)
	}
	if _, err := engine.ParseAssumptions(o.Assume); err != nil {
		return fmt.Errorf("Assume: %w", err)
	}
	for _, k := range o.Faults {
		if lacks(exploredFaults, k) {
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
	// What was found, the shortest history first.
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
	// A limit is no failure, but whoever replays it wants to see it.
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
	// Each version needs properties, those of the other resources too.
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
			return nil, o, fmt.Errorf("the history %q has %s, but the Contract has no %s", line, op.What, op.word().field)
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
	// A page of an earlier run stays: each has a number.
	file, err := s.WriteNext(dir, t.Name())
	if err != nil {
		t.Errorf("cfntest.Explore: the page of the history cannot be written: %v", err)
		return
	}
	t.Logf("cfntest.Explore: the page of the history: %s", file)
}
