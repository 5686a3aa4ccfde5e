package play

import (
	"fmt"
	"testing"
)

// Replay is cfntest's.
func Replay(t *testing.T, c Contract, history string) {
	t.Helper()
	if err := c.check(); err != nil {
		t.Fatalf("cfntest.Replay: %v", err)
	}
	h, err := c.history(history)
	if err != nil {
		t.Fatalf("cfntest.Replay: %v", err)
	}
	r := replay(t, c, h)
	switch {
	case r.found != nil:
		t.Errorf("cfntest.Replay: %v", *r.found)
	case r.limit != "":
		t.Logf("cfntest.Replay: it does what no handler can prevent (%s).\n%s", r.limit, r.story)
	default:
		t.Logf("cfntest.Replay: it does no harm.\n%s", r.story)
	}
}

// history parses a history, and checks that the Contract has the properties for it.
func (c *Contract) history(line string) (history, error) {
	h, err := parseHistory(line)
	if err != nil {
		return nil, err
	}
	for _, op := range h {
		if op.deploys() && c.version(op.what) == nil {
			field := map[string]string{inPlace: "InPlace", replacing: "Replacing", refused: "Refused"}[op.what]
			return nil, fmt.Errorf("the history %q has %s, and the Contract has no %s", line, op.what, field)
		}
	}
	return h, nil
}

func replay(t *testing.T, c Contract, h history) *historyResult {
	t.Helper()
	x := newExplorer(t, c, ExploreOptions{})
	if f := x.learnStates(); f != nil {
		return &historyResult{history: f.history, found: f}
	}
	x.withStory = true
	return x.runOne(h)
}
