package local

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/bucket"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/query"
	"github.com/cfnresource/sdk-go/internal/cfn/store"
)

// A run is one operation on a stack, in this process.
type run struct {
	home    *Home
	record  *Record
	lock    *store.Lock
	watcher *serialWatcher
	faults  *Faults
	check   func(*Checked, error) error // of a deployment, before anything starts; nil is none
	before  func(context.Context) error // called once functions can be called, before anything starts; may be nil
	ready   func() error                // called right before anything starts; its error prevents that; may be nil
	started atomic.Bool                 // something has started

	live   *engine.Live
	bucket *bucket.Bucket
	host   *lambda
	clock  func() time.Time

	skipped atomic.Int64 // of the clock, in nanoseconds

	ctx           context.Context // of the deliveries
	deliveries    sync.WaitGroup  // running
	inFlight      atomic.Int64    // deliveries running
	sent          atomic.Int64    // deliveries ever started
	deliveryEnded chan struct{}   // signals that a delivery has ended
	commands      chan string     // from another process

	// Steps of live have these.
	secrets []string                  // hidden from the watcher
	rows    map[string][]engine.Event // that the watcher has seen, secrets hidden, by the stack's ID

	mu          sync.Mutex
	injected    map[string]requestFaults // by RequestId
	lateAnswers []lateAnswer             // answers held back until nobody waits for them

	buildMu sync.Mutex // one program at a time
	reads   int        // resources read so far
}

// A requestFaults holds the faults injected into a request and the name of its
// resource.
type requestFaults struct {
	name   string
	faults []string
}

// play has start begin the operation, and returns when the stack is at rest. If ctx
// ends first, play returns its error, and Resume can continue the operation.
func (r *run) play(ctx context.Context, start func(m *engine.Machine, now time.Time) error) (err error) {
	m, err := r.record.machine()
	if err != nil {
		return err
	}
	r.clock = clockOf(r.record.Stack)
	r.watcher.now = func() time.Time { return r.clock().Add(time.Duration(r.skipped.Load())) }
	r.secrets = r.record.Secrets()
	r.rows = map[string][]engine.Event{}
	r.newRows(r.record.Stack)
	r.deliveryEnded = make(chan struct{}, 1)
	r.injected = map[string]requestFaults{}
	var stop context.CancelFunc
	r.ctx, stop = context.WithCancel(context.WithoutCancel(ctx))
	if r.bucket, err = bucket.Start(bucket.Config{Region: r.record.Stack.Options.Region, Delivered: r.delivered, Refused: r.refused}); err != nil {
		stop()
		return err
	}
	r.live = engine.NewLive(m)
	r.live.Now, r.live.Save, r.live.Send = r.clock, r.saved, r.send
	api, err := query.Start("127.0.0.1:0", served{newRecords(r.home), r}, nil)
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
		r.deliveries.Wait()
		r.host.Close()
		err = errors.Join(err, r.bucket.Close(), api.Close())
		if unkept := r.live.Flush(); err == nil {
			err = unkept
		}
	}()
	if r.before != nil {
		if err := r.before(ctx); err != nil {
			return err
		}
	}
	if r.ready != nil {
		if err := r.ready(); err != nil {
			return err
		}
	}
	r.started.Store(true)
	if err := r.live.Do(func(m *engine.Machine, now time.Time) error {
		unanswered := m.Pending() // of an operation that was interrupted
		err := start(m, now)
		if refused, ok := errors.AsType[*engine.ValidationError](err); ok {
			err = r.record.refused(refused)
		}
		if err != nil {
			r.record.Next = nil // it is refused, and nothing of it is kept
		}
		for _, q := range unanswered {
			if q.Outcome == engine.Pending && !q.Waits() {
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
