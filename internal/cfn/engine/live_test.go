package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// TestLive: answers from other goroutines, time that passes, time that is
// skipped, and each step saved before its requests are sent.
func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Answers take minutes, but Silent never answers.
		var saved int // requests in the stack that was saved last
		sent := 0
		asked := make(chan struct{}) // Silent is, for its creation
		l := engine.NewLive(engine.New("shop", engine.Options{}))
		l.Save = func(s *engine.Stack, _ *engine.Patch) error {
			saved = len(s.Requests)
			return nil
		}
		l.Send = func(r *engine.Request) {
			if sent++; sent > saved {
				t.Errorf("request %d was sent before it was saved", sent)
			}
			if r.LogicalID == "Silent" {
				if r.RequestType == "Create" {
					close(asked)
				}
				return
			}
			time.AfterFunc(time.Duration(sent)*time.Minute, func() {
				if waited, err := l.Answer(r.RequestID, succeed(r)); err != nil || !waited {
					t.Errorf("%s of %s: %t, %v", r.RequestType, r.LogicalID, waited, err)
				}
			})
		}
		// The time until Silent is given up is skipped, twice.
		template := mustTemplate(t, "A Custom::Thing\nB Custom::Thing {} DependsOn=A\nSilent Custom::Thing {\"ServiceTimeout\": 600} DependsOn=B")
		if err := l.Do(func(m *engine.Machine, now time.Time) error {
			return m.Create(now, engine.Deployment{Template: template})
		}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		done := make(chan error)
		go func() { done <- l.Wait(t.Context()) }()
		<-asked
		synctest.Wait()
		if skipped, err := l.Skip(nil); err != nil || skipped != 10*time.Minute {
			t.Errorf("skipped %v, %v; want Silent's ten minutes", skipped, err)
		}
		if _, err := l.Skip(nil); err != nil { // its Delete, too
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if s := l.Machine().Stack(); s.Status != "ROLLBACK_FAILED" || time.Since(began) > 20*time.Minute {
			t.Errorf("%s after %v", s.Status, time.Since(began))
		}
	})
}

// TestLiveSaveFails: what could not be saved is not sent, and nothing goes on.
func TestLiveSaveFails(t *testing.T) {
	broken := errors.New("the disk is full")
	l := engine.NewLive(engine.New("shop", engine.Options{}))
	l.Save = func(*engine.Stack, *engine.Patch) error { return broken }
	l.Send = func(*engine.Request) { t.Error("sent") }
	template := mustTemplate(t, "A Custom::Thing")
	if err := l.Do(func(m *engine.Machine, now time.Time) error {
		return m.Create(now, engine.Deployment{Template: template})
	}); !errors.Is(err, broken) {
		t.Errorf("Do: %v", err)
	}
	if _, err := l.Answer("x", nil); !errors.Is(err, broken) {
		t.Errorf("Answer: %v", err)
	}
	if err := l.Wait(t.Context()); !errors.Is(err, broken) {
		t.Errorf("Wait: %v", err)
	}
}

// TestLiveTakesAnswersTogether: answers that come while a step is done are acted
// on as one, with one save, and before whatever is done after them.
func TestLiveTakesAnswersTogether(t *testing.T) {
	saves, waited := 0, 0
	l := engine.NewLive(engine.New("shop", engine.Options{}))
	l.Save = func(*engine.Stack, *engine.Patch) error { saves++; return nil }
	l.Send = func(r *engine.Request) {
		l.Queue(r.RequestID, succeed(r), func(waitedFor bool) {
			if waitedFor {
				waited++
			}
		})
	}
	template := mustTemplate(t, "A Custom::Thing\nB Custom::Thing\nC Custom::Thing\nD Custom::Thing")
	if err := l.Do(func(m *engine.Machine, now time.Time) error {
		return m.Create(now, engine.Deployment{Template: template})
	}); err != nil {
		t.Fatal(err)
	}
	var status string
	if err := l.Do(func(m *engine.Machine, _ time.Time) error { status = m.Stack().Status; return nil }); err != nil {
		t.Fatal(err)
	}
	if status != "CREATE_COMPLETE" || waited != 4 {
		t.Errorf("after the queued answers the stack is in %s, and %d were waited for", status, waited)
	}
	if saves != 3 { // the creation, the answers, the step after them
		t.Errorf("%d saves", saves)
	}
}

// TestLiveWaits: a handler that never answers is waited for as long as CloudFormation
// waits, unless the context ends before.
func TestLiveWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := engine.NewLive(engine.New("shop", engine.Options{}))
		l.Send = func(*engine.Request) {}
		began := time.Now()
		if err := l.Do(func(m *engine.Machine, now time.Time) error {
			return m.Create(now, engine.Deployment{Template: mustTemplate(t, `R Custom::Thing`)})
		}); err != nil {
			t.Fatal(err)
		}
		if err := l.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 2*time.Hour {
			t.Errorf("a handler that never answers took %v, want an hour for the Create and one for the Delete", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if err := l.Do(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) }); err != nil {
			t.Fatal(err)
		}
		if err := l.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait ended with %v, want the context's cause", err)
		}
	})
}
