package local

import (
	"context"
	"errors"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

type kept struct {
	requestID string
	body      []byte
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
			err = r.perform(word)
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

// skipped says what is waited for that is skipped.
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

// drain lets the handlers that still run come to their end. Their answers come
// too late, and what they did is done.
func (r *run) drain(ctx context.Context) error {
	over := make(chan struct{})
	go func() { r.under.Wait(); close(over) }()
	select {
	case <-over:
	case <-ctx.Done(): // killed; the stack is at rest
	}
	return r.deliverLateAnswers()
}

// deliverLateAnswers has the answers come that were kept back.
func (r *run) deliverLateAnswers() error {
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
			r.watcher.note(page.Note{Kind: page.Late, Request: k.requestID}, "the late answer has come, and nobody waits for it any more")
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
