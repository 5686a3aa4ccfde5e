package cfnresource_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A lambda runs a function: each invocation in a process of its own unless one is
// warm, and what Continue sends right after it. It gives up long after Lambda would
// have ended the chain, and tries again what fails, once.
type lambda struct {
	t         *testing.T
	handler   func() any              // of an invocation
	warm      *cfnresource.Dispatcher // in whose process all invocations run, or nil
	timeout   time.Duration           // of the next invocation; 0 is patient
	phase     func(op *cfnresource.Operation) lifecycle.Phase
	refuse    func(payload []byte) error                      // of Continue; nil accepts
	sent      func(ctx context.Context, payload []byte) error // is called after Continue has sent payload
	duplicate bool                                            // what Continue sends comes twice
	logs      locked

	mu          sync.Mutex
	invocations int
	answers     []answer
	failures    []error
	running     sync.WaitGroup
}

// A locked is a log of several processes.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

const patient = 5 * time.Minute // the function's timeout

func (l *lambda) options(o *cfnresource.Options) {
	o.Logger = slog.New(slog.NewTextHandler(&l.logs, nil))
	o.Phase = func(_ context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
		if p := l.phase(op); p != lifecycle.PhaseUnknown {
			return p, nil
		}
		return lifecycle.PhaseUnknown, errors.New("it is not told")
	}
	o.Continue = func(ctx context.Context, payload []byte) error {
		if l.refuse != nil {
			if err := l.refuse(payload); err != nil {
				return err
			}
		}
		l.start(payload)
		if l.duplicate {
			l.start(payload)
		}
		if l.sent != nil {
			return l.sent(ctx, payload)
		}
		return nil
	}
}

// send passes an event to the function, and waits until nothing of it runs.
func (l *lambda) send(p payload) []answer {
	l.start(p())
	l.running.Wait()
	return l.answers
}

func (l *lambda) start(payload []byte) {
	l.running.Go(func() {
		if err := l.invoke(payload); err != nil {
			<-time.After(time.Minute)
			_ = l.invoke(payload) // Lambda's second try
		}
	})
}

func (l *lambda) invoke(payload []byte) error {
	l.mu.Lock()
	l.invocations++
	n := l.invocations
	l.mu.Unlock()
	if n > 40 {
		l.t.Error("it goes on without end")
		return nil
	}
	timeout := l.timeout
	if timeout == 0 {
		timeout = patient
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	d := l.warm
	if d == nil {
		d = dispatcher(l.handler(), l.options)
	}
	var rec recorder
	_, err := d.Invoke(hook.WithSender(ctx, &rec), payload)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, body := range rec.bodies {
		l.answers = append(l.answers, judge(l.t, body))
	}
	if err != nil {
		l.failures = append(l.failures, err)
	}
	return err
}

// A slowService is a service whose things take 40 minutes to get ready.
type slowService struct {
	service
	takes time.Duration
	log   []string
	seen  map[string]bool // tokens
}

func newSlow() *slowService {
	return &slowService{takes: 40 * time.Minute, seen: make(map[string]bool)}
}

func (s *slowService) logged(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// saw notes a token: two deliveries may run at once.
func (s *slowService) saw(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[token] = true
}

func (s *slowService) called(method string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.log {
		if strings.HasPrefix(line, method) {
			n++
		}
	}
	return n
}

// wait is what a handler does after it made a thing, and when it adopts one.
func (s *slowService) wait(ctx context.Context, id string) error {
	return cfnresource.Poll(ctx, 5*time.Second, func(context.Context) (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		th := s.things[id]
		if th == nil {
			return false, cfnresource.Errorf(cfnresource.CodeNotFound, "there is no %s", id)
		}
		return time.Since(th.born) >= s.takes, nil
	})
}

// neither is a handler to which nothing leads but the ID: the kind that loses most.
func (s *slowService) neither() any {
	return &fake{
		onCreate: func(ctx context.Context, req *create) (data, error) {
			s.logged("Create")
			s.saw(req.IdempotencyToken())
			id := s.add("", 1)
			req.Created(id)
			return nil, s.wait(ctx, id)
		},
		onUpdate: func(ctx context.Context, req *update) (data, error) {
			s.logged("Update %s adopted %t", req.PhysicalID, req.Adopted)
			s.saw(req.IdempotencyToken())
			return nil, s.wait(ctx, req.PhysicalID)
		},
		onDelete: func(_ context.Context, req *del) error {
			s.logged("Delete %s", req.PhysicalID)
			return s.remove(req.PhysicalID)
		},
	}
}

// found is a handler with Find.
func (s *slowService) foundHandler() any {
	h := s.service.found()
	n := s.neither().(*fake)
	h.onCreate = func(ctx context.Context, req *create) (data, error) {
		s.logged("Create")
		id := s.add(req.StableID(), 1)
		req.Created(id)
		return nil, s.wait(ctx, id)
	}
	h.onUpdate, h.onDelete = n.onUpdate, n.onDelete
	return h
}

func always(p lifecycle.Phase) func(*cfnresource.Operation) lifecycle.Phase {
	return func(*cfnresource.Operation) lifecycle.Phase { return p }
}

// from returns a phase that the stack has until a time has passed, and another one after it.
func from(first lifecycle.Phase, after time.Duration, then lifecycle.Phase) func(*cfnresource.Operation) lifecycle.Phase {
	start := time.Now()
	return func(*cfnresource.Operation) lifecycle.Phase {
		if time.Since(start) < after {
			return first
		}
		return then
	}
}

func (l *lambda) wants(want ...string) {
	l.t.Helper()
	got := []string{}
	for _, a := range l.answers {
		got = append(got, a.Status+" "+a.PhysicalResourceId)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		l.t.Errorf("the answers (-want +got):\n%s", diff)
	}
	if log := l.logs.String(); strings.Contains(log, "X-Amz-Signature") || strings.Contains(log, "5ec2e7") {
		l.t.Errorf("the signed URL is in the log:\n%s", log)
	}
}

func (l *lambda) wantsIn(invocations int, want ...string) {
	l.t.Helper()
	if l.wants(want...); l.invocations != invocations {
		l.t.Errorf("%d invocations, want %d: %+v %v", l.invocations, invocations, l.answers, l.failures)
	}
}

// What takes 40 minutes is one answer of nine invocations: Create once, then
// Update of what it made, all with one token.
func TestContinueGoesOnUntilItIsReady(t *testing.T) {
	for name, tt := range map[string]struct {
		p     payload
		phase lifecycle.Phase
		made  string
	}{
		"create":      {created(nil), lifecycle.PhaseCreating, "svc-1"},
		"replacement": {updated("svc-1", "a", "b"), lifecycle.PhaseUpdating, "svc-2"},
	} {
		subtest(t, name, func(t *testing.T) {
			s := newSlow()
			held := []string{"svc-1"}
			if tt.made != "svc-1" {
				s.add(stable("a"), 1)
				held = append(held, tt.made)
			}
			l := &lambda{t: t, handler: s.foundHandler, phase: always(tt.phase)}
			l.send(tt.p)
			l.wants("SUCCESS " + tt.made)
			s.holds(t, held...)
			if l.invocations != 9 || s.called("Create") != 1 || s.called("Update "+tt.made+" adopted true") != 8 {
				t.Errorf("%d invocations: %q", l.invocations, s.log)
			}
		})
	}
}

// Update and Delete are called again, with the token that they had.
func TestContinueUpdatesAndDeletes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		s.add("", 1)
		l := &lambda{t: t, handler: s.neither, phase: always(lifecycle.PhaseUpdating)}
		l.send(updated("svc-1", "a", "a"))
		l.wants("SUCCESS svc-1")
		if l.invocations != 9 || s.called("Update svc-1 adopted false") != 9 || len(s.seen) != 1 {
			t.Errorf("%d invocations, %d tokens: %q", l.invocations, len(s.seen), s.log)
		}
	})
	bubble(t, func(t *testing.T) {
		start, gone := time.Now(), 0
		l := &lambda{t: t, phase: always(lifecycle.PhaseDeleting), handler: func() any {
			return &fake{onDelete: func(ctx context.Context, _ *del) error {
				gone++
				return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return time.Since(start) > 12*time.Minute, nil })
			}}
		}}
		l.send(deleted("svc-1"))
		l.wants("SUCCESS svc-1")
		if gone != 3 {
			t.Errorf("Delete was called %d times, want 3", gone)
		}
	})
}

// The stack turns round while the third invocation waits: that takes back what
// the first one made, and there is no fourth.
func TestContinueEndsWhenTheStackTurnsRound(t *testing.T) {
	for name, tt := range map[string]struct {
		p            payload
		phase, after lifecycle.Phase
		want         string
	}{
		"create":      {created(nil), lifecycle.PhaseCreating, lifecycle.PhaseGivenUp, "FAILED svc-1"},
		"replacement": {updated("old", "a", "b"), lifecycle.PhaseUpdating, lifecycle.PhaseUpdateRollback, "FAILED old"},
	} {
		subtest(t, name, func(t *testing.T) {
			s := newSlow()
			var left []string
			if tt.want == "FAILED old" {
				s.put("old", stable("a"), 1)
				left = append(left, "old")
			}
			l := &lambda{t: t, handler: s.foundHandler, phase: from(tt.phase, 12*time.Minute, tt.after)}
			start := time.Now()
			l.send(tt.p)
			l.wants(tt.want)
			s.holds(t, left...)
			if took := time.Since(start); l.invocations != 3 || took > 13*time.Minute {
				t.Errorf("%d invocations in %s: %q", l.invocations, took, s.log)
			}
		})
	}
}

// The stack turns round between two invocations: the later one does none of the
// work. An Update in place is left as it is, since the rollback updates it.
func TestContinueOvertakenBetweenTwo(t *testing.T) {
	for name, p := range map[string]payload{"create": created(nil), "in place": updated("svc-1", "a", "a")} {
		subtest(t, name, func(t *testing.T) {
			s := newSlow()
			phase := lifecycle.PhaseUpdating
			if name == "in place" {
				s.add("", 1)
			}
			l := &lambda{t: t, handler: s.neither, phase: func(*cfnresource.Operation) lifecycle.Phase { return phase }}
			l.refuse = func([]byte) error { phase = lifecycle.PhaseUpdateRollback; return nil }
			l.send(p)
			l.wants("FAILED svc-1")
			if l.invocations != 2 || s.called("Update") > 1 || s.called("Create")+s.called("Update") != 1 {
				t.Errorf("%d invocations: %q", l.invocations, s.log)
			}
			if name == "create" {
				s.holds(t)
			} else {
				s.holds(t, "svc-1")
			}
		})
	}
}

// What cannot be deleted right away is tried again, also by an invocation that begins with that.
func TestContinueTakesBackWhatIsBusy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		phase, refused := lifecycle.PhaseCreating, false
		l := &lambda{t: t, phase: func(*cfnresource.Operation) lifecycle.Phase { return phase }, handler: func() any {
			h := s.neither().(*fake)
			h.onDelete = func(_ context.Context, req *del) error {
				if !refused {
					refused = true
					return cfnresource.Errorf(cfnresource.CodeResourceConflict, "it is being created")
				}
				return s.remove(req.PhysicalID)
			}
			return h
		}}
		l.refuse = func([]byte) error { phase = lifecycle.PhaseGivenUp; return nil }
		l.send(created(nil))
		l.wantsIn(2, "FAILED svc-1")
		s.holds(t)
	})
}

// A stack that DescribeStacks shows late has the event come in the rollback of before. A
// later answer, of a Poll's or of the next invocation's, says that it goes forward, and
// from then on a rollback overtakes the chain.
func TestContinueWhereTheFirstAnswerWasLate(t *testing.T) {
	const back, forward = lifecycle.PhaseUpdateRollback, lifecycle.PhaseUpdating
	for name, tt := range map[string]struct {
		late, turns time.Duration
		want        string
	}{
		"it goes on":                   {2 * time.Second, time.Hour, "SUCCESS svc-1"},
		"it is corrected in time":      {25 * time.Second, 10 * time.Minute, "FAILED svc-1"},
		"and by the end of the method": {4 * time.Minute, 10 * time.Minute, "FAILED svc-1"},
	} {
		subtest(t, name, func(t *testing.T) {
			s, start := newSlow(), time.Now()
			s.add("", 1)
			s.takes = 20 * time.Minute
			l := &lambda{t: t, handler: s.neither, phase: func(*cfnresource.Operation) lifecycle.Phase {
				if since := time.Since(start); since < tt.late || since > tt.turns {
					return back
				}
				return forward
			}}
			l.send(updated("svc-1", "a", "a"))
			l.wants(tt.want)
			if took := time.Since(start); tt.want == "FAILED svc-1" && took > tt.turns+time.Minute {
				t.Errorf("it took %s, though the stack had turned back after %s", took, tt.turns)
			}
		})
	}
}

// Continue reached Lambda, but its response was lost: the invocation fails, the
// event comes again, and both chains end with the same answer.
func TestContinueResponseLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		l := &lambda{t: t, handler: s.foundHandler, phase: always(lifecycle.PhaseCreating)}
		lost := false
		l.refuse = func(payload []byte) error {
			if lost {
				return nil
			}
			lost = true
			l.start(payload)
			return fmt.Errorf("%w: connection reset", context.DeadlineExceeded)
		}
		l.send(created(nil))
		l.wants("SUCCESS svc-1", "SUCCESS svc-1")
		s.holds(t, "svc-1")
		if len(l.failures) != 1 || s.called("Create") != 1 {
			t.Errorf("%v, %q", l.failures, s.log)
		}
	})
}

// A refusal of Continue's is an answer at once, and so is a second invocation that fails for good: FAILED with what a Create made,
// and a replacement is taken back.
func TestContinueFails(t *testing.T) {
	denied := cfnresource.Errorf(cfnresource.CodeAccessDenied, "no lambda:InvokeFunction")
	full := cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "no more of them")
	for name, tt := range map[string]struct {
		p       payload
		refused error // by Continue
		later   error // of the Update in the second invocation
		want    string
		left    []string
	}{
		"a Create is refused":       {created(nil), denied, nil, "FAILED svc-1", []string{"svc-1"}},
		"a replacement is refused":  {updated("old", "a", "b"), denied, nil, "FAILED old", []string{"old"}},
		"a Create fails later":      {created(nil), nil, full, "FAILED svc-1", []string{"svc-1"}},
		"a replacement fails later": {updated("old", "a", "b"), nil, full, "FAILED old", []string{"old"}},
	} {
		subtest(t, name, func(t *testing.T) {
			s := newSlow()
			if tt.want == "FAILED old" {
				s.put("old", stable("a"), 1)
			}
			l := &lambda{t: t, phase: always(lifecycle.PhaseUpdating), handler: func() any {
				h := s.foundHandler().(*finder)
				h.onUpdate = func(context.Context, *update) (data, error) { return nil, tt.later }
				return h
			}}
			l.refuse = func([]byte) error { return tt.refused }
			l.send(tt.p)
			invocations, says := 2, full.Error()
			if tt.refused != nil {
				invocations, says = 1, denied.Error()
			}
			l.wantsIn(invocations, tt.want)
			s.holds(t, tt.left...)
			if !strings.Contains(l.answers[0].Reason, says) {
				t.Errorf("the Reason is %q, want %q in it", l.answers[0].Reason, says)
			}
		})
	}
}

// The invocation ends while a Poll asks: what the client says of that is not the service's word.
func TestContinueWhereAQuestionIsCutOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		start := time.Now()
		l := &lambda{t: t, phase: always(lifecycle.PhaseCreating), handler: func() any {
			h := s.neither().(*fake)
			wait := func(ctx context.Context) (data, error) {
				return nil, cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
					select {
					case <-ctx.Done():
						return false, fmt.Errorf("Get: %w", ctx.Err())
					case <-time.After(7 * time.Second): // so long a question takes
						return time.Since(start) >= 7*time.Minute, nil
					}
				})
			}
			h.onCreate = func(ctx context.Context, req *create) (data, error) {
				req.Created(s.add("", 1))
				return wait(ctx)
			}
			h.onUpdate = func(ctx context.Context, _ *update) (data, error) { return wait(ctx) }
			return h
		}}
		l.send(created(nil))
		l.wants("SUCCESS svc-1")
	})
}

// The service says that it is to be asked again later than the invocation lasts.
// That is no failure either.
func TestContinueWhereAskingAgainComesLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		l := &lambda{t: t, phase: always(lifecycle.PhaseCreating), handler: func() any {
			h := s.neither().(*fake)
			h.onCreate = func(ctx context.Context, req *create) (data, error) {
				req.Created(s.add("", 1))
				start := time.Now()
				return nil, cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
					if time.Since(start) > 4*time.Minute+45*time.Second {
						return false, cfnresource.RetryAfter(cfnresource.Errorf(cfnresource.CodeThrottling, "too many requests"), 30*time.Second)
					}
					return false, nil
				})
			}
			return h
		}}
		l.send(created(nil))
		l.wantsIn(9, "SUCCESS svc-1")
	})
}

// The first invocation of a Create that cannot name what it makes has made it;
// the second fails at once. The answer's ID leads the Delete to it.
func TestContinueFailsBeforeItIsNamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		creates := 0
		l := &lambda{t: t, phase: always(lifecycle.PhaseCreating), handler: func() any {
			return &fake{onCreate: func(ctx context.Context, req *create) (data, error) {
				if creates++; creates > 1 {
					return nil, errSome
				}
				req.StableID()
				return nil, cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return false, nil })
			}}
		}}
		l.send(created(nil))
		l.wants("FAILED " + stable("a"))
	})
}

// What Continue sent comes twice, and a process dies right after Continue: each
// is a redelivery, and one thing is made.
func TestContinueComesTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		s.takes = 12 * time.Minute
		l := &lambda{t: t, handler: s.neither, phase: always(lifecycle.PhaseCreating), duplicate: true}
		l.send(created(nil))
		for _, a := range l.answers {
			if a.Status != "SUCCESS" || a.PhysicalResourceId != "svc-1" {
				t.Errorf("an answer is %s %s", a.Status, a.PhysicalResourceId)
			}
		}
		if s.called("Create") != 1 {
			t.Errorf("%q", s.log)
		}
		s.holds(t, "svc-1")
	})
}

// Where a chain may not begin, a Poll that is cut off fails as it did before.
func TestContinueIsNotBegun(t *testing.T) {
	own := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Minute)
	}
	for name, tt := range map[string]struct {
		phase lifecycle.Phase
		p     payload
		wait  func(ctx context.Context, s *slowService) error
		want  string
	}{
		"the phase is not known":              {lifecycle.PhaseUnknown, created(nil), nil, "FAILED svc-1"},
		"nobody waits when it is first asked": {lifecycle.PhaseGivenUp, created(nil), nil, "FAILED " + stable("a")},
		"it is of an earlier operation":       {lifecycle.PhaseNotAwaited, created(nil), nil, "FAILED " + stable("a")},
		"CloudFormation stops waiting":        {lifecycle.PhaseCreating, created(object{"ResourceProperties": object{"Name": "a", "ServiceTimeout": "310"}}), nil, "FAILED svc-1"},
		"the handler's own time is over": {lifecycle.PhaseCreating, created(nil), func(ctx context.Context, s *slowService) error {
			ctx, cancel := own(ctx)
			defer cancel()
			return s.wait(ctx, "svc-1")
		}, "FAILED svc-1"},
		"something else failed, too": {lifecycle.PhaseCreating, created(nil), func(ctx context.Context, s *slowService) error {
			return errors.Join(s.wait(ctx, "svc-1"), errSome)
		}, "FAILED svc-1"},
		"the handler hangs": {lifecycle.PhaseCreating, created(nil), func(ctx context.Context, s *slowService) error {
			err := s.wait(ctx, "svc-1")
			<-time.After(10 * time.Minute)
			return err
		}, "FAILED svc-1"},
	} {
		subtest(t, name, func(t *testing.T) {
			s := newSlow()
			l := &lambda{t: t, phase: always(tt.phase), handler: func() any {
				h := s.neither().(*fake)
				if tt.wait != nil {
					h.onCreate = func(ctx context.Context, req *create) (data, error) {
						req.Created(s.add("", 1))
						return nil, tt.wait(ctx, s)
					}
				}
				return h
			}}
			l.send(tt.p)
			l.wantsIn(1, tt.want)
			if says := strings.Contains(l.answers[0].Reason, "not known why the request came"); says != (tt.phase == lifecycle.PhaseUnknown) {
				t.Errorf("the Reason is %q", l.answers[0].Reason)
			}
		})
	}
}

// Only Create, Update and Delete go on: a Poll in the Delete that undoes, or in
// Find, is cut off for good.
func TestContinueNotInUndoOrFind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		s.put("old", stable("a"), 1)
		l := &lambda{t: t, phase: always(lifecycle.PhaseUpdating), handler: func() any {
			h := s.foundHandler().(*finder)
			h.onCreate = func(_ context.Context, req *create) (data, error) {
				req.Created(s.add(req.StableID(), 1))
				return nil, errSome
			}
			h.onDelete = func(ctx context.Context, _ *del) error {
				return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return false, nil })
			}
			return h
		}}
		l.send(updated("old", "a", "b"))
		l.wantsIn(1, "FAILED old") // the service deletes it
	})
	bubble(t, func(t *testing.T) {
		l := &lambda{t: t, phase: always(lifecycle.PhaseCreating), handler: func() any {
			return &finder{onFind: func(ctx context.Context, _ *find) (string, error) {
				return "", cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return false, nil })
			}}
		}}
		l.send(created(nil))
		l.wantsIn(1, "FAILED "+stable("a"))
	})
}

// link returns an event as an earlier invocation sent it on.
func link(p payload, member string) payload {
	return func() []byte {
		return slices.Concat([]byte(`{"cfnresource:continue":`+member+`,`), p()[1:])
	}
}

const second = `{"links":1,"created":"svc-1","began":"Updating"}`

// A later invocation may be of new code, which refuses the properties, or sees
// another identity in them. What was made is taken back, or gone on with.
func TestContinueWithNewCode(t *testing.T) {
	refused := event("Update", object{
		"PhysicalResourceId":    "old",
		"ResourceProperties":    object{"Name": "b", "Size": "many"},
		"OldResourceProperties": object{"Name": "a"},
	})
	for name, tt := range map[string]struct {
		p    payload
		want string
		left []string
	}{
		"refuses the properties": {refused, "FAILED old", []string{"old"}},
		"sees the same identity": {updated("old", "a", "a"), "SUCCESS svc-1", []string{"old", "svc-1"}},
		"sees another identity":  {updated("old", "a", "c"), "SUCCESS svc-1", []string{"old", "svc-1"}},
	} {
		subtest(t, name, func(t *testing.T) {
			s := newSlow()
			s.takes = 0
			s.put("old", stable("a"), 1)
			s.add(stable("b"), 1)
			l := &lambda{t: t, handler: s.foundHandler, phase: always(lifecycle.PhaseUpdating)}
			l.send(link(tt.p, second))
			l.wants(tt.want)
			s.holds(t, tt.left...)
		})
	}
}

// A process of the chain died three times: the record's answer names what was
// made, whatever kind the handler is of.
func TestContinueRecordOfADeath(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		l := &lambda{t: t, handler: s.neither, phase: always(lifecycle.PhaseCreating)}
		l.send(died(link(created(nil), `{"links":3,"created":"svc-1","began":"Creating"}`)))
		l.wants("FAILED svc-1")
	})
}

// An invocation that comes after CloudFormation has stopped waiting takes back what its chain made,
// and does nothing else, also while the stack goes on for others.
func TestContinueTooLate(t *testing.T) {
	for _, phase := range []lifecycle.Phase{lifecycle.PhaseGivenUp, lifecycle.PhaseCreating} {
		bubble(t, func(t *testing.T) {
			s := newSlow()
			s.add("", 1)
			l := &lambda{t: t, handler: s.neither, phase: always(phase)}
			l.send(link(created(object{"age": 61 * time.Minute}), `{"links":11,"created":"svc-1","began":"Creating"}`))
			l.wants("FAILED svc-1")
			s.holds(t)
			if diff := cmp.Diff([]string{"Delete svc-1"}, s.log); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A function that has less time than the one before it finishes what that one made.
func TestContinueWithLessTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		s.takes = 0
		s.add("", 1)
		l := &lambda{t: t, phase: always(lifecycle.PhaseCreating)}
		a := within(t, time.Minute, s.neither(), link(created(nil), `{"links":1,"created":"svc-1","began":"Creating"}`), l.options)
		if a.Status != "SUCCESS" || a.PhysicalResourceId != "svc-1" {
			t.Errorf("%+v", a)
		}
	})
}

// A rollback sends what it makes itself: that is not overtaken by the rollback.
func TestContinueInARollback(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		l := &lambda{t: t, handler: s.neither, phase: always(lifecycle.PhaseUpdateRollback)}
		l.send(updated(marker, "a", "a"))
		l.wantsIn(9, "SUCCESS svc-1")
	})
}

// The last invocation that Lambda makes of a chain answers.
func TestContinueEndsBeforeLambdaEndsIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		s.add("", 1)
		l := &lambda{t: t, handler: s.neither, phase: always(lifecycle.PhaseCreating)}
		l.send(link(created(nil), `{"links":15,"created":"svc-1","began":"Creating"}`))
		l.wantsIn(1, "FAILED svc-1")
	})
}

// The stack turns round after the last time that Poll asked: it is asked once more
// before the event is sent on.
func TestContinueAsksBeforeItSends(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		s.add("", 1)
		l := &lambda{t: t, handler: s.neither, phase: from(lifecycle.PhaseUpdating, 4*time.Minute+45*time.Second, lifecycle.PhaseUpdateRollback)}
		l.send(updated("svc-1", "a", "a"))
		l.wantsIn(1, "FAILED svc-1")
	})
}

// "It goes on elsewhere" is no answer: the same event, if it comes to the same
// process again, is worked for again.
func TestContinueIsNotRemembered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		l := &lambda{t: t, phase: always(lifecycle.PhaseCreating)}
		sent := 0
		d := dispatcher(s.foundHandler(), l.options, func(o *cfnresource.Options) {
			o.Continue = func(context.Context, []byte) error { sent++; return nil }
		})
		p := created(nil)()
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), patient)
			var rec recorder
			if _, err := d.Invoke(hook.WithSender(ctx, &rec), p); err != nil || len(rec.bodies) > 0 {
				t.Errorf("%v, %d answers", err, len(rec.bodies))
			}
			cancel()
		}
		if sent != 2 || s.called("Create") != 1 || s.called("Update svc-1 adopted true") != 1 {
			t.Errorf("%d were sent: %q", sent, s.log)
		}
	})
}

// A chain of a Delete has created nothing, whatever its event says.
func TestContinueOfADeleteCreatedNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		s.put("other", "", 1)
		l := &lambda{t: t, handler: s.neither, phase: always(lifecycle.PhaseDeleting)}
		l.send(link(deleted("svc-1"), `{"links":1,"created":"other","began":"Removal"}`))
		s.holds(t, "other")
	})
}

// What a function says to itself is read from Lambda alone, and only as it was
// written: a template has no way to say it.
func TestContinueIsReadFromLambdaAlone(t *testing.T) {
	inProperties := created(object{"ResourceProperties": object{"Name": "a", "cfnresource:continue": object{"links": 1, "created": "victim", "began": "Creating"}}})
	bySNS := func() []byte {
		message := link(created(nil), `{"links":1,"created":"victim","began":"Creating"}`)
		return encode(object{"Records": []object{{"Sns": object{"Message": string(message())}}}})
	}
	otherCase := func() []byte {
		return bytes.Replace(link(created(nil), `{"links":1,"created":"victim","began":"Creating"}`)(), []byte("cfnresource:"), []byte("CfnResource:"), 1)
	}
	for name, p := range map[string]payload{"in properties": inProperties, "by SNS": bySNS, "in another case": otherCase} {
		subtest(t, name, func(t *testing.T) {
			s := newSlow()
			s.takes = 0
			s.put("victim", "", 1)
			l := &lambda{t: t, handler: s.neither, phase: always(lifecycle.PhaseCreating)}
			l.send(p)
			if l.answers[0].PhysicalResourceId == "victim" || s.called("Update") > 0 {
				t.Errorf("%+v, %q", l.answers, s.log)
			}
		})
	}
	for name, member := range map[string]string{
		"no links": `{"began":"Creating"}`, "too many": `{"links":16}`, "an ID that cannot be": `{"links":1,"created":"\n"}`, "more than we write": `{"links":1,"x":1}`, "no object": `7`,
	} {
		subtest(t, name, func(t *testing.T) {
			l := &lambda{t: t, handler: newSlow().neither, phase: always(lifecycle.PhaseCreating)}
			l.send(link(created(nil), member))
			l.wants("FAILED " + marker)
		})
	}
}

// Each invocation replaces what the one before it wrote, so that the payload does
// not grow, and changes nothing else of the event.
func TestContinuePayload(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newSlow()
		l := &lambda{t: t, handler: s.foundHandler, phase: always(lifecycle.PhaseCreating)}
		var sent [][]byte
		l.refuse = func(payload []byte) error {
			sent = append(sent, payload)
			return nil
		}
		p := created(nil)()
		l.send(func() []byte { return p })
		for i, got := range sent {
			want := fmt.Sprintf(`{"cfnresource:continue":{"links":%d,"created":"svc-1","began":"Creating"},%s`, i+1, p[1:])
			if string(got) != want {
				t.Errorf("invocation %d sent\n%s, want\n%s", i, got, want)
			}
		}
		if len(sent) != 8 {
			t.Errorf("%d were sent", len(sent))
		}
	})
}

// A function whose timeout is so short that Lambda would end the chain before CloudFormation stops
// waiting refuses to create anything; what there is can be updated and deleted.
func TestContinueNeedsATimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]string{4 * time.Minute: "SUCCESS", 4*time.Minute - 20*time.Millisecond: "SUCCESS", 239 * time.Second: "FAILED"} {
		for name, p := range map[string]payload{"create": created(nil), "update": updated("svc-1", "a", "a"), "delete": deleted("svc-1")} {
			subtest(t, fmt.Sprint(name, timeout), func(t *testing.T) {
				l := &lambda{t: t, phase: always(lifecycle.PhaseUpdating)}
				a := within(t, timeout, &fake{}, p, l.options)
				if want := name != "create" || want == "SUCCESS"; (a.Status == "SUCCESS") != want {
					t.Errorf("%s %s, want success: %t", a.Status, a.Reason, want)
				}
			})
		}
	}
}
