package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// TestRandomHistories plays operations, answers and faults at random, and holds
// what must be so in each history.
func TestRandomHistories(t *testing.T) {
	s := newTransitions()
	n := testrun.Share(400, 4000)
	seeds := []uint64{
		9260, // updates that failed left a ring of dependencies; its deletion once ended with some left
	}
	for seed := range uint64(n) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		m, err := randomHistory(t, seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s.add(m.Stack())
	}
	s.check(t)
	t.Logf("%d histories: %d steps of stacks, %d of resources", len(seeds), len(s.stack), len(s.resource))
}

func randomHistory(t testing.TB, seed uint64) (*engine.Machine, error) {
	return randomHistoryWith(t, seed, nil)
}

// randomHistoryWith calls keep after each step, unless it is nil.
func randomHistoryWith(t testing.TB, seed uint64, keep func(*engine.Machine) error) (*engine.Machine, error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	flip := func() bool { return rng.IntN(2) == 0 }
	// A stack with options, a handler and deliveries by chance.
	o := engine.Options{Seed: seed, FailedUpdate: []engine.FailedUpdate{engine.PointBack, engine.RollbackUpdate, engine.Stick}[rng.IntN(3)],
		DeleteOriginal: flip(), RestoreAtOnce: flip(), CreateFirst: flip(), RetryTimeouts: flip(), ReuseRequestIDs: rng.IntN(4) == 0,
		NothingInvoked: flip(), CleanupPause: time.Duration(rng.IntN(2)) * time.Minute, CancelGrace: time.Duration(rng.IntN(2)) * time.Second}
	p := &enginetest.Player{Machine: engine.New("s", o), Now: enginetest.Start}
	if err := p.Machine.Nest(randomNested); err != nil {
		return nil, err
	}
	p.Handler, p.Deliver = randomHandler(rng)
	var unkept error
	if keep != nil {
		p.AfterStep = func() { unkept = errors.Join(unkept, keep(p.Machine)) }
	}
	now := func() time.Time { return p.Now }
	for range 2 + rng.IntN(6) {
		d := engine.Deployment{Template: randomTemplate(rng, 2), DisableRollback: rng.IntN(3) == 0, RetainExceptOnCreate: flip(),
			OnFailure: []string{"", "", "DELETE", "DO_NOTHING"}[rng.IntN(4)]}
		// An operation that the stack's status allows, and maybe its cancellation.
		var err error
		switch m := p.Machine; m.Stack().Status {
		case "":
			err = m.Create(now(), d)
		case "UPDATE_ROLLBACK_FAILED":
			var skip []string
			for _, r := range m.Stack().Resources {
				if r.LostBack && r.Status == "UPDATE_FAILED" && r.Type != engine.StackType && flip() {
					skip = append(skip, r.LogicalID)
				}
			}
			err = m.Continue(now(), skip)
		case "CREATE_FAILED", "UPDATE_FAILED":
			switch rng.IntN(3) {
			case 0:
				err = m.Rollback(now(), flip())
			case 1:
				err = m.Delete(now(), nil, false)
			default:
				d.DisableRollback = true
				err = m.Update(now(), d)
			}
		case "ROLLBACK_COMPLETE", "ROLLBACK_FAILED":
			err = m.Delete(now(), nil, false)
		case "DELETE_FAILED":
			err = m.Delete(now(), nil, flip())
		default:
			if rng.IntN(4) == 0 {
				err = m.Delete(now(), nil, false)
			} else {
				err = m.Update(now(), d)
			}
		}
		if err != nil && !isRefusal(err) {
			return p.Machine, err
		}
		if rng.IntN(3) == 0 {
			p.At(now().Add(time.Duration(rng.IntN(8))*time.Second), func() {
				switch p.Machine.Stack().Status {
				case "UPDATE_IN_PROGRESS":
					err = p.Machine.Cancel(now())
				case "CREATE_IN_PROGRESS":
					err = p.Machine.Delete(now(), nil, false)
				}
			})
		}
		// It comes to rest, and what must hold then holds.
		if runErr := p.Run(); runErr != nil || err != nil && !isRefusal(err) {
			return p.Machine, fmt.Errorf("%w, %w", runErr, err)
		}
		if err := errors.Join(unkept, engine.CheckInvariants(p.Machine)); err != nil {
			return p.Machine, err
		}
		if p.Machine.Stack().Status == "DELETE_COMPLETE" {
			break
		}
	}
	return p.Machine, p.Drain()
}

func isRefusal(err error) bool { return errors.As(err, new(*engine.ValidationError)) }

// randomNested is the template of a nested stack, by the number that is its file.
func randomNested(_ *engine.Stack, source engine.Source) (*engine.Template, error) {
	seed, depth, _ := strings.Cut(source.File, " ")
	n, err := strconv.ParseUint(seed, 10, 64)
	if n%20 == 0 {
		return nil, errors.New("the template has mistakes")
	}
	return randomTemplate(rand.New(rand.NewPCG(n, 8)), len(depth)), err
}

// randomTemplate has nested stacks in it, as deep as is asked for.
func randomTemplate(rng *rand.Rand, depth int) *engine.Template {
	policies := []string{"", "", "", "Retain", "RetainExceptOnCreate", "Delete", "Snapshot"}
	t := &engine.Template{}
	names := []string{"A", "B", "C", "D", "E"}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i, name := range names[:1+rng.IntN(len(names))] {
		// What it is.
		r := engine.Resource{LogicalID: name, Type: "Custom::T", DeletionPolicy: policies[rng.IntN(len(policies))], UpdateReplacePolicy: policies[rng.IntN(len(policies))]}
		switch {
		case name == "E":
			r.Type = "AWS::SQS::Queue"
		case name == "D" && depth > 0:
			r.Type = engine.StackType
			file := fmt.Sprintf("%d %s", rng.IntN(40), strings.Repeat("x", depth-1))
			r.Nested = func(engine.Properties) (engine.Source, error) { return engine.Source{File: file}, nil }
		}
		// What it depends on.
		for _, other := range names[:i] {
			if rng.IntN(3) == 0 {
				r.DependsOn = append(r.DependsOn, other)
			}
		}
		slices.Sort(r.DependsOn)
		// Its properties, which fail to resolve now and then.
		token := enginetest.Token
		if rng.IntN(20) == 0 {
			token = "other"
		}
		size, missing, deps := rng.IntN(3), rng.IntN(25) == 0, r.DependsOn
		r.Properties = func(f engine.Refs) (map[string]any, error) {
			p := map[string]any{"ServiceToken": token, "Size": size}
			for _, d := range deps {
				id, err := f.Ref(d)
				if err != nil {
					return nil, err
				}
				p[d] = id
				if missing && d != "E" && d != "D" {
					if _, err := f.GetAtt(d, "Missing"); err != nil {
						return nil, err
					}
				}
			}
			return p, nil
		}
		t.Resources = append(t.Resources, r)
	}
	return t
}

func randomHandler(rng *rand.Rand) (func(r *engine.Request) []byte, func(*engine.Request) []enginetest.Delivery) {
	made := 0
	handler := func(r *engine.Request) []byte {
		id := r.PhysicalID
		if r.RequestType == "Create" || rng.IntN(6) == 0 {
			made++
			id = fmt.Sprintf("id-%d", made)
		}
		status := "SUCCESS"
		switch rng.IntN(12) {
		case 0, 1:
			status = "FAILED"
		case 2:
			return []byte("{}")
		case 3:
			return nil
		}
		return fmt.Appendf(nil, `{"Status":%q,"Reason":"r","PhysicalResourceId":%q,"StackId":%q,"RequestId":%q,"LogicalResourceId":%q}`, status, id, r.StackID, r.RequestID, r.LogicalID)
	}
	deliver := func(*engine.Request) []enginetest.Delivery {
		all := make([]enginetest.Delivery, []int{1, 1, 1, 1, 1, 2, 0}[rng.IntN(7)])
		for i := range all {
			all[i] = enginetest.Delivery{After: time.Duration(rng.IntN(4)) * time.Second, Takes: time.Duration(rng.IntN(6)) * time.Second, Lost: rng.IntN(20) == 0}
		}
		return all
	}
	return handler, deliver
}

// TestSameSeedSameHistory: nothing hangs on the order of maps or on the time of day.
func TestSameSeedSameHistory(t *testing.T) {
	for seed := range uint64(50) {
		a, errA := randomHistory(t, seed)
		b, errB := randomHistory(t, seed)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got, want := encode(t, a.Stack()), encode(t, b.Stack()); got != want {
			t.Fatalf("seed %d gives two histories", seed)
		}
	}
	ids := map[string]bool{}
	for seed := range uint64(3) {
		ids[engine.New("s", engine.Options{Seed: seed}).Stack().ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("three seeds give the IDs %v", slices.Collect(maps.Keys(ids)))
	}
}
