package play_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// unlucky fails to create something a number of times, as on a machine that is
// too busy.
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
		{1, true, false},
		{1000, true, true},
		{1, false, true},
	} {
		const check = "create-delete"
		if text, _ := play.RunCheck(t, unluckyContract(test.times, test.realTime), check); (text != "") != test.told {
			t.Errorf("%d failures, real time %t: told %t, want %t: %s", test.times, test.realTime, text != "", test.told, text)
		}
		found := play.Exploration(t, unluckyContract(test.times, test.realTime), play.ExploreOptions{Depth: 1, Faults: []simulate.FaultKind{}})
		if told := len(found.Findings) > 0; told != test.told {
			t.Errorf("%d failures, real time %t: Explore tells %t, want %t: %v", test.times, test.realTime, told, test.told, found.Findings)
		}
	}
}

// What lasts in real time is not played at each step, as it is in virtual time.
func TestRealTimePlaysLessOfWhatLasts(t *testing.T) {
	plays := func(realTime bool, check string) (n int) {
		c := boxContract(rightHandlers["insisting"])
		c.RealTime, c.Timeout = realTime, time.Second
		inner := c.New
		c.New = func(t testing.TB) play.Service { n++; return inner(t) }
		if text, _ := play.RunCheck(t, c, check); text != "" {
			t.Errorf("%s: %s", check, text)
		}
		return n
	}
	for _, check := range []string{"create-refused-nothing-left", "replace-refused-nothing-left"} {
		if all, some := plays(false, check), plays(true, check); some > 5 || some >= all {
			t.Errorf("%s plays %d times in real time, and %d in virtual time", check, some, all)
		}
	}
}
