package local

import (
	"context"
	"sync"
	"sync/atomic"
)

// deliveries are the requests of an operation that are on their way.
type deliveries struct {
	ctx     context.Context
	cancel  context.CancelFunc
	group   sync.WaitGroup
	running atomic.Int64
	begun   atomic.Int64  // that ever were
	ended   chan struct{} // signals that one has ended
}

// begin allows deliveries. The end of ctx does not end them.
func (d *deliveries) begin(ctx context.Context) {
	d.ctx, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
	d.ended = make(chan struct{}, 1)
}

// start starts one.
func (d *deliveries) start(deliver func(ctx context.Context)) {
	d.begun.Add(1)
	d.running.Add(1)
	d.group.Go(func() {
		deliver(d.ctx)
		d.running.Add(-1)
		select {
		case d.ended <- struct{}{}:
		default:
		}
	})
}

// end kills what still runs.
func (d *deliveries) end() {
	d.cancel()
	d.group.Wait()
}
