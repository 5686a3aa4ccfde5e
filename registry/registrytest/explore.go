package registrytest

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/guard"
)

// Explore plays the life of a resource, CREATE, UPDATE and DELETE, again and
// again: each time another step meets a fault. A step is a call of a method of the
// resource, its return, and whatever the service calls cfntest.Step for: with
// cfntest.Steps each request of an HTTP client and each reply. The faults are
//
//   - the step fails: the request did not arrive, or its reply is lost;
//   - the process dies, and CloudFormation makes the same call again;
//   - the process dies, CloudFormation takes the request for failed, and cleans up:
//     it deletes what a CREATE has named, undoes an UPDATE, and repeats a DELETE.
//
// Each life is played in a stack, and without one as in Cloud Control. In the end nothing may be
// left, and [Inputs].Beside has to be as it was. Only what a CREATE made whose first answer was
// lost may be left, one resource, if CloudFormation does not make the same call again, or is
// answered AlreadyExists: nothing leads to it.
//
// Explore reports ten histories at most, and tries the first 200 steps of each action: let the
// service take seconds and not hours for what it does. service is called for each history. They are
// played in virtual time, whatever [Inputs].RealTime says.
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

	leftoverTime = time.Hour // for what a process that died has left running, such as the timeout of a client
)

// explore returns the errors, and the number of histories that were played.
func explore(t *testing.T, w wire, service func(t *testing.T) Process, log *capture.Log) (wrong []error, played int) {
	t.Helper()
	for _, stack := range []string{"", exploredStack} {
		for _, action := range []string{"CREATE", "UPDATE", "DELETE"} {
			for _, f := range []fault{fails, dies, givenUp} {
				for step, faulted := 1, true; faulted && step <= mostSteps; step++ {
					h := history{stack, action, step, f}
					var x *explorer
					var err error
					blocked := bubble(t, func(t *testing.T) {
						x = &explorer{client: newClient(t.Context(), w, service(t)), history: h}
						x.stack = stack
						x.startProcess()
						err = x.play()
						guard.Sleep(t.Context(), leftoverTime)
					})
					if err = cmp.Or(blocked, err); err != nil {
						wrong = append(wrong, fmt.Errorf("%s.\n%s", h, x.report(err, log.Last(nil), cureAgain)))
					}
					log.Take()
					faulted = x.faulted
					if played++; len(wrong) >= mostWrong {
						return wrong, played
					}
				}
			}
		}
	}
	return wrong, played
}

const exploredStack = "arn:aws:cloudformation:us-east-1:123456789012:stack/explored/8b1f4a50-0000-11f0-8000-0a1b2c3d4e5f"

// A fault happens at a step.
type fault string

const (
	fails   fault = "fails"
	dies    fault = "is the process's last, and the call comes again"
	givenUp fault = "is the process's last, and CloudFormation gives up"
)

// A history is the life of a resource with a fault at one step.
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
	return fmt.Sprintf("%s, step %d of %s %s", where, h.step, h.action, h.fault)
}
