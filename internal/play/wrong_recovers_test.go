package play_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, or none, in what a process keeps of a failure.

// signsInOnce keeps what came of its first call to the depot.
type signsInOnce struct {
	named
	once *sync.Once
	err  *error
}

func (h signsInOnce) Create(ctx context.Context, req *creation) (boxData, error) {
	h.once.Do(func() { *h.err = h.d.signIn(ctx) })
	if *h.err != nil {
		return boxData{}, *h.err
	}
	return h.named.Create(ctx, req)
}

func (d *depot) signIn(ctx context.Context) error {
	_, err := d.find(ctx, func(string, *box) bool { return false })
	return err
}

var _ = wrong(func(d *depot) signsInOnce { return signsInOnce{named{d}, new(sync.Once), new(error)} },
	unexplored("no process in a history has a second event"), "warm-process-recovers")

// signsInAgain is right: only what succeeded is not done again.
type signsInAgain struct {
	named
	done *bool
}

func (h signsInAgain) Create(ctx context.Context, req *creation) (boxData, error) {
	if !*h.done {
		if err := h.d.signIn(ctx); err != nil {
			return boxData{}, err
		}
		*h.done = true
	}
	return h.named.Create(ctx, req)
}

// signsInAndLeavesIt signs in so, and leaves unfinished what it has begun: a new process does the same, one call later.
type signsInAndLeavesIt struct{ signsInAgain }

func (h signsInAndLeavesIt) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.Adopted {
		return req.Properties.data(), nil
	}
	return h.signsInAgain.Update(ctx, req)
}

func TestWhatANewProcessDoesIsNotOfAWarmOne(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function {
		return process(signsInAndLeavesIt{signsInAgain{named{d}, new(bool)}})
	})
	results := play.RunChecks(t, c, "create-died-half-way-is-finished", "warm-process-recovers")
	if diff := cmp.Diff([]string{"create-died-half-way-is-finished"}, outcomes(results, "failed")); diff != "" {
		t.Errorf("failing checks (-want +got):\n%s", diff)
	}
}

// Of two processes, the story says which one handles an event: what each remembers explains a failure.
func TestTheStoryNamesTheProcess(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(skipsWhatItDid{named{d}, map[string]boxData{}}) })
	text, _ := play.Replayed(t, c, "warm-2 v0 v1 v0 v1 v0")
	first, second := strings.Index(text, "process 1 handles it"), strings.Index(text, "process 2 handles it")
	if first < 0 || second < first {
		t.Errorf("it says:\n%s", text)
	}
}

// skipsWhatItDid does nothing where an Update asks for what the last one that succeeded here has done, whatever a
// failure has changed since.
type skipsWhatItDid struct {
	named
	last map[string]boxData
}

func (h skipsWhatItDid) Update(ctx context.Context, req *updating) (boxData, error) {
	asks := fmt.Sprint(req.PhysicalID, req.Properties)
	if data, is := h.last[asks]; is {
		return data, nil
	}
	data, err := h.named.Update(ctx, req)
	if err == nil {
		clear(h.last)
		h.last[asks] = data
	}
	return data, err
}

var _ = wrong(func(d *depot) skipsWhatItDid { return skipsWhatItDid{named{d}, map[string]boxData{}} },
	unexplored("no process in a history has a second event"), "processes-take-turns", "warm-process-recovers")

// staysOpen refuses to make anything where the depot has failed, and does not ask again.
func staysOpen() cfnresource.Middleware {
	isOpen := false
	return func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) error {
		if isOpen && op.Name == "Create" {
			return errors.New("the depot is down")
		}
		err := next(ctx)
		isOpen = isOpen || err != nil && cfnresource.CodeOf(err) != cfnresource.CodeAlreadyExists
		return err
	}
}

var _ = wrongFunction("staysOpen", func(d *depot) simulate.Function {
	return cfnresource.New(named{d}, func(o *cfnresource.Options) {
		o.Logger, o.Middleware = slog.New(slog.DiscardHandler), []cfnresource.Middleware{staysOpen()}
	})
}, unexplored("no process in a history has a second event"), "warm-process-recovers")

// givesUp refuses to change anything once three Updates have failed.
func givesUp() cfnresource.Middleware {
	failed := map[string]bool{}
	return func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) error {
		if op.Name != "Update" {
			return next(ctx)
		}
		if len(failed) > 2 {
			return errors.New("the depot is down")
		}
		err := next(ctx)
		if err != nil {
			failed[op.RequestID] = true
		}
		return err
	}
}

var _ = wrongFunction("givesUp", func(d *depot) simulate.Function {
	return cfnresource.New(named{d}, func(o *cfnresource.Options) {
		o.Logger, o.Middleware = slog.New(slog.DiscardHandler), []cfnresource.Middleware{givesUp()}
	})
}, unexplored("no process in a history has a second event"), "warm-process-recovers")

// opensCircuit asks the depot nothing more once it has failed five times in a row.
type opensCircuit struct {
	named
	failures *int
}

func (h opensCircuit) Update(ctx context.Context, req *updating) (data boxData, err error) {
	for *h.failures < 5 {
		if data, err = h.named.Update(ctx, req); err == nil {
			*h.failures = 0
			return data, nil
		}
		*h.failures++
		select {
		case <-ctx.Done():
			return data, ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return data, errors.Join(errors.New("the depot is left in peace"), err)
}

var _ = wrong(func(d *depot) opensCircuit { return opensCircuit{named{d}, new(int)} },
	unexplored("no process in a history has a second event"), "warm-process-recovers")

// skipsWhatItSet does nothing where an Update asks for what this process set last.
type skipsWhatItSet struct {
	named
	set map[string]boxProps
}

func (h skipsWhatItSet) Update(ctx context.Context, req *updating) (boxData, error) {
	if last, is := h.set[req.PhysicalID]; is && last == req.Properties {
		return req.Properties.data(), nil
	}
	delete(h.set, req.PhysicalID)
	data, err := h.named.Update(ctx, req)
	if err == nil {
		h.set[req.PhysicalID] = req.Properties
	}
	return data, err
}

var _ = wrong(func(d *depot) skipsWhatItSet { return skipsWhatItSet{named{d}, map[string]boxProps{}} },
	unexplored("no process in a history has a second event"), "processes-take-turns")

// readsAllOnce writes what fills all boxes, as its process has read that at first and changed it since.
type readsAllOnce struct {
	named
	all map[string]filling // nothing before the first
}

func (h readsAllOnce) write(ctx context.Context, id string, p boxProps) (boxData, error) {
	err := h.d.change(ctx, id, func(*box) error {
		if len(h.all) == 0 {
			for name, b := range h.d.boxes {
				h.all[name] = b.filling
			}
		}
		h.all[id] = p.filling()
		for name, b := range h.d.boxes {
			b.filled, b.filling = true, h.all[name]
		}
		return nil
	})
	return p.data(), err
}

func (h readsAllOnce) Create(ctx context.Context, req *creation) (boxData, error) {
	if data, err := h.named.Create(ctx, req); err != nil {
		return data, err
	}
	return h.write(ctx, req.StableID(), req.Properties)
}

func (h readsAllOnce) Update(ctx context.Context, req *updating) (boxData, error) {
	if data, err := h.named.Update(ctx, req); err != nil {
		return data, err
	}
	return h.write(ctx, req.PhysicalID, req.Properties)
}

var _ = wrong(func(d *depot) readsAllOnce { return readsAllOnce{named{d}, map[string]filling{}} },
	unexplored("no process in a history has a second event"), "processes-take-turns")

func TestAProcessThatForgetsItsFailuresRecovers(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(signsInAgain{named{d}, new(bool)}) })
	if text, _ := play.RunCheck(t, c, "warm-process-recovers"); text != "" {
		t.Error(text)
	}
}

// knowsWhatItMade makes nothing that it has made before, though it was deleted since.
type knowsWhatItMade struct {
	named
	made map[string]boxProps
}

func (h knowsWhatItMade) Create(ctx context.Context, req *creation) (boxData, error) {
	if h.made[req.StableID()] == req.Properties {
		req.Created(req.StableID())
		return req.Properties.data(), nil
	}
	data, err := h.named.Create(ctx, req)
	if err == nil {
		h.made[req.StableID()] = req.Properties
	}
	return data, err
}

var _ = wrong(func(d *depot) knowsWhatItMade { return knowsWhatItMade{named{d}, map[string]boxProps{}} },
	unexplored("no process in a history has a second event"), "recreate-after-delete", "warm-process-serves-several")
