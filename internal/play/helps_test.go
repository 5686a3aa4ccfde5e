package play_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// failsOnGone has an error without a code where there is nothing to delete.
type failsOnGone struct{ named }

func (h failsOnGone) Delete(ctx context.Context, req *deletion) error {
	if err := h.d.remove(ctx, req.PhysicalID); err != nil {
		return errors.New("DELETE /boxes: status 404")
	}
	return nil
}

// sharesOne makes one box for all.
type sharesOne struct{ named }

func (h sharesOne) Create(ctx context.Context, req *creation) (boxData, error) {
	_ = h.d.build(ctx, "the-setting", box{room: req.Properties.Room})
	return req.Properties.data(), h.d.fill(ctx, "the-setting", req.Properties.filling())
}

// refusesAll makes nothing.
type refusesAll struct{ named }

func (h refusesAll) Create(context.Context, *creation) (data boxData, err error) {
	return data, errors.New("not today")
}

// retriesInPoll takes the end of its wait for the end of its work.
type retriesInPoll struct{ waiting }

func (h retriesInPoll) Create(ctx context.Context, req *creation) (data boxData, err error) {
	_, _ = h.waiting.Create(ctx, req)
	return req.Properties.data(), nil
}

// What helps is said where somebody looks for it.
func TestFailuresSayWhatHelps(t *testing.T) {
	of := depotContract
	for name, tt := range map[string]struct {
		contract play.Contract
		check    string
		says     []string
		not      string
	}{
		"a status without a code": {
			of(func(d *depot) simulate.Function { return process(failsOnGone{named{d}}) }), "delete-twice",
			[]string{"What helps: Delete fails with a text that has \"404\"", "cfnresource.HTTPStatus"}, "CodeNotFound",
		},
		"a code": {
			wrongNamed("failsIfGone").contract(), "delete-twice", nil, "HTTPStatus",
		},
		"a singleton": {
			of(func(d *depot) simulate.Function { return process(sharesOne{named{d}}) }), "sibling-is-left-alone",
			[]string{"Skip"}, "",
		},
		"a story that ended clean": {
			of(func(d *depot) simulate.Function { return process(refusesAll{named{d}}) }), "create-delete",
			[]string{"CloudFormation would have rolled back a deployment that nothing was wrong with"}, "What helps",
		},
		"a story that did not": {
			wrongNamed("deletesNothing").contract(), "create-delete",
			[]string{"CloudFormation would have forgotten it: it stays in the account"}, "",
		},
		"Data that Update lacks": {
			wrongNamed("updateReturnsNoData").contract(), "create-died-half-way-is-finished",
			[]string{"Data has no ", "Have Update return all Data that Create returns", "docs/recipes.md#a-secret-that-is-shown-once"}, "StableID",
		},
		"a process that remembers": {
			wrongNamed("remembersRequests").contract(), "warm-process-serves-several",
			[]string{"nothing of an earlier event"}, "",
		},
		"a wait that is cut short": {
			continuingContract(func(d *depot) simulate.Function { return continuing(retriesInPoll{waiting{named{d}}}) }), "continue-succeeds-when-ready",
			[]string{"A Poll is for waiting", "Retry"}, "",
		},
	} {
		text, _ := play.RunCheck(t, tt.contract, tt.check)
		if text == "" || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: %q", name, text)
		}
		for _, says := range tt.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s: %q does not say %q", name, text, says)
			}
		}
	}
}

// Explore says what helps as TestHandler does.
func TestFindingsSayWhatHelps(t *testing.T) {
	for says, c := range map[string]play.Contract{
		"What helps: Delete fails with a text that has \"404\"": depotContract(func(d *depot) simulate.Function { return process(failsOnGone{named{d}}) }),
		"What helps: Call Created in the line after":            depotContract(lateCreated),
		"What helps: Name what Create makes by StableID":        wrongNamed("namedByRequest").contract(),
		"returned without removing it":                          wrongNamed("deletesNothing").contract(),
		"What helps: Bring the thing to the new properties":     wrongNamed("updatesNothing").contract(),
	} {
		if found := play.FirstFinding(t, c, 2000); !strings.Contains(found.Text, says) {
			t.Errorf("%s does not say %q", found.Text, says)
		}
	}
	// A handler that may be right is not told what is wrong with it.
	c := of(func(h found) slowDelete { return slowDelete{h} }, cfnresource.Options{})
	if found := play.FirstFinding(t, c, 500); !strings.Contains(found.Text, "may be right") || strings.Contains(found.Text, "What helps") {
		t.Error(found.Text)
	}
}
