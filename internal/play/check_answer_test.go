package play_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// updatesInBackground passes on a context of its own.
type updatesInBackground struct{ named }

func (h updatesInBackground) Update(_ context.Context, req *updating) (boxData, error) {
	return h.named.Update(context.Background(), req)
}

// A method that loses its context is found also after checks that have counted its Steps.
func TestAStepWithoutItsContextIsSeenAfterOtherChecks(t *testing.T) {
	c := adapted(func(h named) updatesInBackground { return updatesInBackground{h} })
	const check = "context-ends-handler-returns"
	results := play.RunChecks(t, c, "update-died-half-way-is-finished", check)
	if got := textOf(results, check); !strings.Contains(got, "with a context that is not its own") {
		t.Errorf("%s says %q", check, got)
	}
}
