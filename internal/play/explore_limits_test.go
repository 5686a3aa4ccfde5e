package play_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A limit excuses what is left when the reply of the service is lost, and not
// what is left when the handler goes on without having named it.
func TestALimitDoesNotExcuseALateCreated(t *testing.T) {
	const (
		unnamed   = "a replacement that fails before Created"
		outOfTime = "a replacement that runs out of time"
	)
	c := boxContract(func(d *depot) simulate.Function { return process(callsCreatedLate{named{d}}) })
	for _, test := range []struct{ line, limit, found string }{
		{"v0 v2!fail-at-step:2@1", unnamed, ""},
		{"v0 v2!fail-at-step:3@1", "", "left behind"},
		{"v0 v2!hang-at-step:2@1", outOfTime, ""},
		{"v0 v2!hang-at-step:3@1", "", "left behind"},
	} {
		found, limit := play.Replayed(t, c, test.line)
		if limit != test.limit || !strings.HasPrefix(found, test.found) || test.found == "" && found != "" {
			t.Errorf("%s: met the limit %q, want %q; found %s", test.line, limit, test.limit, found)
		}
	}
}

// leaving are faults by which a history meets each limit of replacements; that of one that is
// cancelled is met without a fault.
var leaving = []fault.Kind{fault.LoseAnswer, fault.FailAtStep, fault.HangAtStep}

// Where a service makes and changes by PUT and cannot be asked, Create does not
// know what it has made, and what it leaves is a limit.
func TestACreateThatCannotCallCreatedDoesNoHarm(t *testing.T) {
	o := play.ExploreOptions{Depth: 2, Faults: leaving}
	if testrun.Thorough() {
		o.Faults = nil // all
	}
	e := play.Exploration(t, boxContract(rightHandlers["putOnly"]), o)
	if len(e.Findings) > 0 {
		t.Errorf("%d of %d histories do harm: %s", len(e.Findings), e.Played, e.Findings[0])
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(metByMost())), slices.Sorted(maps.Keys(e.Limits))); diff != "" {
		t.Errorf("limits (-all +met):\n%s", diff)
	}
}

// What no handler can prevent is told also where the test passes: somebody has to look for it.
func TestExploreTellsOnStandardErrorWhatNoHandlerCanPrevent(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = out
	defer func() { os.Stderr = stderr; _ = out.Close() }()
	play.Explore(t, boxContract(rightHandlers["named"]), play.ExploreOptions{Depth: 2, Faults: leaving})
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range append(metByMost(), "docs/rough_edges.md", t.Name()) {
		if n := strings.Count(string(text), part); n != 1 {
			t.Errorf("%q is there %d times, want once, in\n%s", part, n, text)
		}
	}
}

const undoneBeside = "two deliveries at once, one of which fails"

// metByMost returns the limits of replacements that most right handlers meet.
func metByMost() []string {
	return slices.DeleteFunc(play.LimitNames(false), func(name string) bool { return name == undoneBeside })
}

// updatesLate is right, and its Update takes a while.
type updatesLate struct{ named }

func (h updatesLate) Update(ctx context.Context, req *updating) (data boxData, err error) {
	began := time.Now()
	err = cfnresource.Retry(ctx, func(context.Context) error {
		if time.Since(began) < 8*time.Second {
			return cfnresource.Errorf(cfnresource.CodeResourceConflict, "the box is busy")
		}
		return nil
	})
	if err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

// Of two deliveries that both fail, the second makes again what the first has undone.
func TestALimitExcusesWhatTwoDeliveriesLeave(t *testing.T) {
	c := boxContract(func(d *depot) simulate.Function { return process(updatesLate{named{d}}) })
	if found, limit := play.Replayed(t, c, "v0 v2 refused!twice@1"); found != "" || limit != undoneBeside {
		t.Errorf("met the limit %q, found %s", limit, found)
	}
	leaves := boxContract(func(d *depot) simulate.Function { return process(neverCallsCreated{named{d}}) })
	if found, limit := play.Replayed(t, leaves, "v0 v2 refused!redeliver@1"); !strings.HasPrefix(found, "left behind") {
		t.Errorf("met the limit %q, found %s", limit, found)
	}
}

// empties takes twenty seconds to empty a box before it removes it, as a service does that keeps a part while another uses it.
type empties struct {
	waiting
	asksAgain bool // it does not wait by Poll: the SDK calls it again
}

func (h empties) Delete(ctx context.Context, req *deletion) error {
	var empty time.Time
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.ready.IsZero() {
			b.ready = time.Now().Add(20 * time.Second)
		}
		empty = b.ready
		return nil
	})
	isEmpty := func() bool { return !time.Now().Before(empty) }
	switch {
	case err != nil:
		return gone(err)
	case h.asksAgain && !isEmpty():
		return cfnresource.Errorf(cfnresource.CodeResourceConflict, "the box is not empty")
	}
	if err := h.d.await(ctx, isEmpty); err != nil {
		return err
	}
	return gone(h.d.remove(ctx, req.PhysicalID))
}

// namesLate calls Created when its box is ready.
type namesLate struct{ waiting }

func (h namesLate) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := neverCallsCreated{h.named}.Create(ctx, req)
	if err == nil {
		err = h.d.awaitBox(ctx, req.StableID())
	}
	if err == nil {
		req.Created(req.StableID())
	}
	return data, err
}

// An undo has little time where a wait has used up the invocation's, or where CloudFormation waits no longer. What a slow
// Delete leaves then is a limit, and what no Delete was called for is none.
func TestALimitExcusesWhatAShortUndoLeaves(t *testing.T) {
	const (
		isCancelled = "a cancelled replacement"
		outOfTime   = "a replacement that runs out of time"
		failed      = "v0 v2!phase-lost@1"
		cancelled   = "v0 v2!cancel-between@1"
	)
	polls := continuingContract(func(d *depot) simulate.Function { return continuing(empties{waiting{named{d}}, false}) })
	asks := continuingContract(func(d *depot) simulate.Function { return continuing(empties{waiting{named{d}}, true}) })
	late := continuingContract(func(d *depot) simulate.Function { return continuing(namesLate{waiting{named{d}}}) })
	for name, test := range map[string]struct {
		c           play.Contract
		line, limit string
		found       string
	}{
		"its time is over":                   {polls, failed, outOfTime, ""},
		"it has an invocation of its own":    {polls, cancelled, "", ""},
		"the service refuses it":             {asks, cancelled, isCancelled, ""},
		"the answer names what it refuses":   {asks, failed, "", ""},
		"there is none, in a failed request": {late, failed, "", "left behind"},
		"there is none, in a cancelled one":  {late, cancelled, "", "left behind"},
	} {
		found, limit := play.Replayed(t, test.c, test.line)
		if limit != test.limit || !strings.HasPrefix(found, test.found) || test.found == "" && found != "" {
			t.Errorf("%s: %s: met the limit %q, want %q; found %s", name, test.line, limit, test.limit, found)
		}
	}
}
