package local

import (
	"context"
	"errors"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/bucket"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// play has first begin the operation, and returns when the stack is at rest. If ctx
// ends first, play returns its error, and Resume can continue the operation.
func (o *operation) play(ctx context.Context, first step) (err error) {
	var started unwinding
	defer func() {
		err = errors.Join(err, started.run())
		if o.live == nil {
			return
		}
		if unkept := o.live.Flush(); err == nil {
			err = unkept
		}
	}()
	if err := o.startAWS(ctx, &started); err != nil {
		return err
	}
	if o.before != nil {
		if err := o.before(ctx); err != nil {
			return err
		}
	}
	if o.service != nil {
		if err := o.service.Failed(); err != nil {
			return err
		}
		o.watchService(&started)
	}
	if err := o.begin(first); err != nil {
		return err
	}
	if err := o.wait(ctx); err != nil {
		return err
	}
	return o.drain(ctx)
}

// startAWS starts what stands for AWS: the engine, the response bucket,
// CloudFormation's API and Lambda.
func (o *operation) startAWS(ctx context.Context, started *unwinding) error {
	// The engine continues from what was kept.
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
	o.bucket, err = bucket.Start(bucket.Config{Region: o.record.Stack.Options.Region, Delivered: o.delivered, Refused: o.refused})
	if err != nil {
		return err
	}
	started.add(o.bucket.Close)
	live := engine.NewLive(m)
	live.Now, live.Save, live.Send = o.clock.now, o.save, o.send
	o.live = live
	server, err := api.Start("127.0.0.1:0", stackReader{newRecordCache(o.home), o}, nil, nil)
	if err != nil {
		return err
	}
	started.add(server.Close)
	o.deliveries.begin(ctx)
	o.host = newLambda(o.deliveries.ctx, host.Config{ResponseHosts: []string{o.bucket.Origin()}, CloudFormation: server.Origin(),
		Deploy: o.deployed, Faults: o.faultsOfLink, ExactTimeouts: o.settings.ExactTimeouts}, o.watcher)
	o.host.struck = o.struckByLambda
	started.add(func() error { o.deliveries.end(); o.host.Close(); return nil })
	return nil
}

// begin takes the operation's first step. The requests of an operation that was
// interrupted are sent again.
func (o *operation) begin(first step) error {
	err := o.live.Do(func(m *engine.Machine, now time.Time) error {
		unanswered := m.Pending()
		err := first(m, now)
		if refused, ok := errors.AsType[*engine.ValidationError](err); ok {
			err = refusal(o.record, refused)
		}
		if err != nil {
			o.record.Next = nil // it is refused, and nothing of it is kept
		}
		for _, q := range unanswered {
			if q.Outcome == engine.Pending && !q.Waits() {
				o.send(q)
			}
		}
		return err
	})
	if err == nil && o.settings.began != nil { // only now is it kept
		o.settings.began(o.record.Stack.ID)
	}
	return err
}
