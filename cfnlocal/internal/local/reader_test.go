package local

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// operationInProgress returns an operation that works on a stack of n resources, with a parameter
// that is not to be shown.
func operationInProgress(t *testing.T, n int) *operation {
	t.Helper()
	h := home(t)
	var body strings.Builder
	body.WriteString(topics)
	for i := range n {
		fmt.Fprintf(&body, "  T%d: {Type: AWS::SNS::Topic, Properties: {DisplayName: !Ref Token}}\n", i)
	}
	deployTopics(t, h, "shop", body.String(), "one")
	r := kept(t, h)
	m, err := r.Machine()
	if err != nil {
		t.Fatal(err)
	}
	o := newOperation(h, r, nil, Settings{})
	o.live = engine.NewLive(m)
	o.shown.begin(r)
	return o
}

// Each handler of a stack may ask CloudFormation for it. What an answer takes does
// not grow with what is kept of the stack: else the whole is quadratic.
func TestReadWhileRunningCost(t *testing.T) {
	allocations := func(n int) float64 {
		s := stackReader{operation: operationInProgress(t, n)}
		return testing.AllocsPerRun(10, func() {
			if _, err := s.Stack("shop"); err != nil {
				t.Fatal(err)
			}
		})
	}
	if small, large := allocations(2), allocations(100); large > small {
		t.Errorf("%v allocations for a stack of 100 resources, %v for one of 2", large, small)
	}
}

// What is said of the stack in work is what is said of it once it is kept, and
// does not change while it is read.
func TestReadWhileRunning(t *testing.T) {
	o := operationInProgress(t, 3)
	ask := func(s stackReader) string {
		t.Helper()
		stack, err := s.Stack("shop")
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(stack.Status, stack.Parameters, stack.Declared, stack.Template == o.record.Current().Body, stack.Events, len(stack.Resources))
	}
	kept, seen := ask(stackReader{home: o.home}), ask(stackReader{operation: o})
	if kept != seen {
		t.Errorf("in work it is %s\nkept it is    %s", seen, kept)
	}
	if strings.Contains(seen, "open sesame") {
		t.Errorf("a secret is shown: %s", seen)
	}

	before, err := o.savedStack("shop")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.live.Do(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) }); err != nil {
		t.Fatal(err)
	}
	after, err := o.savedStack("shop")
	if err != nil || before.Status != "CREATE_COMPLETE" || after.Status == before.Status {
		t.Errorf("%s before, %s after a step that deletes it, error %v", before.Status, after.Status, err)
	}
	for _, res := range before.Resources {
		if res.Status != "CREATE_COMPLETE" {
			t.Errorf("%s has become %s in what was seen before", res.LogicalID, res.Status)
		}
	}
}

// A handler's reason can name a secret: the API hides it, also of what is being deleted in the cleanup.
func TestReasonsAreHiddenWhileRunning(t *testing.T) {
	o := operationInProgress(t, 1)
	s := o.record.Stack
	s.Resources[0].StatusReason = "open sesame is refused"
	s.Leaving = []*engine.StackResource{{LogicalID: "Former", StatusReason: "open sesame is refused"}}
	seen, err := o.savedStack("shop")
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range []*engine.StackResource{seen.Resources[0], seen.Leaving[0]} {
		if res.StatusReason != "**** is refused" {
			t.Errorf("%s: %q", res.LogicalID, res.StatusReason)
		}
	}
	if s.Leaving[0].StatusReason != "open sesame is refused" {
		t.Error("the stack itself is changed")
	}
}

// Other stacks are looked at as they are now: one that was deleted has nothing, until it is created again.
func TestADeletedStackIsSeenOnceItIsCreatedAgain(t *testing.T) {
	h := home(t)
	others := func() (names []string) {
		o := newOperation(h, record.New("mine", engine.Options{}, nil), nil, Settings{})
		o.eachOther(func(r *record.Record) { names = append(names, r.Stack.Name) })
		return names
	}
	for range 2 {
		deployTopics(t, h, "shop", topics, "one")
		if got := others(); !slices.Equal(got, []string{"shop"}) {
			t.Errorf("after a creation: %q", got)
		}
		if _, err := h.Delete(t.Context(), "shop", nil, false, Settings{}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := others(); got != nil {
				t.Errorf("after a deletion: %q", got)
			}
		}
	}
}

// Handlers poll for their stack: what was not kept anew is not read again, and what was is.
func TestRecordsAreReadAgain(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	r := h.cache
	look := func() (kept *record.Record) {
		t.Helper()
		if err := r.look("shop", func(of *record.Record) { kept = of }); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	first := look()
	if look() != first {
		t.Error("the record was read again, and nothing had changed")
	}
	deployTopics(t, h, "shop", topics, "two")
	second := look()
	if second == first || second.Stack.Status != "UPDATE_COMPLETE" {
		t.Errorf("after an update, what is seen is in %s", second.Stack.Status)
	}
	if err := r.look("other", func(*record.Record) {}); err == nil {
		t.Error("a stack that there is not was looked at")
	}
}
