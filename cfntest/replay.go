package cfntest

import (
	"fmt"
	"testing"
)

// Replay plays one history that [Explore] printed, such as
//
//	v0 v2/sibling-fails!die-at-step:3@2 delete
//
// and tells its story in the test's log. It fails the test if the history does
// harm, as Explore does. The operations are separated by spaces:
//
//   - v0, v1, v2 and refused deploy the Contract's Properties, InPlace,
//     Replacing and Refused; after them may stand /sibling-fails, /cancelled, or
//     /kept, which is /sibling-fails with DisableRollback;
//   - rollback is RollbackStack, and delete is DeleteStack, with which each
//     history ends whether it says so or not;
//   - after an exclamation mark stands the fault that an operation meets, one in
//     a history: its [FaultKind], after a colon its Step if it has one, and after
//     an at sign which of the operation's requests it happens to, from 1.
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

// history reads a history that the Contract has all properties for.
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

func replay(t *testing.T, c Contract, h history) *played {
	t.Helper()
	x := newExplorer(t, c, ExploreOptions{})
	if f := x.learn(); f != nil {
		return &played{history: f.history, found: f}
	}
	x.telling = true
	return x.playOne(h)
}
