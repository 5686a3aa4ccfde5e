package play_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// unlucky fails to create something a number of times, as on a machine that is too busy.
type unlucky struct {
	named

	left *atomic.Int64
}

func (h unlucky) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if h.left.Add(-1) >= 0 {
		return data, context.DeadlineExceeded
	}
	return h.named.Create(ctx, req)
}

func unluckyContract(times int64, realTime bool) play.Contract {
	left := new(atomic.Int64)
	left.Store(times)
	c := adapted(func(h named) unlucky { return unlucky{h, left} })
	c.RealTime = realTime
	return c
}

// In real time chance has a part in what is seen, and in virtual time it has
// none: there, what happens once is a fault.
func TestWhatIsSeenInRealTimeIsToldWhenItIsSeenAgain(t *testing.T) {
	for _, test := range []struct {
		times    int64
		realTime bool
		told     bool
	}{
		{2, true, false}, // the first time is before anything is judged
		{1000, true, true},
		{2, false, true},
	} {
		const check = "create-delete"
		if text, _ := play.RunCheck(t, unluckyContract(test.times, test.realTime), check); (text != "") != test.told {
			t.Errorf("%d failures, real time %t: told %t, want %t: %s", test.times, test.realTime, text != "", test.told, text)
		}
		found := play.Exploration(t, unluckyContract(test.times, test.realTime), play.ExploreOptions{Depth: 1, Faults: []fault.Kind{}})
		if told := len(found.Findings) > 0; told != test.told {
			t.Errorf("%d failures, real time %t: Explore tells %t, want %t: %v", test.times, test.realTime, told, test.told, found.Findings)
		}
	}
}

// A slow function takes a millisecond for each event, so that no two are alike.
type slow struct{ simulate.Function }

func (f slow) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	<-time.After(time.Millisecond)
	return f.Function.Invoke(ctx, payload)
}

// inRealTime plays c as in real time, on a clock that counts what is waited for.
func inRealTime(t *testing.T, c play.Contract, run func(t *testing.T, c play.Contract)) {
	t.Helper()
	c.RealTime, c.Timeout = true, 10*time.Second
	c = withService(c, func(s *play.Service) {
		process := s.Function
		s.Function = func() simulate.Function { return slow{process()} }
	})
	synctest.Test(t, func(t *testing.T) { run(t, c) })
}

// ResourceTypes tells what a Dispatcher tells, as a wrapper should.
func (f slow) ResourceTypes() []cfnresource.ResourceType {
	return f.Function.(interface {
		ResourceTypes() []cfnresource.ResourceType
	}).ResourceTypes()
}

// In real time, nobody waits for what a fault leads to. What is waited for is what an older
// Create may still make, and what a search may not show yet.
func TestRealTimeSkipsWhatAFaultLeadsTo(t *testing.T) {
	all := map[string][]string{
		"named":   {"create-cancelled-while-running"},
		"waiting": {"create-cancelled-while-running"},
		"found":   {"create-cancelled-while-running", "delete-never-created", "delete-lost-create", "delete-undecodable-properties", "provider-upgrade-keeps-id", "update-of-what-is-gone", "find-reads-the-id-first", "among-others"},
	}
	for name, want := range some(all, "waiting", "found") {
		var waits []string
		inRealTime(t, depotContract(rightHandlers[name]), func(t *testing.T, c play.Contract) {
			for _, r := range play.RunChecks(t, c) {
				if r.Outcome == "failed" {
					t.Errorf("%s fails %s: %s", name, r.Name, r.Text)
				}
				if r.Took > time.Second {
					waits = append(waits, r.Name)
				}
			}
		})
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("%s waits (-want +got):\n%s", name, diff)
		}
	}
}

// A fault is found in real time by the check that finds it in virtual time.
func TestTheCheckForAFaultFailsInRealTime(t *testing.T) {
	silence(t)
	not := map[string]string{
		"adoptsUnmarked":  "Lambda's next try comes at once",
		"returnsTime":     "no time passes between two events",
		"inOneDocument":   "the check would last",
		"opensOnce":       "no hour passes",
		"forgetsOld":      "no year passes",
		"readsNewest":     "no other stacks make things",
		"clearsUp":        "no other stacks make things",
		"opensCircuit":    "a request is over before it has failed five times",
		"findsAlike":      "nothing is brought from what a lost answer left to other properties",
		"stepsOnlyBefore": "Lambda's next try comes before the service can be looked at",
		"withoutSteps":    "Lambda's next try comes before the service can be looked at",
	}
	for _, some := range someWrongHandlers() {
		w := wrongNamed(some.name) // whose first check is the one for its fault
		if strings.HasPrefix(w.checks[0], "continue-") {
			continue // no check of chains is asked
		}
		inRealTime(t, w.contract(), func(t *testing.T, c play.Contract) {
			text, _ := play.RunCheck(t, c, w.checks[0])
			if found := strings.Contains(text, "CloudFormation would have"); found != (not[w.name] == "") {
				t.Errorf("%s: %s finds it: %t: %s", w.name, w.checks[0], found, text)
			}
		})
	}
}
