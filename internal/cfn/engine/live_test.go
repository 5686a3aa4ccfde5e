package engine_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
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

// What DescribeStacks and DescribeStackResource show goes by the stack's readings: at
// once, late, or not at all.
func TestShownAsTheReadingsSay(t *testing.T) {
	start := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		options engine.Options
		after   time.Duration // the request for the creation was sent
		want    string
	}{
		"at once":              {engine.Options{}, 0, "CREATE_IN_PROGRESS"},
		"late":                 {engine.Options{StatusLag: 2 * time.Second}, time.Second, ""},
		"late, and it is over": {engine.Options{StatusLag: 2 * time.Second}, 2 * time.Second, "CREATE_IN_PROGRESS"},
		"refused":              {engine.Options{StatusRefused: true}, 0, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			now := start
			live := engine.NewLive(engine.New("shop", tt.options))
			live.Now, live.Send = func() time.Time { return now }, func(*engine.Request) {}
			d := engine.Deployment{Template: mustTemplate(t, "R Custom::Thing")}
			if err := live.Do(func(m *engine.Machine, at time.Time) error { return m.Create(at, d) }); err != nil {
				t.Fatal(err)
			}
			now = start.Add(tt.after)
			got := ""
			if err := live.Shown(func(s *engine.Stack) { got = s.Status }); errors.Is(err, engine.ErrNotShown) {
				got = "refused"
			}
			if got != tt.want {
				t.Errorf("%s after, it shows %q, want %q", tt.after, got, tt.want)
			}
		})
	}
}

// In a cleanup what replaces is shown, or what is deleted.
func TestShownInACleanup(t *testing.T) {
	for showsLeaving, want := range map[bool]string{false: "new", true: "old"} {
		s := &engine.Stack{
			Options:   engine.Options{ShowsLeaving: showsLeaving},
			Resources: []*engine.StackResource{{LogicalID: "R", PhysicalID: "new"}, {LogicalID: "Other", PhysicalID: "other"}},
			Leaving:   []*engine.StackResource{{LogicalID: "R", PhysicalID: "old"}},
		}
		live := engine.NewLive(engine.Resume(s, nil))
		if err := live.Shown(func(s *engine.Stack) {
			if got := s.Resources[0].PhysicalID; got != want || s.Resources[1].PhysicalID != "other" {
				t.Errorf("ShowsLeaving %t: it shows %s and %s", showsLeaving, got, s.Resources[1].PhysicalID)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if s.Resources[0].PhysicalID != "new" {
			t.Error("to look at the stack changes it")
		}
	}
}

func mustTemplate(t testing.TB, text string) *engine.Template {
	t.Helper()
	template, err := enginetest.ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return template.Engine()
}

// withoutToken leaves the ServiceToken out of properties if it is that of the tests, to
// make expectations readable.
func withoutToken(p engine.Properties) string {
	quoted := `"ServiceToken":"` + enginetest.Token + `"`
	b := []byte(p)
	for _, form := range []string{quoted + ",", "," + quoted, quoted} {
		if i := bytes.Index(b, []byte(form)); i >= 0 {
			return string(b[:i]) + string(b[i+len(form):])
		}
	}
	return string(b)
}
