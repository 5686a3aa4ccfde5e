package play

// Plays one history.

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// The logical IDs in each history's template.
const (
	theResource = "Resource"
	theSibling  = "Sibling"
)

// A historyResult is the result of playing a history.
type historyResult struct {
	playedHistory

	waited           bool   // for an answer that nobody gave, though none was lost
	replaced         bool   // the last Update has given the resource another physical ID
	stands           bool   // the thing of before the last operation is still there
	kept             bool   // the Delete succeeded, and the thing is as it was, and alone
	unseen           string // why the history cannot show what it is played for, or ""
	ranOut           bool   // what is refused for good was tried again until the time was over
	continues        bool   // the function's Options.Continue is set
	createOverwrites bool   // the first Create was delivered twice, and put over what was there

	found          *finding   // nil if it did no harm to the stack
	inAnswers      []*finding // the harm that is in what was said alone, each once
	excused        *finding   // the harm that a limit excuses
	refusedForeign *finding   // what is a harm if the same history goes well with a native ID
	refusal        *refusal   // of a version with a change, or of one after it
	taught         learned    // if it was played to learn
	effects        any        // what Effects shows in the end
	told           []allData  // the Data after each operation
	emptied        bool       // a Delete removed what users had put into the resource
	answers        answers
	// hasSecrets says that there is something that must not be told, and heard that what the handler writes was looked at.
	hasSecrets, heard bool

	story string // if it is to be told
}

// findings returns the harm that a history did. What is in answers counts if it does no other, but a secret that is told
// stays told.
func (r *historyResult) findings() (all []*finding) {
	if r.found != nil {
		all = append(all, r.found)
	}
	doesHarm := r.found != nil || r.Limit != ""
	for _, f := range r.inAnswers {
		if doesHarm && f.harm != secretTold {
			continue
		}
		all = append(all, f)
	}
	return all
}

// first returns the first of the findings, or nil.
func (r *historyResult) first() *finding {
	if all := r.findings(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// A historyRun plays one history.
type historyRun struct {
	*historyResult
	c       *Contract
	o       ExploreOptions
	learned learned // before it
	how     playing
	service Service
	stack   *simulate.Stack

	Version        string                 // of the settled template
	there          []string               // the IDs of what List has before the first request
	others         map[string]othersThing // by ID, the things that are not the resource's
	seen           map[string]any         // and the States of them that were last found to be right
	beside         []string               // what the stack's other resources have: see beside.go
	besideStates   map[string]any         // and the States in which those of other types were made, by ID
	pending        *namesake              // that is half made
	gaveUp         bool                   // a request failed since another took long: what follows says nothing
	rest           history                // the operations after the present one
	around         map[string]any         // what Around showed while the stack had no resource, by what its others had
	id             string                 // the physical ID of the settled template's resource
	leaves         string                 // the line of what the stack had before it was deleted
	lastData       answered               // the Data of the last operation
	dataStayed     bool                   // the last operation has not changed it
	used, usedBy   string                 // the ID of the resource into which somebody has put something, and the operation
	ownIDs         []string               // the IDs of each settled template's resource
	gone           bool                   // somebody has removed the resource
	existedBefore  []string               // the IDs under which there was something before the operation
	judgedRequests int                    // requests

	returnedSecrets []returnedSecret // in Data with NoEcho
	printed         string           // on the standard streams, if it is listened to

	deployed []pastDeployment
	ctx      context.Context // of what is delivered beside the stack
	twins    twins
	foreign  foreign
	over     atomic.Bool // the time of the program before
	standing standing
	compared comparedValues // last, and found to differ
	blamed   string         // the method whose answer lacks what another one has
}

// A pastDeployment is a deployment in a history, and what there was before it.
type pastDeployment struct {
	limitCase

	existedBefore []string // the IDs under which there was something
	ownIDsBefore  int      // how many own IDs the run had
}

// runHistory plays a history, and then the deletion of the stack. It stops at the first harm.
func (x *explorer) runHistory(t testing.TB, ops history, how playing) *historyResult {
	h := &historyRun{
		historyResult: &historyResult{playedHistory: playedHistory{History: ops}},
		c:             &x.c, o: x.o, learned: x.learned, how: how, service: x.c.New(t).counted(),
		others: map[string]othersThing{}, seen: map[string]any{}, besideStates: map[string]any{}, around: map[string]any{},
	}
	if how.learns {
		h.taught = newLearned(nil)
	}
	h.lookAround()
	if h.service.List != nil {
		h.there = slices.Clone(h.service.List())
	}
	if how.log != nil {
		how.log.SetOwner(h)
	}

	// The stack.
	var err error
	o := ops.stackOptions()
	o.Timeout, o.RealTime, o.Assume = x.c.Timeout, x.c.RealTime, x.o.Assume
	ctx := context.WithoutCancel(t.Context())
	h.stack, err = simulate.New(ctx, h.function(t), o)
	if err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	h.ctx = hook.WithSteps(ctx, func(context.Context) error { return nil }) // nothing goes wrong beside the stack
	// Without the Service's Before nothing can be the former program's.
	if ops.has(before) && h.service.Before == nil {
		h.record(unplayable, ops[0], "The Service has no Before: set it if the handler takes over things that another program made.")
		return h.result()
	}
	// From here on each call is looked at, and what the circumstances say holds.
	h.stack.OnReturn(h.lookAfter)
	for _, op := range ops {
		if begins := op.word().begins; begins != nil {
			begins(h.stack)
		}
	}

	if how.hears {
		h.printed = capture.Prints(func() { h.runOperations(t) })
	} else {
		h.runOperations(t)
	}
	return h.result()
}

// lookAfter looks at the service at the end of a call.
func (h *historyRun) lookAfter(c simulate.Returned) {
	if h.how.watch != nil {
		h.how.watch.returned(h, c)
	}
	if h.service.State != nil {
		h.lookAtStanding(c)
	}
}

// runOperations plays each operation until one does harm, and then the deletion of the stack.
func (h *historyRun) runOperations(t testing.TB) {
	for i, op := range h.History {
		if op.isCircumstance() {
			continue
		}
		if h.rest = h.History[i+1:]; len(h.rest) == 0 && h.how.watch != nil {
			h.how.watch.begins(h)
		}
		if plays := op.word().plays; plays != nil {
			h.Requests = nil
			plays(h, t, op)
		} else {
			h.Requests = h.runOperation(op)
		}
		h.over.Store(true)
		switch {
		case h.found != nil, h.Limit != "", h.gaveUp:
			return
		}
	}

	// What it led to, and the deletion.
	h.judgeEffects(h.History[len(h.History)-1])
	h.Reached = situationOf(h.stack, theResource, h.Version, h.remaining(), h.service.State)
	h.Reached.Before = h.History.has(before)
	h.rest = nil
	if h.Reached.Status != lifecycle.StackDeleteComplete && !h.learned.keeps[h.Version] {
		h.runOperation(operation{What: deletesStack})
	}
}

func (h *historyRun) result() *historyResult {
	h.judgeWritten()
	h.continues = h.stack.Continues()
	if h.how.watch != nil {
		h.how.watch.seen = h.stack.SeenIDs()
	}
	if h.how.tells {
		h.story = h.stack.Story()
	}
	return h.historyResult
}

// runOperation plays an operation and judges its result. If a fault makes a rollback or
// a deletion fail, it does what an operator would do. It returns the points of each
// request at which a fault can happen.
func (h *historyRun) runOperation(op operation) (requests []faultPoints) {
	h.prepare(op)
	settled, id := h.settled(), h.id

	// The operation, and what an operator does while the stack is stuck.
	err := op.word().asks(h, op)
	for tries := 0; ; tries++ {
		if err == nil {
			err = h.stack.Settle()
		}
		h.awaitNamesake(op)
		for _, v := range h.stack.TakeViolations() {
			h.record(harmOf(v), op, "%s", v.Text)
		}
		h.judgeStanding(op)
		if blocked, ok := errors.AsType[*simulate.BlockedError](err); ok {
			h.record(neverReturns, op, "%v", blocked)
		} else if err != nil {
			h.record(unplayable, op, "%v", err)
		}
		requests = append(requests, h.judgeRequests(op, len(requests))...)
		status := h.stack.Status()
		if h.found != nil || !h.isStuck(status) {
			break
		}
		if tries == 3 {
			h.record(stackStuck, op, "The stack is in %s.", status)
			break
		}
		if status == lifecycle.StackUpdateRollbackFailed {
			h.judgeExists(op)
			err = h.stack.ContinueRollback(nil)
		} else {
			err = h.stack.Destroy(nil)
		}
	}

	// The result.
	for _, f := range h.stack.TakeFaults() {
		h.record(unplayable, op, "No request met the fault %s: none was sent, or its method calls Step less often, or waits in no Poll.", f)
	}
	if h.found == nil && !h.gaveUp {
		h.noteBeside(op)
		h.judgeShared(op)
		h.judge(op)
		h.judgeOthersAfter(h.stack, op)
		h.judgeKept(op, settled, id)
		h.noteAnswers(op)
	}
	return requests
}

// prepare injects the faults of an operation, and notes what there is before it, by which its result is judged.
func (h *historyRun) prepare(op operation) {
	if op.Fault != nil {
		h.inject(fault.Fault{Kind: op.Fault.Kind, Skip: op.Fault.Request - 1, Step: op.Fault.Step})
	}
	if op.Variant == cancelled {
		h.inject(fault.Fault{Kind: fault.CancelWhileRunning})
	}
	h.existedBefore = h.remaining()
	h.stand(op)
	h.rewrite(op)
}

// played returns the history as far as the present operation: what comes later is no cause of anything.
func (h *historyRun) played() history { return h.History[:len(h.History)-len(h.rest)] }

// isStuck reports whether an operator has to go on with the stack. It may stay as it is if a request may fail, as a Delete may
// of what holds others' things.
func (h *historyRun) isStuck(status lifecycle.StackStatus) bool {
	switch {
	case h.gone, h.gaveUp, h.isForeign():
		return false
	case status == lifecycle.StackDeleteFailed:
		return h.used == ""
	}
	return stuck(status)
}

// isFine reports whether a history was played that did no harm, and in which nothing was refused.
func (r *historyResult) isFine() bool { return r.found == nil && r.refusal == nil }

// does reports whether a history did a harm.
func (r *historyResult) does(what harm) bool { return r.found.is(what) }
