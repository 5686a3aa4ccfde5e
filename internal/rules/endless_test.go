package rules_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A Find that always finds another thing ends.
func TestManyAreFound(t *testing.T) {
	if broken := manyAreFound(); broken != "" {
		t.Error(broken)
	}
}

func manyAreFound() (broken string) {
	for _, id := range []string{generated, stableID} {
		e := &endless{}
		a := rules.Handle(rules.Facts{Type: lifecycle.Delete, ID: id, Generated: id == generated, StableID: stableID, Finds: true, Makes: true}, e)
		if a.OK || e.deletes != 10 {
			return fmt.Sprintf("Delete of %s: answered %+v after %d removals", id, a, e.deletes)
		}
	}
	return ""
}

type endless struct{ deletes, finds, asks int }

func (e *endless) Find(rules.Side, string) (string, rules.Outcome) {
	if e.finds++; e.finds > maxCalls {
		panic("it looks without end")
	}
	return "svc-" + strconv.Itoa(e.finds), rules.Outcome{}
}

func (e *endless) PhaseNow(string) rules.Phase {
	if e.asks++; e.asks > maxCalls {
		panic("it asks without end")
	}
	return rules.PhaseUnknown
}

func (e *endless) Create(string) rules.Outcome            { return rules.Outcome{} }
func (e *endless) Update(string, rules.How) rules.Outcome { return rules.Outcome{} }
func (e *endless) Delete(string, bool) rules.Outcome      { e.deletes++; return rules.Outcome{} }
func (e *endless) Continue(rules.Chain) rules.Outcome     { return rules.Outcome{} }
func (e *endless) Phase() rules.Phase                     { return rules.PhaseUnknown }
func (e *endless) Wait(rules.Moment) bool                 { return true }
