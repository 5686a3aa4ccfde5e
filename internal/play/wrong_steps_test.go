package play_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// in has the contract's depots be as change makes them.
func in(change func(d *depot), process func(d *depot) simulate.Function) func(c *play.Contract) {
	return func(c *play.Contract) {
		c.New = func(testing.TB) play.Service {
			d := newDepot()
			change(d)
			return d.service(process)
		}
	}
}

func onlyBefore(d *depot) { d.notAfter = true }
func onlyAfter(d *depot)  { d.notBefore = true }
func noSteps(d *depot)    { d.notBefore, d.notAfter = true, true }

var lateCreated = func(d *depot) simulate.Function { return process(callsCreatedLate{named{d}}) }

// stepsOnlyBefore calls Created late, and its depot does not call Step after an effect.
var _ = wrongFunction("stepsOnlyBefore", lateCreated,
	explored("v0 v2!fail-at-step:2@1").with(in(onlyBefore, lateCreated)), "steps-around-effects")

// withoutSteps calls Created late, and its depot calls no Step.
var _ = wrongFunction("withoutSteps", lateCreated,
	unexplored("without Steps nothing can go wrong between two effects").with(in(noSteps, lateCreated)), "steps-around-effects")

// What is said of a right handler's depot.
func TestAStepThatIsMissingIsNamed(t *testing.T) {
	for name, process := range map[string]func(d *depot) simulate.Function{"named": rightHandlers["named"], "found": rightHandlers["found"]} {
		for _, tt := range []struct {
			depot func(d *depot)
			want  string
		}{
			{func(*depot) {}, ""},
			{onlyAfter, ""},
			{onlyBefore, "In the Create, the handler's Create changes what there is after Step "},
			{noSteps, "In the Create, the handler's Create changes what there is, and calls no Step"},
		} {
			c := depotContract(nil)
			in(tt.depot, process)(&c)
			text, _ := play.RunCheck(t, c, "steps-around-effects")
			if !strings.Contains(text, tt.want) || (text == "") != (tt.want == "") || text != "" && !strings.Contains(text, "docs/testing.md#the-service") {
				t.Errorf("%s: %q, want %q", name, text, tt.want)
			}
		}
	}
}

// A fake of which some operations call Step is told, too.
type changesBeside struct{ named }

func (h changesBeside) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if b := h.d.boxes[req.PhysicalID]; err == nil && b != nil {
		b.room = "the attic"
	}
	return data, err
}

// takesTime waits, after it has made a box, without a Step, while others change it.
type takesTime struct{ named }

func (h takesTime) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err == nil {
		<-time.After(3 * time.Second)
	}
	return data, err
}

// inTwoGoroutines makes two requests at once, whose effects are a second apart.
type inTwoGoroutines struct{ named }

func (h inTwoGoroutines) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		return data, err
	}
	done := make(chan error, 2)
	for i, size := range []int{1, req.Properties.Size} {
		go func() {
			failed := context.Canceled
			defer func() { done <- failed }() // also if the process dies
			if failed = simulate.Step(ctx); failed != nil {
				return
			}
			if failed = sleep(ctx, time.Duration(1+i)*time.Second); failed == nil {
				h.d.mu.Lock()
				h.d.boxes[req.CreatedID()].filling.Size = size
				h.d.mu.Unlock()
				failed = simulate.Step(ctx)
			}
		}()
	}
	return data, errors.Join(<-done, <-done)
}

// ages has State show how old a box is, in seconds.
func ages(s *play.Service) {
	state, began := s.State, time.Now()
	s.State = func(id string) any {
		if there := state(id); there != nil {
			return []any{there, time.Since(began) / time.Second}
		}
		return nil
	}
}

func TestWhatAServiceDoesByItselfNeedsNoStep(t *testing.T) {
	of := depotContract
	for name, tt := range map[string]struct {
		contract play.Contract
		want     string
	}{
		"right, and a status that changes":           {withService(of(rightHandlers["named"]), ages), ""},
		"waits, while a status changes":              {withService(of(func(d *depot) simulate.Function { return process(takesTime{named{d}}) }), ages), ""},
		"two requests at once":                       {of(func(d *depot) simulate.Function { return process(inTwoGoroutines{named{d}}) }), ""},
		"an effect beside the service, in an Update": {of(func(d *depot) simulate.Function { return process(changesBeside{named{d}}) }), "In the Update, the handler's Update changes what there is after Step 2"},
	} {
		text, _ := play.RunCheck(t, tt.contract, "steps-around-effects")
		if !strings.Contains(text, tt.want) || (text == "") != (tt.want == "") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A leak at a Step that is not the reply of what was made is not put down to what no
// handler can prevent, unless there can be no such Step: then the limits say so.
func TestALimitNeedsTheStepAfterAnEffect(t *testing.T) {
	const line = "v0 v2!fail-at-step:2@1"
	c := boxContract(lateCreated)
	in(onlyBefore, lateCreated)(&c)
	if found, limit := play.Replayed(t, c, line); limit != "" || !strings.HasPrefix(found, "left behind") || !strings.Contains(found, "Create changes what there is") {
		t.Errorf("limit %q, found %s", limit, found)
	}
	c.Skip = map[string]string{"steps-around-effects": "its service is a file system"}
	if found, limit := play.Replayed(t, c, line); limit == "" || found != "" {
		t.Errorf("limit %q, found %s", limit, found)
	}
	if e := play.Exploration(t, c, play.ExploreOptions{Histories: 300}); !strings.Contains(e.Told, "skips steps-around-effects") {
		t.Errorf("the limits say %q", e.Told)
	}
	in(onlyBefore, rightHandlers["named"])(&c)
	c.Skip = nil
	if e := play.Exploration(t, c, play.ExploreOptions{Histories: testrun.Share(300, 2000)}); len(e.Findings) > 0 || strings.Contains(e.Told, "skips") {
		t.Errorf("a right handler's depot calls Step before its effects only, and there is found %q, and told %q", e.Findings, e.Told)
	}
}
