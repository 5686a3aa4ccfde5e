package registrytest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// An explorer plays one history.
type explorer struct {
	*client
	history history

	mu      sync.Mutex // guards what steps count, which a method may take after its time
	action  string     // of the request that is under way
	steps   int        // of the history's action
	faulted bool
	running *processState
	lost    bool // the first answer of a CREATE
}

// A processState says whether a process has died.
type processState struct{ dead bool }

// startProcess starts a process and counts its steps.
func (x *explorer) startProcess() {
	p := new(processState)
	x.mu.Lock()
	x.running = p
	x.mu.Unlock()
	step := func(context.Context) error { return x.step(p) }
	ctx := hook.WithSteps(context.WithoutCancel(x.ctx), step)
	x.ctx = hook.WithCalls(ctx, func(_ context.Context, _ hook.Call, method hook.Method) (string, error) {
		if err := x.step(p); err != nil {
			return "", err
		}
		id, err := method()
		if lost := x.step(p); lost != nil {
			return "", lost
		}
		return id, err
	})
	x.restart()
}

// step is called at each step of a process. It ends the goroutine if the process is
// dead.
func (x *explorer) step(p *processState) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if p.dead {
		runtime.Goexit()
	}
	if x.action != x.history.action || x.faulted {
		return nil
	}
	if x.steps++; x.steps < x.history.step {
		return nil
	}
	x.faulted = true
	if x.history.fault == fails {
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the connection broke")
	}
	p.dead = true
	runtime.Goexit()
	return nil
}

func (x *explorer) died() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.running.dead
}

// errGivenUp is the error of a request that CloudFormation gave up.
var errGivenUp = errors.New("the process died")

// request sends a request and its callbacks, with the history's fault. It returns the
// last answer, and the identifier in the answers.
func (x *explorer) request(r request) (a answer, named string, err error) {
	x.mu.Lock()
	x.action = r.action
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		x.action = ""
		x.mu.Unlock()
	}()
	begun := time.Now()
	for first := true; ; first = false {
		a, err = x.send(r)
		if x.died() {
			x.lost = x.lost || first && r.action == "CREATE"
			x.startProcess()
			if x.history.fault == givenUp {
				return a, named, errGivenUp
			}
			a, err = x.send(r)
		}
		if err != nil {
			return a, named, err
		}
		if id := a.ResourceModel.id(); id != "" {
			named = id
		}
		if a.Status != "IN_PROGRESS" {
			return a, named, nil
		}
		if time.Since(begun) > x.timeout {
			return a, named, fmt.Errorf("%s is in progress after %s", r.action, x.timeout)
		}
		r.context, r.now = a.CallbackContext, a.ResourceModel
		guard.Sleep(x.ctx, time.Duration(a.CallbackDelaySeconds)*time.Second)
	}
}

// play plays the history, and returns an error if a rule is broken.
func (x *explorer) play() error {
	beside, err := x.makeBeside()
	if err != nil {
		return err
	}
	if err := x.life(); err != nil {
		return err
	}
	ids, err := x.listed()
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == beside.id() })
	if most := x.mayLeave(); len(ids) > most {
		return fmt.Errorf("in the end there are still %q", ids)
	}
	if beside == nil {
		return nil
	}
	if err := x.checkRead(beside); err != nil {
		return fmt.Errorf("another resource is not as it was: %w", err)
	}
	return nil
}

// mayLeave returns how many resources may be left. If the first answer of a CREATE is
// lost, nothing leads to what it made, unless the call is repeated and its StableID
// distinguishes it from other CREATEs.
func (x *explorer) mayLeave() int {
	if x.lost && (x.history.fault == givenUp || x.stack != "") {
		return 1
	}
	return 0
}

func (x *explorer) makeBeside() (model, error) {
	if x.beside == nil {
		return nil, nil
	}
	m, err := x.succeed(x.new("CREATE", x.wire.beside, nil))
	if err != nil {
		return nil, fmt.Errorf("Inputs.Beside cannot be made: %w", err)
	}
	return m, nil
}

// life is what CloudFormation does with a resource.
func (x *explorer) life() error {
	made, err := x.created()
	if err != nil || made == nil {
		return err
	}
	changed, err := x.changed(made)
	if err != nil {
		return err
	}
	return x.removed(changed)
}

// created creates the resource. If that fails, it deletes what was named, and returns
// nil.
func (x *explorer) created() (model, error) {
	a, named, err := x.request(x.new("CREATE", x.wire.create, nil))
	switch {
	case err != nil && !errors.Is(err, errGivenUp):
		return nil, err
	case err == nil && a.Status == "SUCCESS":
		return a.ResourceModel, x.checkRead(x.wire.create.with(a.ResourceModel.id()))
	case err == nil && x.lost && x.stack != "" && a.ErrorCode != "AlreadyExists":
		return nil, fmt.Errorf("the same CREATE fails with %s (%s), want its resource, or AlreadyExists", a.ErrorCode, a.Message)
	case err == nil && x.lost && x.stack == "":
		return nil, fmt.Errorf("the same CREATE fails with %s (%s), want its resource", a.ErrorCode, a.Message)
	case named == "":
		return nil, nil
	}
	return nil, x.removed(model{}.with(named))
}

// changed updates the resource. If that fails, it updates it back.
func (x *explorer) changed(m model) (model, error) {
	a, _, err := x.request(x.new("UPDATE", x.wire.update.with(m.id()), m))
	switch {
	case err != nil && !errors.Is(err, errGivenUp):
		return nil, err
	case err == nil && a.Status == "SUCCESS":
		return a.ResourceModel, x.checkRead(x.wire.update.with(m.id()))
	}
	if a, _, err = x.request(x.new("UPDATE", x.wire.create.with(m.id()), x.wire.update.with(m.id()))); err != nil {
		return nil, err
	} else if a.Status != "SUCCESS" {
		return nil, fmt.Errorf("the UPDATE back fails with %s (%s)", a.ErrorCode, a.Message)
	}
	return a.ResourceModel, x.checkRead(x.wire.create.with(m.id()))
}

// removed deletes the resource, and tries again if that fails, as CloudFormation or an
// operator does.
func (x *explorer) removed(m model) error {
	for range 2 {
		a, _, err := x.request(x.new("DELETE", m, nil))
		switch {
		case err != nil && !errors.Is(err, errGivenUp):
			return err
		case err == nil && (a.Status == "SUCCESS" || a.ErrorCode == "NotFound"):
			return x.checkNotRead(m)
		}
	}
	return fmt.Errorf("the DELETE of %s fails again", m.id())
}
