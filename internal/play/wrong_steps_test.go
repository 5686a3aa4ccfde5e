package play_test

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
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
			{onlyBefore, "In the Create, the handler's Create changes something in the service after Step "},
			{noSteps, "In the Create, the handler's Create changes something in the service, and calls no Step"},
		} {
			c := depotContract(nil)
			in(tt.depot, process)(&c)
			unlisted := withService(c, func(s *play.Service) { s.List = nil }) // an ID is known from Created on
			for _, c := range []play.Contract{c, unlisted} {
				text, _ := play.RunCheck(t, c, "steps-around-effects")
				if !strings.Contains(text, tt.want) || (text == "") != (tt.want == "") || text != "" && !strings.Contains(text, "docs/testing.md#the-service") {
					t.Errorf("%s: %q, want %q", name, text, tt.want)
				}
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
		"an effect beside the service, in an Update": {of(func(d *depot) simulate.Function { return process(changesBeside{named{d}}) }), "In the Update, the handler's Update changes something in the service after Step 2"},
	} {
		text, _ := play.RunCheck(t, tt.contract, "steps-around-effects")
		if !strings.Contains(text, tt.want) || (text == "") != (tt.want == "") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// inAnyOrder makes the two parts of a box in the order of a map, which is another one each time.
type inAnyOrder struct{ named }

func (h inAnyOrder) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	for part := range map[string]bool{"-lid": true, "-key": true} {
		if err == nil {
			err = h.d.build(ctx, req.StableID()+part, box{room: req.Properties.Room})
		}
	}
	return data, err
}

func (h inAnyOrder) Delete(ctx context.Context, req *deletion) error {
	for part := range map[string]bool{"-lid": true, "-key": true, "": true} {
		if err := h.d.remove(ctx, req.PhysicalID+part); err != nil && !errors.Is(err, errNoBox) {
			return err
		}
	}
	return nil
}

func TestEffectsMayComeInAnyOrder(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(inAnyOrder{named{d}}) })
	for range 20 { // the order is the same in all plays that are compared, now and then
		if text, _ := play.RunCheck(t, c, "steps-around-effects"); text != "" {
			t.Fatal(text)
		}
	}
}

// A leak at a Step that is not the reply of what was made is not put down to what no
// handler can prevent, unless there can be no such Step: then the limits say so.
func TestALimitNeedsTheStepAfterAnEffect(t *testing.T) {
	const line = "v0 v2!fail-at-step:2@1"
	c := boxContract(lateCreated)
	in(onlyBefore, lateCreated)(&c)
	if found, limit := play.Replayed(t, c, line); limit != "" || !strings.HasPrefix(found, "left behind") || !strings.Contains(found, "Create changes something in the service") {
		t.Errorf("limit %q, found %s", limit, found)
	}
	c.Skip = map[string]string{"steps-around-effects": "its service is a file system"}
	if found, limit := play.Replayed(t, c, line); limit == "" || found != "" {
		t.Errorf("limit %q, found %s", limit, found)
	}
	if e := play.Exploration(t, c, play.ExploreOptions{Histories: testrun.Share(100, 300)}); !strings.Contains(e.Told, "skips steps-around-effects") {
		t.Errorf("the limits say %q", e.Told)
	}
	in(onlyBefore, rightHandlers["named"])(&c)
	c.Skip = nil
	if e := play.Exploration(t, c, play.ExploreOptions{Histories: testrun.Share(100, 2000)}); len(e.Findings) > 0 || strings.Contains(e.Told, "skips") {
		t.Errorf("a right handler's depot calls Step before its effects only, and there is found %q, and told %q", e.Findings, e.Told)
	}
}

// Each type here is a right handler with one fault, in how it reads its
// properties or in what it says.

// missingCreateOnly lacks a createOnly tag: Update has to move a box, which it cannot.
type missingCreateOnly struct {
	Room   string `cfn:"required"`
	Size   int
	Frozen bool
}

func (p missingCreateOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen}
}

var _ = wrongProps(func(p boxProps) missingCreateOnly { return missingCreateOnly{p.Room, p.Size, p.Frozen} },
	explored("v0 v2"), "update-replaces", "leads-where-create-does")

// extraCreateOnly has a createOnly tag too many: it replaces a box that Update could change.
type extraCreateOnly struct {
	Room   string `cfn:"createOnly,required"`
	Size   int    `cfn:"createOnly"`
	Frozen bool
}

func (p extraCreateOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen}
}

var _ = wrongProps(func(p boxProps) extraCreateOnly { return extraCreateOnly{p.Room, p.Size, p.Frozen} },
	explored("v0 v1"), "update-keeps-id")

// numbersOnly accepts only JSON numbers, and CloudFormation sends strings.
type numbersOnly struct {
	Room   string `cfn:"createOnly,required"`
	Size   strictNumber
	Frozen bool
}

type strictNumber int

func (n *strictNumber) UnmarshalJSON(text []byte) error {
	var i any
	err := json.Unmarshal(text, &i)
	if f, ok := i.(float64); ok {
		*n = strictNumber(f)
	}
	return err
}

func (p numbersOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: int(p.Size), Frozen: p.Frozen}
}

var _ = wrongProps(func(p boxProps) numbersOnly { return numbersOnly{p.Room, strictNumber(p.Size), p.Frozen} },
	explored("refused"),
	"stringified-properties",
	"create-failed-nothing-left", // Refused is read as a size of 0
	"update-failed-then-rollback",
)

// untypedBool compares with true what arrives as "true".
type untypedBool struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen any
}

func (p untypedBool) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen == true}
}

var _ = wrongProps(func(p boxProps) untypedBool { return untypedBool{p.Room, p.Size, p.Frozen} },
	unexplored("all events in a history have strings"), "stringified-properties")

// returnsTooMuchData returns more Data than an answer can hold, once its box is large.
type returnsTooMuchData struct{ named }

func (h returnsTooMuchData) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if req.Properties.Size > 50 {
		data.Key += strings.Repeat("*", 5000)
	}
	return data, err
}

var _ = wrong(func(d *depot) returnsTooMuchData { return returnsTooMuchData{named{d}} },
	explored("v0 v1"),
	"answer-fits",
	"update-keeps-id",
)

// updateReturnsNoData returns no Data from an Update.
type updateReturnsNoData struct{ named }

func (h updateReturnsNoData) Update(ctx context.Context, req *updating) (data boxData, err error) {
	_, err = h.named.Update(ctx, req)
	return data, err
}

var _ = wrong(func(d *depot) updateReturnsNoData { return updateReturnsNoData{named{d}} },
	explored("v0!redeliver@1"),
	"data-same-after-update",
	"create-died-half-way-is-finished",
)

// logsProperties logs the properties.
type logsProperties struct{ named }

func (h logsProperties) Create(ctx context.Context, req *creation) (boxData, error) {
	log.Printf("creating a box from %+v", req.Properties)
	return h.named.Create(ctx, req)
}

var _ = wrong(func(d *depot) logsProperties { return logsProperties{named{d}} },
	unexplored("Explore does not listen to what a handler writes"), "secrets-stay-out-of-log")

// leaksEncodedSecret quotes a half of a secret in an error, encoded: nothing redacts a part.
type leaksEncodedSecret struct{ named }

func (h leaksEncodedSecret) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		half := req.Properties.Password[:len(req.Properties.Password)/2]
		err = fmt.Errorf("the box of %s: %w", base32.StdEncoding.EncodeToString([]byte(half)), err)
	}
	return data, err
}

var _ = wrong(func(d *depot) leaksEncodedSecret { return leaksEncodedSecret{named{d}} },
	unexplored("no history has a secret of which a part is known"), "secrets-stay-out-of-log")

// plainData lack the tag that keeps their secret out of sight.
type plainData struct{ Key string }

// returnsSecretAsPlainData returns a secret without NoEcho.
type returnsSecretAsPlainData struct{ named }

func (h returnsSecretAsPlainData) Create(ctx context.Context, req *creation) (plainData, error) {
	data, err := h.named.Create(ctx, req)
	return plainData(data), err
}

func (h returnsSecretAsPlainData) Update(ctx context.Context, req *updating) (plainData, error) {
	data, err := h.named.Update(ctx, req)
	return plainData(data), err
}

var _ = wrong(func(d *depot) returnsSecretAsPlainData { return returnsSecretAsPlainData{named{d}} },
	explored("v0"), "secrets-stay-out-of-log")

// returnsTime returns the time as Data.
type returnsTime struct{ named }

func (h returnsTime) Update(ctx context.Context, req *updating) (boxData, error) {
	_, err := h.named.Update(ctx, req)
	return boxData{Key: time.Now().Format(time.RFC3339)}, err
}

func (h returnsTime) Create(ctx context.Context, req *creation) (boxData, error) {
	_, err := h.named.Create(ctx, req)
	return boxData{Key: time.Now().Format(time.RFC3339)}, err
}

var _ = wrong(func(d *depot) returnsTime { return returnsTime{named{d}} },
	unexplored("nothing in a history reads Data"), "data-same-after-update")

// printsSecret prints a secret on standard error, which Lambda logs.
type printsSecret struct{ named }

func (h printsSecret) Create(ctx context.Context, req *creation) (boxData, error) {
	_, _ = fmt.Fprintf(os.Stderr, "creating a box for %s\n", req.Properties.Password)
	return h.named.Create(ctx, req)
}

var _ = wrong(func(d *depot) printsSecret { return printsSecret{named{d}} },
	unexplored("Explore does not listen to what a handler writes"), "secrets-stay-out-of-log")

// stumbles fails in an Update to InPlace, after more Steps than its rollback has.
type stumbles struct{ named }

func (h stumbles) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil || req.Properties.Size <= 10 {
		return data, err
	}
	for range 3 {
		if err := simulate.Step(ctx); err != nil {
			return data, err
		}
	}
	return data, errors.New("the shelf is full")
}

// What an Update's rollback does is no part of the Update: its Steps are counted anew.
func TestTheRollbackOfAnUpdateIsNoPartOfIt(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(stumbles{named{d}}) })
	if text, _ := play.RunCheck(t, c, "steps-around-effects"); text != "" {
		t.Error(text)
	}
}
