package play

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Replay is cfntest's.
func Replay(t *testing.T, c Contract, line string) {
	t.Helper()
	if err := c.check(); err != nil {
		t.Fatalf("cfntest.Replay: %v", err)
	}
	h, o, err := c.history(line)
	if err != nil {
		t.Fatalf("cfntest.Replay: %v", err)
	}
	r := replay(t, c, h, o)
	switch {
	case r.found != nil:
		t.Errorf("cfntest.Replay: %v", *r.found)
	case r.Limit != "":
		t.Logf("cfntest.Replay: it does what no handler can prevent (%s).\n%s", r.Limit, r.story)
	default:
		t.Logf("cfntest.Replay: it does no harm.\n%s", r.story)
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
		if op.deploys() && c.version(op.What) == nil {
			field := map[string]string{inPlace: "InPlace", replacing: "Replacing", refused: "Refused"}[op.What]
			return nil, o, fmt.Errorf("the history %q has %s, and the Contract has no %s", line, op.What, field)
		}
	}
	return h, o, nil
}

func replay(t *testing.T, c Contract, h history, o ExploreOptions) *historyResult {
	t.Helper()
	x := newExplorer(t, c, o)
	if f := x.learnStates(); f != nil {
		return &historyResult{playedHistory: playedHistory{History: f.history}, found: f}
	}
	x.withStory = true
	return x.runOne(h)
}
