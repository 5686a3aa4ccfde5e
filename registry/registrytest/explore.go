package registrytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// Explore plays the life of a resource, CREATE, UPDATE and DELETE, again and again, each time with
// a fault at another step. A step is a call of a method of the resource, its return, and whatever
// the service calls cfntest.Step for: with cfntest.Steps each request of an HTTP client and each
// reply. The faults are
//
//   - the step fails: the request did not arrive, or its reply is lost;
//   - the process dies, and CloudFormation makes the same call again;
//   - the process dies, CloudFormation takes the request for failed, and cleans up:
//     it deletes what a CREATE has named, undoes an UPDATE, and repeats a DELETE.
//
// Each life is played in a stack, and without one as in Cloud Control. At the end nothing may be
// left, and [Inputs].Beside must be as it was. There is one exception: if a CREATE's first answer
// was lost, and CloudFormation does not make the same call again, or gets AlreadyExists, one
// resource may be left: nothing leads to it.
//
// Explore first plays a life without a fault, and no others if that one is wrong. It reports ten
// histories at most, and tries the first 200 steps of each action: let the service take seconds,
// not hours. service is called for each history. They are played in virtual time, whatever
// [Inputs].RealTime says.
func Explore[P any](t *testing.T, in Inputs[P], service func(t *testing.T) Process) {
	t.Helper()
	w, err := wireOf(in)
	if err != nil {
		t.Fatal(err)
	}
	log := capture.Start()
	defer log.Release()
	wrong, played := explore(t, w, service, log)
	for _, err := range wrong {
		t.Error(err)
	}
	t.Logf("%d histories", played)
}

const (
	mostSteps = 200 // of one action
	mostWrong = 10

	leftoverTime = time.Hour // for things that a call left running, such as the timeout of a client
)

// explore returns the errors, and the number of histories that were played.
func explore(t *testing.T, w wire, service func(t *testing.T) Process, log *capture.Log) (wrong []error, played int) {
	t.Helper()
	for _, stack := range []string{"", exploredStack} {
		// If a life without a fault is wrong, each history would be.
		played++
		if _, err := (history{stack: stack}).play(t, w, service, log); err != nil {
			return append(wrong, err), played
		}
		for _, action := range []string{"CREATE", "UPDATE", "DELETE"} {
			for _, f := range []fault{fails, dies, givenUp} {
				// A fault that did not happen was to be after the last step.
				for step, faulted := 1, true; faulted && step <= mostSteps; step++ {
					var err error
					if faulted, err = (history{stack, action, step, f}).play(t, w, service, log); err != nil {
						wrong = append(wrong, err)
					}
					if played++; len(wrong) >= mostWrong {
						return wrong, played
					}
				}
			}
		}
	}
	return wrong, played
}

// play plays the history, and reports whether its fault happened.
func (h history) play(t *testing.T, w wire, service func(t *testing.T) Process, log *capture.Log) (faulted bool, err error) {
	t.Helper()
	x := &explorer{client: newClient(w), history: h}
	blocked := x.bubble(t, func(t *testing.T) {
		x.begin(t.Context(), service(t))
		x.stack = h.stack
		x.startProcess()
		err = x.play()
		guard.Sleep(t.Context(), leftoverTime)
	})
	if err = cmp.Or(blocked, err); err != nil {
		cure := cureAlone
		if x.faulted {
			cure = cureAgain
		}
		err = fmt.Errorf("%s.\n%s", h, x.report(err, log.Last(nil), cure))
	}
	log.Take()
	return x.faulted, err
}

const exploredStack = "arn:aws:cloudformation:us-east-1:123456789012:stack/explored/8b1f4a50-0000-11f0-8000-0a1b2c3d4e5f"

// A fault happens at a step.
type fault string

const (
	fails   fault = "fails"
	dies    fault = "is the process's last, and the call comes again"
	givenUp fault = "is the process's last, and CloudFormation gives up"
)

// A history is the life of a resource with a fault at one step, or with none.
type history struct {
	stack  string
	action string
	step   int // from 1
	fault  fault
}

func (h history) String() string {
	where := "in a stack"
	if h.stack == "" {
		where = "without a stack"
	}
	if h.fault == "" {
		return where + ", without a fault"
	}
	return fmt.Sprintf("%s, step %d of %s %s", where, h.step, h.action, h.fault)
}

// An explorer plays one history.
type explorer struct {
	*client
	history history

	mu      sync.Mutex // guards the rest: a method may take steps after its time
	action  string     // of the request that is under way
	steps   int        // of the history's action
	faulted bool
	running *processState
	lost    bool // the first answer of a CREATE
	exists  bool // the repeated CREATE was answered AlreadyExists
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
	// A method has two steps: it may not be reached, or its work is done and its return is lost.
	x.calls(ctx, func(_ context.Context, _ hook.Call, method hook.Method) (string, error) {
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

// step is called at each step of a process. It ends the goroutine if the process is dead.
func (x *explorer) step(p *processState) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if p.dead {
		runtime.Goexit()
	}
	if x.history.fault == "" || x.action != x.history.action || x.faulted {
		return nil
	}
	if x.steps++; x.steps < x.history.step {
		return nil
	}
	x.faulted = true
	x.story.tell("step %d of %s %s", x.history.step, x.history.action, x.history.fault)
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
	// Call the handler until it has done; the registry calls it again if its process died.
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
			return a, named, x.endless(r.action)
		}
		r.context, r.now = a.CallbackContext, a.ResourceModel
		guard.Sleep(x.ctx, time.Duration(a.CallbackDelaySeconds)*time.Second)
	}
}

// play plays the history, and returns an error if a rule is broken.
func (x *explorer) play() error {
	if err := x.makeBeside(); err != nil {
		return err
	}
	if err := x.life(); err != nil {
		return err
	}
	if err := x.checkBeside(); err != nil {
		return err
	}
	ids, err := x.there()
	if err == nil && len(ids) > x.mayLeave() {
		err = wrongWith(cureFind, "At the end there are still %q", ids)
	}
	return err
}

// mayLeave returns how many resources may be left. If the first answer of a CREATE is
// lost, nothing leads to what it made, unless the call is repeated and its StableID
// distinguishes it from other CREATEs. A name that its user has given does not.
func (x *explorer) mayLeave() int {
	nothingLeads := x.history.fault == givenUp || x.stack != "" || x.exists
	if x.lost && nothingLeads {
		return 1
	}
	return 0
}

// life creates, updates and deletes a resource.
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

// created creates the resource. If that fails, it deletes what was named, and returns nil.
func (x *explorer) created() (model, error) {
	a, named, err := x.request(x.new("CREATE", x.wire.create, nil))
	switch {
	case err != nil && !errors.Is(err, errGivenUp):
		return nil, err
	case err == nil && a.Status == "SUCCESS":
		return a.ResourceModel, x.checkRead(x.wire.create.with(a.ResourceModel.id()))
	case err == nil && x.history.fault == "":
		return nil, wrongWith(cureInputs, "the CREATE fails with %s (%s), want SUCCESS", a.ErrorCode, a.Message)
	case err == nil && x.lost && a.ErrorCode != cfnresource.CodeAlreadyExists:
		return nil, wrongWith(cureFind, "the same CREATE fails with %s (%s), want its resource, or AlreadyExists", a.ErrorCode, a.Message)
	case named == "": // CloudFormation has nothing to delete
		x.exists = x.lost
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
	case err == nil && x.history.fault == "":
		return nil, wrongWith(cureInputs, "the UPDATE fails with %s (%s), want SUCCESS", a.ErrorCode, a.Message)
	}
	// A stack's rollback is an UPDATE to what was before.
	if a, _, err = x.request(x.new("UPDATE", x.wire.create.with(m.id()), x.wire.update.with(m.id()))); err != nil {
		return nil, err
	} else if a.Status != "SUCCESS" {
		return nil, wrongWith(cureAgain, "the UPDATE back fails with %s (%s)", a.ErrorCode, a.Message)
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
		case err == nil && (a.Status == "SUCCESS" || a.ErrorCode == cfnresource.CodeNotFound):
			return x.checkNotRead(m)
		}
	}
	return fmt.Errorf("the DELETE of %s fails again", m.id())
}
