package local

import (
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
	if diff := cmp.Diff(want, UnfinishedResources(s)); diff != "" {
		t.Errorf("at rest (-want +got):\n%s", diff)
	}
	s.Operation = &engine.Operation{Walk: &engine.Walk{}}
	if got := UnfinishedResources(s); got != nil {
		t.Errorf("under way: %v", got)
	}
}
