package play_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
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
	if got := textOf(results, check); !strings.Contains(got, "with a context that is not the method's own") {
		t.Errorf("%s says %q", check, got)
	}
}

// failsSecondDelete answers a Delete that comes again, and returns an error.
type failsSecondDelete struct {
	simulate.Function
	seen *sync.Map
}

func (g failsSecondDelete) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	out, err := g.Function.Invoke(ctx, payload)
	if _, again := g.seen.LoadOrStore(string(payload), true); again && strings.Contains(string(payload), `"Delete"`) {
		return nil, io.ErrUnexpectedEOF
	}
	return out, err
}

// What no handler may do fails a check also where its answers are right.
func TestASecondDeleteThatLambdaRepeatsFails(t *testing.T) {
	c := withService(adapted(same), func(s *play.Service) {
		function, seen := s.Function, new(sync.Map)
		s.Function = func() simulate.Function { return failsSecondDelete{function(), seen} }
	})
	if got, _ := play.RunCheck(t, c, "delete-twice"); !strings.Contains(got, "for which Lambda delivers the event again") {
		t.Errorf("delete-twice says %q", got)
	}
}

// readsFirst reads from the service before it builds a box, so that its first Step
// precedes any effect. It is late if it calls Created only when all is done.
type readsFirst struct {
	named
	late bool
}

func (h readsFirst) Create(ctx context.Context, req *creation) (boxData, error) {
	if err := simulate.Step(ctx); err != nil {
		return boxData{}, err
	}
	create := h.named.Create
	if h.late {
		create = callsCreatedLate{h.named}.Create
	}
	data, err := create(ctx, req)
	if err == nil {
		err = simulate.Step(ctx)
	}
	return data, err
}

// At which steps things are made, and which are before an effect, does not
// matter: one step may leave a thing that no handler could name.
func TestOneStepOfAReplacementMayLeaveTheNewThing(t *testing.T) {
	for late, want := range map[bool][]string{false: nil, true: {"replace-failed-nothing-left"}} {
		results := play.RunChecks(t, adapted(func(h named) readsFirst { return readsFirst{h, late} }))
		failed := outcomes(results, "failed")
		if diff := cmp.Diff(want, failed); diff != "" {
			t.Errorf("late is %t: failing checks (-want +got):\n%s", late, diff)
			for _, name := range failed {
				t.Log(textOf(results, name))
			}
		}
	}
}

// A property may say that a Delete keeps the thing, which is then there after the histories with it.
func TestWhatADeleteKeepsIsHarmToNoOtherCheck(t *testing.T) {
	results := play.RunChecks(t, wrongNamed("deletesIfUnreadable").contract())
	if diff := cmp.Diff([]string{"delete-undecodable-properties"}, outcomes(results, "failed")); diff != "" {
		t.Errorf("failing checks (-want +got):\n%s", diff)
	}
}

// revealsSecret reveals a secret in its log and in its error.
type revealsSecret struct{ named }

func (h revealsSecret) Update(context.Context, *updating) (data boxData, err error) {
	slog.Info("refused", "by", "open-sesame")
	return data, errors.New("open-sesame refuses it")
}

func TestAStoryIsNotToldWithASecretInIt(t *testing.T) {
	c := adapted(func(h named) revealsSecret { return revealsSecret{h} })
	c.Secrets, c.Skip = []string{"open-sesame"}, nil
	if got, _ := play.RunCheck(t, c, "secrets-stay-out-of-log"); !strings.Contains(got, "holds a secret") || strings.Contains(got, "sesame") {
		t.Errorf("secrets-stay-out-of-log says %q", got)
	}
}

// logsCreate logs the room of its box.
type logsCreate struct{ named }

func (h logsCreate) Create(ctx context.Context, req *creation) (boxData, error) {
	slog.DebugContext(ctx, "a box is built", "room", req.Properties.Room)
	return h.named.Create(ctx, req)
}

func TestSecretsOfTheContractAreLookedFor(t *testing.T) {
	const secret = `who "reads" this`
	c := adapted(func(h named) logsCreate { return logsCreate{h} })
	c.Properties = map[string]any{"Room": secret, "Size": 2}
	c.InPlace = map[string]any{"Room": secret, "Size": 3}
	c.Secrets = []string{secret}
	c.Skip = nil
	if text, _ := play.RunCheck(t, c, "secrets-stay-out-of-log"); !strings.Contains(text, "The log holds a secret") || strings.Contains(text, "reads") || !strings.Contains(text, "What helps: Tag secrets") {
		t.Errorf("the check says %q", text)
	}
}

// changesExisting changes the box that holds its name, and then answers AlreadyExists.
type changesExisting struct{ chosen }

func (h changesExisting) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.chosen.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		_ = h.d.fill(ctx, req.Properties.Room, filling{Size: 7})
	}
	return data, err
}

// Where State returns what there is itself, and no copy, it shows the change before and after.
func TestAChangeIsSeenInAStateThatChangesAsWell(t *testing.T) {
	c := depotContract(nil)
	c.New = func(testing.TB) play.Service {
		d := newDepot()
		s := d.service(func(d *depot) simulate.Function { return process(changesExisting{chosen{found{d}}}) })
		s.State = func(id string) any {
			d.mu.Lock()
			defer d.mu.Unlock()
			if b := d.boxes[id]; b != nil {
				return &b.filling
			}
			return nil
		}
		return s
	}
	if got, _ := play.RunCheck(t, c, "stranger-holds-the-name"); !strings.Contains(got, "which is another stack's, was changed") {
		t.Errorf("stranger-holds-the-name says %q", got)
	}
}

// What a handler has from its Find is no fault of its Create's.
func TestAStrangersThingThatFindAnsweredIsBlamedOnFind(t *testing.T) {
	const check = "stranger-holds-the-name"
	for _, test := range []struct {
		handler string
		finds   bool
	}{
		{"findsByName", true}, {"findsAny", true}, {"callsCreatedForStranger", false}, {"takesOverStranger", false},
	} {
		text, _ := play.RunCheck(t, wrongNamed(test.handler).contract(), check)
		if text == "" || strings.Contains(text, "Find returned the other thing") != test.finds || strings.Contains(text, "Have Create") == test.finds {
			t.Errorf("%s: the blame is not on Find, or is and should not be: %s", test.handler, text)
		}
	}
}

func wrongNamed(name string) wrongHandler {
	for _, w := range wrongHandlers {
		if w.name == name {
			return w
		}
	}
	panic("no wrong handler is named " + name)
}

// A property that a handler does not pass on, or that State leaves out, changes nothing that
// a check can see: each would pass.
func TestAPropertyWhoseChangeChangesNoStateIsTold(t *testing.T) {
	warnings := func(c play.Contract) string {
		r := play.RunChecks(t, c, "leads-where-create-does")[0]
		if r.Outcome != "passed" {
			return "it does not pass"
		}
		refused := func(w string) bool { return strings.Contains(w, "refuses with such a code") } // as is right
		return strings.Join(slices.DeleteFunc(r.Warnings, refused), "\n")
	}
	seven, nine := 7, 9
	drops := depotContract(func(d *depot) simulate.Function { return process(namedOf[limitedProps]{d}) })
	drops.Properties = limitedProps{Room: "hall", Size: 10, Limit: &seven}
	drops.InPlace = limitedProps{Room: "hall", Size: 60, Limit: &nine}
	drops.Replacing, drops.Refused = nil, nil
	if got := warnings(drops); !strings.Contains(got, "passes them on: Limit. ") {
		t.Errorf("a handler that drops Limit: %q", got)
	}
	if got := warnings(depotContract(rightHandlers["named"])); got != "" {
		t.Errorf("one that drops nothing: %q", got)
	}
}

// What the Contract does wrong is said once, and not by each check that it blinds.
func TestAnIDInStateIsToldOnce(t *testing.T) {
	c := withService(depotContract(rightHandlers["found"]), func(s *play.Service) {
		state := s.State
		s.State = func(id string) any {
			if now := state(id); now != nil {
				return []any{id, now}
			}
			return nil
		}
	})
	results := play.RunChecks(t, c)
	told := 0
	for _, r := range results {
		told += len(slices.DeleteFunc(r.Warnings, func(w string) bool { return !strings.Contains(w, "[0] is of the ID") }))
	}
	if failed := outcomes(results, "failed"); len(failed) > 0 || told != 1 {
		t.Errorf("%q fail, and %d warn of it", failed, told)
	}
	if unjudged := outcomes(results, "unjudged"); len(unjudged) > 0 {
		t.Errorf("%q are not judged", unjudged)
	}
}
