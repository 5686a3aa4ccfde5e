package cfntest_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A stack's function logs to its own test, and one that has a Logger to that.
func TestAStackLogsToItsTest(t *testing.T) {
	was := slog.Default()
	t.Cleanup(func() { slog.SetDefault(was) })
	for _, tt := range []struct {
		logger *slog.Logger
		want   bool
	}{{nil, true}, {slog.New(slog.DiscardHandler), false}} {
		var elsewhere strings.Builder
		slog.SetDefault(slog.New(slog.NewTextHandler(&elsewhere, nil)))
		synctest.Test(t, func(t *testing.T) {
			log := &keepsLog{TB: t}
			f := newFoundry(0)
			stack := cfntest.NewStack(log, cfntest.Service{Function: func() cfntest.Function {
				return cfnresource.New(caster{f}, func(o *cfnresource.Options) { o.Logger = tt.logger })
			}})
			stack.Deploy(cast(bell))
			if got := strings.Contains(log.String(), "Create succeeded"); got != tt.want {
				t.Errorf("the test's log is %q", log.String())
			}
		})
		if elsewhere.Len() > 0 {
			t.Errorf("elsewhere is logged %q", elsewhere.String())
		}
	}
}

// keepsLog keeps what is logged.
type keepsLog struct {
	testing.TB
	strings.Builder
}

func (t *keepsLog) Log(args ...any) {
	for _, a := range args {
		t.WriteString(a.(string) + "\n")
	}
}

// A line is all that a function needs to continue in a test.
func TestContinuesIsALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFoundry(40 * time.Minute)
		function := func() cfntest.Function { return cfnresource.New(caster{f}, quietly, cfntest.Continues) }
		if got := cfntest.Invoke(t, function(), cfntest.CreateEvent(bell)); got.Status != "SUCCESS" || got.Invocations != 9 {
			t.Errorf("Invoke: %+v", got)
		}
		stack := cfntest.NewStack(t, cfntest.Service{Function: function}, func(o *cfntest.StackOptions) { o.Timeout = 5 * time.Minute })
		if status := stack.Deploy(cast(bell)); status != "CREATE_COMPLETE" || stack.Requests()[0].Response.Invocations != 9 {
			t.Errorf("a Stack is in %s after\n%s", status, stack.Story())
		}
	})
	c := casting
	c.New = func(testing.TB) cfntest.Service {
		f := newFoundry(0)
		return cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(caster{f}, cfntest.Continues) }, State: f.state, List: f.names}
	}
	cfntest.TestHandler(t, c)
}
