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
