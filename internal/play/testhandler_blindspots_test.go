package play_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// changesExisting changes the box that holds its name, and then answers
// AlreadyExists.
type changesExisting struct{ chosen }

func (h changesExisting) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.chosen.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		_ = h.d.fill(ctx, req.Properties.Room, filling{Size: 7})
	}
	return data, err
}

// Where State returns what there is itself, and no copy, it shows the change
// before and after.
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
	results := play.RunChecks(t, c)
	if got := textOf(results, "stranger-holds-the-name"); !strings.Contains(got, "which is somebody else's, was changed") {
		t.Errorf("stranger-holds-the-name says %q; %v failed", got, outcomes(results, "failed"))
	}
}

// revealsSecret reveals a secret in its log and in its error.
type revealsSecret struct{ note }

func (h revealsSecret) Update(context.Context, *cfnresource.UpdateRequest[noteProps]) (data struct{}, err error) {
	slog.Info("refused", "by", "open-sesame")
	return data, errors.New("open-sesame refuses it")
}

func TestAStoryIsNotToldWithASecretInIt(t *testing.T) {
	c := adapted(func(n note) revealsSecret { return revealsSecret{n} })
	c.Secrets, c.Skip = []string{"open-sesame"}, nil
	got := textOf(play.RunChecks(t, c), "secrets-stay-out-of-log")
	if !strings.Contains(got, "holds a secret") || strings.Contains(got, "sesame") {
		t.Errorf("secrets-stay-out-of-log says %q", got)
	}
}

// readsFirst reads from the service before it does what a note does, so that its first
// Step precedes any effect. It is late if it calls Created only when all is done.
type readsFirst struct {
	note
	late bool
}

func (h readsFirst) Create(ctx context.Context, req *cfnresource.CreateRequest[noteProps]) (data struct{}, err error) {
	if err := simulate.Step(ctx); err != nil {
		return data, err
	}
	if !h.late {
		if data, err = h.note.Create(ctx, req); err != nil {
			return data, err
		}
		return data, simulate.Step(ctx)
	}
	id := req.StableID()
	if err := h.board.pin(ctx, id, req.Properties, true); errors.Is(err, errNoteThere) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	if err := simulate.Step(ctx); err != nil {
		return data, err
	}
	req.Created(id)
	return data, nil
}

// At which steps things are made, and which are before an effect, does not
// matter: one step may leave a thing that no handler could name.
func TestOneStepOfAReplacementMayLeaveTheNewThing(t *testing.T) {
	for late, want := range map[bool][]string{false: nil, true: {"replace-failed-nothing-left"}} {
		results := play.RunChecks(t, adapted(func(n note) readsFirst { return readsFirst{n, late} }))
		failed := outcomes(results, "failed")
		if diff := cmp.Diff(want, failed); diff != "" {
			t.Errorf("late is %t: failing checks (-want +got):\n%s", late, diff)
			for _, name := range failed {
				t.Log(textOf(results, name))
			}
		}
	}
}

// What is logged in one test is not taken for another's, and goes where it went
// before when all have ended.
func TestParallelTestsPutTheLogBack(t *testing.T) {
	was := slog.Default()
	t.Cleanup(func() { slog.SetDefault(was) })
	mine := slog.New(slog.DiscardHandler)
	slog.SetDefault(mine)
	c := adapted(func(n note) logsCreate { return logsCreate{n} })
	few := func(o *play.ExploreOptions) { o.Histories = 50 }
	ok := runTest(func(t *testing.T) {
		for range 4 {
			t.Run("explore", func(t *testing.T) { t.Parallel(); play.Explore(t, c, few) })
			t.Run("ask", func(t *testing.T) { t.Parallel(); play.TestHandler(t, c) })
		}
	})
	if !ok {
		t.Error("a test fails")
	}
	if slog.Default() != mine {
		t.Error("the log goes elsewhere after the tests")
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
	c := noteContract
	c.New = func(t testing.TB) play.Service {
		s, seen := noteContract.New(t), new(sync.Map)
		function := s.Function
		s.Function = func() simulate.Function { return failsSecondDelete{function(), seen} }
		return s
	}
	results := play.RunChecks(t, c)
	if got := textOf(results, "delete-twice"); !strings.Contains(got, "for which Lambda delivers the event again") {
		t.Errorf("delete-twice says %q; %v failed", got, outcomes(results, "failed"))
	}
}
