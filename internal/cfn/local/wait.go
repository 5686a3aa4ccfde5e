package local

import (
	"context"
	"errors"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

type lateAnswer struct {
	requestID string
	body      []byte
}

// wait waits until the stack is at rest. When nothing is running that could
// answer, it skips to the time at which CloudFormation stops waiting.
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
		case <-r.deliveryEnded:
			err = r.skip()
		case command := <-r.commands:
			err = r.execute(command)
		}
		if err != nil {
			cancel(err)
			<-rest //nolint:errcheck // err has ended it
			return err
		}
	}
}

// skip skips time if nobody will answer: no delivery is running, none has started
// since, and every answer that has arrived is processed.
func (r *run) skip() error {
	for {
		sent, stuck := r.sent.Load(), r.inFlight.Load() == 0
		skips := ""
		took, err := r.live.Skip(func(m *engine.Machine, wait time.Duration) bool {
			stuck = stuck && r.sent.Load() == sent && len(m.Pending()) > 0
			skips = ""
			if stuck {
				skips = skipped(m, wait)
			}
			return stuck
		})
		if skips != "" {
			r.watcher.note(page.Note{Kind: page.Skip, Skipped: took, Text: skips}, skips)
		}
		r.skipped.Add(int64(took))
		if err != nil || !stuck {
			return errors.Join(err, r.deliverLateAnswers())
		}
	}
}

// skipped describes the wait that is skipped.
func skipped(m *engine.Machine, wait time.Duration) string {
	why := "nobody will answer: "
	at, _ := m.Deadline()
	for _, q := range m.Pending() {
		if q.Waits() && !q.NextCall.After(at) {
			why = "the handler of " + q.LogicalID + " is to be called again: "
		}
	}
	return why + wait.Round(time.Second).String() + " of waiting are skipped; the times below count them"
}

// drain waits for the handlers that are still running. Their answers come too
// late, but what they did is not undone.
func (r *run) drain(ctx context.Context) error {
	over := make(chan struct{})
	go func() { r.deliveries.Wait(); close(over) }()
	select {
	case <-over:
	case <-ctx.Done(): // killed; the stack is at rest
	}
	return r.deliverLateAnswers()
}

// deliverLateAnswers delivers the answers that the fault "late" held back.
func (r *run) deliverLateAnswers() error {
	r.mu.Lock()
	late := r.lateAnswers
	r.lateAnswers = nil
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
			r.lateAnswers = append(r.lateAnswers, late[i])
			r.mu.Unlock()
		default:
			if _, err := r.live.Answer(k.requestID, k.body); err != nil {
				return err
			}
			r.watcher.note(page.Note{Kind: page.Late, Request: k.requestID}, "the late answer has come, and nobody waits for it any more")
		}
	}
	return nil
}

// clockOf returns a clock that starts at the stack's latest event if that is ahead
// of the present, because skipped time counts as passed. An interrupted operation
// continues at its latest event, however long ago that was.
func clockOf(s *engine.Stack) func() time.Time {
	began := time.Now()
	from := began
	if latest := s.Latest(); len(s.Events) > 0 && (latest.After(from) || !s.AtRest()) {
		from = latest
	}
	return func() time.Time { return from.Add(time.Since(began)) }
}
