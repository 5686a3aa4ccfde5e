package model

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/response"
)

// A fault is what goes wrong with one request.
type fault struct {
	name  string
	where point
	what  mishap
	stuck bool // from then on, the handler can delete nothing in this delivery
	then  aftermath
	// A request delivered twice at once: the second so much later, and
	// whether CloudFormation reads the answer that was written last.
	twice     time.Duration
	readsLast bool
}

type point int

const (
	nowhere   point = iota
	begun           // a method was called
	made            // the thing is made but not configured; in Update and Delete the effect is done
	done            // configured, tracked
	searching       // in Find
)

type mishap int

const (
	nothing     mishap = iota
	fails              // an error without a code
	throttled          // a code that is tried again
	returnsBoth        // an error beside the ID
	tooLarge           // data that no answer has room for
	panics
	hangs       // until its context ends
	oversleeps  // ignores its context, goes on when the answer is long out
	dies        // and with it the process
	undelivered // nothing: but the answer cannot be delivered
)

type aftermath int

const (
	once     aftermath = iota
	again              // Lambda delivers the event again, to a new process if the first died
	recorded           // the retries are spent: the on-failure destination gets the record
	silence            // nobody answers
	belated            // the event comes again when the operation is over
	stale              // or when the one after it is
)

// A delivery is one invocation with one event.
type delivery struct {
	w     *world
	fault fault
	slow  time.Duration // how long the handler works before and after its effect
	kill  context.CancelFunc

	mu      sync.Mutex
	hit     bool
	dead    bool
	calls   int
	method  string // the handler's that was called last
	hitIn   string // and that which met the fault
	sent    []answer
	sentAt  time.Time
	refused []string // what CloudFormation would not accept about the answer
	event   event
}

// An answer is the response object that CloudFormation reads.
type answer struct {
	Status, Reason, PhysicalResourceId, StackId, RequestId, LogicalResourceId string
	NoEcho                                                                    bool
	Data                                                                      map[string]any
}

// gone reports whether the delivery's process has died: nothing that it still
// seems to do happens.
func (d *delivery) gone() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead
}

func (d *delivery) fired() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hit
}

func (d *delivery) call(method, id string) {
	d.mu.Lock()
	d.calls++
	d.method = method
	d.mu.Unlock()
	d.w.tell("    handler: %s %s", method, short(id))
}

// reach is called by handlers at each point of their work.
func (d *delivery) reach(ctx context.Context, p point) error {
	if p != searching && p != done && !d.undoing() {
		if err := wait(ctx, d.slow); err != nil {
			return err
		}
	}
	d.mu.Lock()
	hit := d.fault.where == p && !d.hit
	if hit {
		d.hit, d.hitIn = true, d.method
	}
	d.mu.Unlock()
	if !hit {
		return nil
	}
	d.w.tell("      FAULT: %s", d.fault.name)
	switch d.fault.what {
	case fails, returnsBoth:
		return errors.New("the service failed")
	case throttled:
		return cfnresource.Errorf(cfnresource.CodeThrottling, "too many requests")
	case panics:
		panic("the handler is at fault")
	case hangs:
		<-ctx.Done()
		return ctx.Err()
	case oversleeps:
		return wait(context.WithoutCancel(ctx), functionTimeout+5*time.Second)
	case dies:
		d.mu.Lock()
		d.dead = true
		d.mu.Unlock()
		d.kill()
		return errDead
	}
	return nil
}

// undoing reports whether a Create or Update is at deleting what it made, which
// takes no time: a function needs some beyond what its Create may take.
func (d *delivery) undoing() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.method == "Delete" && d.event.requestType != "Delete"
}

func (d *delivery) padding() string {
	if d.fault.what == tooLarge {
		return strings.Repeat("x", 5000)
	}
	return ""
}

// Send is the response bucket: it reads the answer as CloudFormation does.
func (d *delivery) Send(_ context.Context, _ response.URL, body []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead || d.fault.what == undelivered {
		return errors.New("no route to the bucket")
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		d.refused = append(d.refused, "not a response object: "+err.Error())
	}
	d.sent = append(d.sent, a)
	d.sentAt = time.Now()
	d.refused = append(d.refused, d.event.refuses(a, len(body))...)
	d.w.tell("    <= %s %s %s", a.Status, short(a.PhysicalResourceId), a.Reason)
	return nil
}

// wait lets virtual time pass.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pass lets virtual time pass where nothing can end it.
func pass(d time.Duration) { _ = wait(context.Background(), d) }

// excused reports whether the request may well be answered FAILED, or not at
// all.
func (d *delivery) excused() bool {
	switch f := d.fault; f.what {
	case fails, returnsBoth, tooLarge, panics, hangs, oversleeps:
		return true
	case throttled:
		return d.hitIn == "Create" // which is not tried again
	case dies, undelivered:
		return f.then != again
	}
	return false
}
