package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/bucket"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An operation is one action on a stack, carried out in this process.
type operation struct {
	home         *Home
	record       *record.Record
	lock         *store.Lock
	watcher      *serialWatcher
	instructions chan instruction // from other processes
	settings     Settings

	change   Change   // if there is one
	reviewer Reviewer // of the change; may be nil

	services  []*Service   // for the handlers
	serving   []string     // the other stacks that have one of them, or one that serves already
	late      unwinding    // of those that were started while the stack ran
	building  sync.Mutex   // one program at a time
	announced []record.Run // of functions of other stacks

	// What plays the stack.
	live   *engine.Live
	bucket *bucket.Bucket
	host   *lambda
	clock  clock

	sent   sentRequests
	faults injector
	shown  shownRows
}

// A step is an input to a stack's machine.
type step = func(m *engine.Machine, now time.Time) error

// newOperation returns an operation on a stack's record.
func newOperation(h *Home, r *record.Record, lock *store.Lock, s Settings) *operation {
	return &operation{
		home: h, record: r, lock: lock, watcher: &serialWatcher{to: s.Watcher}, instructions: make(chan instruction), settings: s,
		faults: injector{chosen: s.Faults},
	}
}

func (o *operation) name() string { return o.record.Stack.Name }

// operate locks a stack, carries out one operation on it, and returns the stack with
// its secrets hidden. prepare returns the operation's first step; it may replace the
// record. moving allows a stack whose last operation was interrupted.
func (h *Home) operate(ctx context.Context, name string, s Settings, moving bool, prepare func(*operation) (step, error)) (_ *engine.Stack, err error) {
	// Only one operation at a time can run on a stack.
	lock, err := h.store.Lock(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if !moving {
		h.dropInstruction(name)
	}
	kept, err := h.Stack(name)
	if errors.Is(err, ErrNoStack) {
		kept, err = record.New(name, s.Options, nil), nil
	}
	if err != nil {
		return nil, err
	}
	if allowed := moving || kept.Stack.AtRest(); !allowed {
		return kept.Stack, movingError(kept.Stack)
	}

	// Start what the operation needs. The end of this function stops it.
	o := newOperation(h, kept, lock, s)
	first, err := prepare(o)
	if err != nil {
		return kept.Stack, err
	}
	if err := o.tryFirstStep(first); err != nil {
		return kept.Stack, err
	}
	var started unwinding
	defer func() { err = errors.Join(err, started.run()) }()
	if err := o.start(ctx, &started); err != nil {
		return kept.Stack, err
	}

	// A command that cannot run is found out before a handler is called, and not at the end.
	if s.List != nil {
		if err := s.List.try(ctx, cmp.Or(o.record.Next, o.record.Current()), o.watcher.Note); err != nil {
			return kept.Stack, errors.Join(err, h.removeOldBuilds(o.record))
		}
	}

	// Carry it out, and list the service's resources while the service still runs.
	err = o.play(ctx, first)
	isAtRest := err == nil || errors.Is(err, engine.ErrNoUpdate)
	if s.List != nil && isAtRest {
		s.List.ask(ctx, h, o.record.Current())
		if !s.List.Unaccounted() {
			err = cmp.Or(o.settle(s.List.Kept), err)
		}
	}
	_ = h.removeOldBuilds(o.record) // they only take room
	return o.record.Shown(), err
}

func movingError(s *engine.Stack) error {
	return fmt.Errorf("%w: the stack %s is in %s", ErrMoving, s.Name, s.Status)
}

// existing calls operate for a stack that must exist.
func (h *Home) existing(ctx context.Context, name string, s Settings, moving bool, first step) (*engine.Stack, error) {
	return h.operate(ctx, name, s, moving, func(o *operation) (step, error) { return o.onExisting(s.Override, first) })
}

// onExisting returns a first step for a stack that must exist. It overrides values of the stack's deployments.
func (o *operation) onExisting(override record.Override, first step) (step, error) {
	if o.record.Stack.Status == "" {
		return nil, fmt.Errorf("%w: %s", ErrNoStack, o.name())
	}
	former := o.record.Revisions
	all, err := override.ApplyToCopies(former)
	if err != nil {
		return nil, err
	}
	o.record.Revisions = all
	return func(m *engine.Machine, now time.Time) error {
		err := first(m, now)
		if err != nil {
			o.record.Revisions = former // the operation is refused, and changes nothing
		}
		return err
	}, nil
}

// tryFirstStep takes the operation's first step with a copy of the stack, so that what CloudFormation refuses starts nothing.
func (o *operation) tryFirstStep(first step) error {
	stack, err := o.record.Stack.Clone()
	if err != nil {
		return err
	}
	trial := &record.Record{Stack: stack, Revisions: o.record.Revisions, Next: o.record.Next}
	m, err := trial.Machine()
	if err != nil {
		return err
	}
	err = first(m, time.Now())
	if refused, is := errors.AsType[*engine.ValidationError](err); is && refused.Kind == engine.ErrNoUpdate {
		return nil // the programs say whether there is something to update, and are not built yet
	}
	return err
}

// An unwinding stops what was started, in reverse order.
type unwinding []func() error

func (u *unwinding) add(undo func() error) { *u = append(*u, undo) }

func (u *unwinding) run() error {
	var errs []error
	for _, undo := range slices.Backward(*u) {
		errs = append(errs, undo())
	}
	*u = nil
	return errors.Join(errs...)
}

// play has first begin the operation, and returns when the stack is at rest. If ctx
// ends first, play returns its error, and Resume can continue the operation.
func (o *operation) play(ctx context.Context, first step) (err error) {
	var started unwinding
	defer func() {
		err = errors.Join(err, started.run(), o.late.run())
		if o.live == nil {
			return
		}
		if unkept := o.live.Flush(); err == nil {
			err = unkept
		}
	}()
	// Start the stand-ins for AWS, and watch the services.
	if err := o.startAWS(ctx, &started); err != nil {
		return err
	}
	formerlyEnded := o.record.ServiceEnded
	o.record.ServiceEnded = false
	for _, service := range o.services {
		if err := service.Failed(); err != nil {
			return err
		}
		o.watchService(service, &started)
	}
	// Carry out the operation until the stack is at rest.
	if err := o.takeFirstStep(first, formerlyEnded); err != nil {
		return err
	}
	if err := o.wait(ctx); err != nil {
		return err
	}
	return o.drain(ctx)
}

// startAWS starts the stand-ins for AWS: the engine, the response bucket,
// CloudFormation's API and Lambda.
func (o *operation) startAWS(ctx context.Context, started *unwinding) error {
	// The engine continues from the record.
	m, err := o.record.Machine()
	if err != nil {
		return err
	}
	m.KeepExports = func(s *engine.Stack, outputs []engine.StackOutput) error {
		return o.home.keepExports(o.record, s, outputs)
	}
	o.clock.start(o.record.Stack)
	o.watcher.now = o.clock.ahead
	o.shown.begin(o.record)

	// The response bucket is there before the first request, and the API before the first function.
	o.bucket, err = bucket.Start(bucket.Config{Region: o.record.Stack.Options.Region, Stored: o.answered, Refused: o.answerRefused})
	if err != nil {
		return err
	}
	started.add(o.bucket.Close)
	live := engine.NewLive(m)
	live.Now, live.Save, live.Send = o.clock.now, o.save, o.send
	o.live = live
	server, err := api.Start("127.0.0.1:0", stackReader{o.home, o}, nil, nil)
	if err != nil {
		return err
	}
	started.add(server.Close)
	o.sent.begin(ctx)
	o.host = newLambda(o.sent.ctx, host.Config{ResponseHost: o.bucket.Origin(), CloudFormation: server.Origin(),
		BeforeInvoke: o.provideInvoked, Deleted: o.isDeleted, Faults: o.faultsOfLink, ExactTimeouts: o.settings.ExactTimeouts, InitTimeout: o.settings.InitTimeout}, o.watcher)
	o.host.struck = o.struckByLambda
	started.add(func() error { o.sent.end(); o.host.Close(); return nil })
	return nil
}

// takeFirstStep takes the operation's first step. The requests of an operation that was interrupted are sent again, unless that
// step gives them up, or is refused. serviceEnded is what the record says of the operation before.
func (o *operation) takeFirstStep(first step, serviceEnded bool) error {
	err := o.live.Do(func(m *engine.Machine, now time.Time) error {
		unanswered := m.Pending()
		err := first(m, now)
		if refused, ok := errors.AsType[*engine.ValidationError](err); ok {
			err = o.adopt(refused)
		}
		if err != nil {
			o.record.Next = nil // the operation is refused, and changes nothing
			o.record.ServiceEnded = o.record.ServiceEnded || serviceEnded
			return err
		}
		for _, q := range m.Redeliver(unanswered) {
			name := o.record.StackOf(q.StackID).PathOf(q.LogicalID)
			o.watcher.NoteOf(q.RequestID, "the "+q.RequestType+" of "+name+" is sent again, since it was interrupted")
		}
		return nil
	})
	if err == nil { // only now is it saved
		o.settings.acceptance.give(o.record.Stack.ID)
	}
	return err
}
