package local

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// What a failed replacement has named is the stack's, and in none of its resources, until the next operation deletes it:
// it is told as long as no operation is under way.
func TestStillToBeDeleted(t *testing.T) {
	s := &engine.Stack{Name: "shop", Status: "UPDATE_FAILED",
		Resources: []*engine.StackResource{{LogicalID: "Thing", Type: "Custom::Thing", PhysicalID: "one", Status: "UPDATE_FAILED"}},
		Leaving: []*engine.StackResource{
			{LogicalID: "Thing", Type: "Custom::Thing", PhysicalID: "two"},
			{LogicalID: "Thing", Type: "Custom::Thing", PhysicalID: "deleted", Gone: true},
			{LogicalID: "Topic", Type: "AWS::SNS::Topic", PhysicalID: "stand-in"},
		}}
	want := []page.Left{{Name: "Thing", Text: "still to be deleted, by the next operation: Thing two (Custom::Thing)"}}
	if diff := cmp.Diff(want, UnfinishedResources(s, nil)); diff != "" {
		t.Errorf("at rest (-want +got):\n%s", diff)
	}
	s.Operation = &engine.Operation{Walk: &engine.Walk{}}
	if got := UnfinishedResources(s, nil); got != nil {
		t.Errorf("under way: %v", got)
	}
}

// A Create whose answer was lost is followed by the Delete of an ID that CloudFormation made up. If that succeeds, it may have
// removed what the Create made: this SDK's handlers find it.
func TestDeleteOfAMadeUpIDMayHaveRemovedIt(t *testing.T) {
	remove := &engine.Request{RequestType: "Delete", LogicalID: "Thing", Type: "Custom::Thing", PhysicalID: "shop-Thing-ABCDEFGHIJKLM", Outcome: engine.Succeeded}
	s := &engine.Stack{Name: "shop", Status: "ROLLBACK_COMPLETE", Requests: []*engine.Request{
		{RequestType: "Create", LogicalID: "Thing", Type: "Custom::Thing", Outcome: engine.TimedOut, Lost: []string{`{"PhysicalResourceId":"one"}`}}, remove,
	}}
	const may = "the Delete of the made-up ID shop-Thing-ABCDEFGHIJKLM succeeded, and may have removed it"
	for outcome, told := range map[engine.Outcome]bool{engine.Succeeded: true, engine.TimedOut: false} {
		remove.Outcome = outcome
		if all := Leftovers(s, 0); len(all) != 1 || strings.Contains(all[0].Why, may) != told {
			t.Errorf("%s: %+v", outcome, all)
		}
	}
}

// A resource that a rollback skipped differs until a request to it succeeds, and one whose cancelled Update was answered after
// the rollback's until the next one. What was never called has changed nothing.
func TestWhatMayDiffer(t *testing.T) {
	failed, done := engine.Failed, engine.Succeeded
	update := func(o engine.Outcome, late ...string) *engine.Request {
		return &engine.Request{RequestType: "Update", LogicalID: "Thing", PhysicalID: "one", Outcome: o, Late: late}
	}
	late := `{"PhysicalResourceId":"one"}`
	replacing := update(failed)
	replacing.Answer = `{"Status":"FAILED","PhysicalResourceId":"two"}`
	for name, test := range map[string]struct {
		sent                 []*engine.Request
		skipped, overwritten bool
	}{
		"rolled back":                   {[]*engine.Request{update(failed), update(done)}, false, false},
		"skipped":                       {[]*engine.Request{update(failed), update(failed)}, true, false},
		"updated after it was skipped":  {[]*engine.Request{update(failed), update(failed), update(done)}, false, false},
		"failed in a replacement":       {[]*engine.Request{replacing}, false, false},
		"never called":                  {[]*engine.Request{update(done), update(engine.Uncalled)}, false, false},
		"cancelled":                     {[]*engine.Request{update(engine.Cancelled), update(done)}, false, false},
		"answered after the rollback":   {[]*engine.Request{update(engine.Cancelled, late), update(done)}, false, true},
		"updated after that":            {[]*engine.Request{update(engine.Cancelled, late), update(done), update(done)}, false, false},
		"a replacement, answered later": {[]*engine.Request{update(engine.Cancelled, `{"PhysicalResourceId":"two"}`), update(done)}, false, false},
	} {
		s := &engine.Stack{Name: "shop", Status: "UPDATE_ROLLBACK_COMPLETE", Requests: test.sent,
			Resources: []*engine.StackResource{{LogicalID: "Thing", Type: "Custom::Thing", PhysicalID: "one", Status: "UPDATE_COMPLETE"}}}
		if skipped, overwritten := Skipped(s) != nil, Overwritten(s) != nil; skipped != test.skipped || overwritten != test.overwritten {
			t.Errorf("%s: skipped %t, overwritten %t", name, skipped, overwritten)
		}
	}
}
