package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/bucket"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/query"
	"github.com/cfnresource/sdk-go/internal/cfn/store"
)

// A Watcher is told what happens. Its methods are called one at a time.
type Watcher interface {
	// Event is a new row of the stack's events, or of a nested stack's.
	Event(e engine.Row)
	// Note is what happens beside the rows: a fault, a wait that is skipped, a
	// process that died.
	Note(text string)
	// Log is a line that a handler wrote.
	Log(function, line string)
}

// A run is one operation on a stack, in this process.
type run struct {
	home    *Home
	record  *Record
	lock    *store.Lock
	watcher *watched
	faults  *Faults
	check   func(*Checked, error) error // of a deployment, before anything starts; nil is none

	live   *engine.Live
	bucket *bucket.Bucket
	host   *lambda
	clock  func() time.Time

	ctx   context.Context // of the deliveries
	under sync.WaitGroup  // deliveries
	count atomic.Int64    // of them
	sent  atomic.Int64    // of all that there were
	ended chan struct{}   // a delivery has
	asked chan string     // from another process

	// Steps of live have these.
	secrets []string                  // what the watcher is not to see
	rows    map[string][]engine.Event // that it knows, as it sees them, by the stack's ID

	mu      sync.Mutex
	fates   map[string]fate // by RequestId
	tooLate []kept          // answers that are to come too late

	building sync.Mutex // one program at a time
}

// A fate is what goes wrong with a request, and what it is about.
type fate struct {
	name   string
	faults []string
}

type kept struct {
	requestID string
	body      []byte
}

// play has start put the stack in motion, and returns when it is at rest. If
// ctx ends before, the stack stays in motion and the error is ctx's.
func (r *run) play(ctx context.Context, start func(m *engine.Machine, now time.Time) error) (err error) {
	m, err := r.record.machine()
	if err != nil {
		return err
	}
	r.clock = clockOf(r.record.Stack)
	r.secrets = r.record.Secrets()
	r.rows = map[string][]engine.Event{}
	r.fresh(r.record.Stack)
	r.ended = make(chan struct{}, 1)
	r.fates = map[string]fate{}
	var stop context.CancelFunc
	r.ctx, stop = context.WithCancel(context.WithoutCancel(ctx))
	if r.bucket, err = bucket.Start(bucket.Config{Region: r.record.Stack.Options.Region, Delivered: r.delivered, Refused: r.refused}); err != nil {
		stop()
		return err
	}
	r.live = engine.NewLive(m)
	r.live.Now, r.live.Save, r.live.Send = r.clock, r.saved, r.send
	api, err := query.Start("127.0.0.1:0", served{newRecords(r.home), r})
	if err != nil {
		stop()
		return errors.Join(err, r.bucket.Close())
	}
	r.host = newLambda(r.ctx, host.Config{ResponseHosts: []string{r.bucket.Origin()}, CloudFormation: api.Origin(),
		Deploy: r.deployed, Faults: r.faultsOfLink}, r.watcher)
	m.KeepExports = func(s *engine.Stack, outputs []engine.StackOutput) error {
		return r.home.keepExports(r.record, s, outputs)
	}
	defer func() {
		stop() // what still runs is killed
		r.under.Wait()
		r.host.Close()
		err = errors.Join(err, r.bucket.Close(), api.Close())
		if unkept := r.live.Flush(); err == nil {
			err = unkept
		}
	}()
	if err := r.live.Do(func(m *engine.Machine, now time.Time) error {
		unanswered := m.Pending() // of an operation that was interrupted
		err := start(m, now)
		for _, q := range unanswered {
			if q.Outcome == engine.Pending {
				r.send(q)
			}
		}
		return err
	}); err != nil {
		return err
	}
	if err := r.wait(ctx); err != nil {
		return err
	}
	return r.drain(ctx)
}

// saved is Live.Save: the watcher learns of rows once they are kept.
func (r *run) saved(s *engine.Stack, p *engine.Patch) error {
	r.record.tidy()
	keep := func() error { return r.lock.Append(p) }
	if p == nil {
		keep = func() error { return r.lock.Save(r.record) }
	}
	if err := keep(); err != nil {
		return err
	}
	if p == nil {
		r.secrets = r.record.Secrets()
	} else {
		r.learn(s, p)
		r.secrets = distinct(r.secrets)
	}
	for _, row := range r.fresh(s) {
		r.watcher.Event(row)
	}
	return nil
}

// fresh returns the rows that the watcher does not know, and takes them for known.
func (r *run) fresh(s *engine.Stack) []engine.Row {
	rows := s.Rows(func(one *engine.Stack) int { return len(r.rows[one.ID]) })
	for i := range rows {
		rows[i].Event = HideEvent(rows[i].Event, r.secrets)
		r.rows[rows[i].StackId] = append(r.rows[rows[i].StackId], rows[i].Event)
	}
	return rows
}

// learn notes what is not to be shown of what has just been kept.
func (r *run) learn(s *engine.Stack, p *engine.Patch) {
	_, plans := r.record.secretParameters(s)
	for _, q := range p.Requests {
		r.secrets = append(r.secrets, secretsOf(q, plans)...)
	}
	for _, res := range p.Resources {
		r.secrets = append(r.secrets, secretProperties(res.LogicalID, plans, res.Properties, res.Old)...)
	}
	for i, change := range p.Nested {
		if change.Patch != nil {
			r.learn(s.Nested[i], change.Patch)
			continue
		}
		for _, nested := range s.Nested[i].All() {
			r.secrets = append(r.secrets, r.record.secretsIn(nested)...)
		}
	}
}

// wait waits until the stack is at rest. When nothing runs that could answer,
// it goes forward to where CloudFormation stops waiting.
func (r *run) wait(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rest := make(chan error, 1)
	go func() { rest <- r.live.Wait(ctx) }()
	for {
		var err error
		select {
		case err := <-rest:
			return err
		case <-r.ended:
			err = r.skip()
		case word := <-r.asked:
			err = r.obey(word)
		}
		if err != nil {
			cancel(err)
			<-rest //nolint:errcheck // err has ended it
			return err
		}
	}
}

// skip goes on where nobody will answer: no request is on its way, none was sent
// since that was so, and the answers that have come were acted on.
func (r *run) skip() error {
	for {
		sent, stuck := r.sent.Load(), r.count.Load() == 0
		_, err := r.live.Skip(func(m *engine.Machine, wait time.Duration) bool {
			stuck = stuck && r.sent.Load() == sent && len(m.Pending()) > 0
			if stuck {
				r.watcher.Note("nobody will answer: " + wait.Round(time.Second).String() + " of waiting are skipped, and told as if they had passed")
			}
			return stuck
		})
		if err != nil || !stuck {
			return errors.Join(err, r.comeTooLate())
		}
	}
}

// drain lets the handlers that still run come to their end. Their answers come
// too late, and what they did is done.
func (r *run) drain(ctx context.Context) error {
	over := make(chan struct{})
	go func() { r.under.Wait(); close(over) }()
	select {
	case <-over:
	case <-ctx.Done(): // killed; the stack is at rest
	}
	return r.comeTooLate()
}

// comeTooLate has the answers come that were kept back.
func (r *run) comeTooLate() error {
	r.mu.Lock()
	late := r.tooLate
	r.tooLate = nil
	r.mu.Unlock()
	for i, k := range late {
		pending := false
		err := r.live.Do(func(m *engine.Machine, _ time.Time) error {
			for _, q := range m.Pending() {
				pending = pending || q.RequestID == k.requestID
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case pending: // not late yet
			r.mu.Lock()
			r.tooLate = append(r.tooLate, late[i])
			r.mu.Unlock()
		default:
			if _, err := r.live.Answer(k.requestID, k.body); err != nil {
				return err
			}
			r.watcher.Note("the late answer has come, and nobody waits for it any more")
		}
	}
	return nil
}

// clockOf goes on from the stack's latest row if that is ahead: time that was
// skipped has passed. What is in motion goes on from where it was left, however
// long ago that is: the machine slept.
func clockOf(s *engine.Stack) func() time.Time {
	began := time.Now()
	from := began
	if latest := s.Latest(); len(s.Events) > 0 && (latest.After(from) || !s.AtRest()) {
		from = latest
	}
	return func() time.Time { return from.Add(time.Since(began)) }
}

// A watched calls a Watcher, one call at a time, if there is one.
type watched struct {
	mu  sync.Mutex
	to  Watcher
	log io.Writer // all that is logged
}

func (w *watched) Event(e engine.Row) { w.tell(func() { w.to.Event(e) }) }
func (w *watched) Note(text string)   { w.tell(func() { w.to.Note(text) }) }
func (w *watched) Log(function, line string) {
	line = hideSignature(line)
	w.mu.Lock()
	if w.log != nil {
		_, _ = fmt.Fprintln(w.log, function+" | "+line) // a full disk is noticed where the stack is saved
	}
	w.mu.Unlock()
	w.tell(func() { w.to.Log(function, line) })
}

func (w *watched) tell(call func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		call()
	}
}
