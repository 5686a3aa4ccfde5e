package cfntest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/response"
)

// An invokeFunc is a Handler without this SDK.
type invokeFunc func(ctx context.Context, payload []byte) error

func (f invokeFunc) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return nil, f(ctx, payload)
}

// answer answers SUCCESS.
func answer(ctx context.Context, payload []byte) error { return answerAs("id")(ctx, payload) }

// answerAs answers SUCCESS, a Create with an ID.
func answerAs(id string) invokeFunc {
	return func(ctx context.Context, payload []byte) error {
		var e struct{ RequestId, StackId, LogicalResourceId, PhysicalResourceId string }
		if err := json.Unmarshal(payload, &e); err != nil || e.RequestId == "" {
			return fmt.Errorf("no event: %w", err)
		}
		return sendText(ctx, fmt.Sprintf(`{"Status":"SUCCESS","PhysicalResourceId":%q,"StackId":%q,"RequestId":%q,"LogicalResourceId":%q}`,
			cmp.Or(e.PhysicalResourceId, id), e.StackId, e.RequestId, e.LogicalResourceId))
	}
}

func sendText(ctx context.Context, body string) error {
	s, _ := hook.Sender(ctx)
	return s.Send(ctx, response.URL{}, []byte(body))
}

// What no function may do fails the test, and the stack goes on as it would.
func TestStackViolations(t *testing.T) {
	for _, test := range []struct {
		name       string
		fn         invokeFunc
		fault      fault.Kind
		status     string
		says       string
		deliveries int
	}{
		{name: "right", fn: answer, status: "CREATE_COMPLETE", deliveries: 1},
		{
			name: "no answer", fn: func(context.Context, []byte) error { return nil },
			status: "ROLLBACK_FAILED", says: "the Create of Book was not answered", deliveries: 1,
		}, {
			name: "two answers", fn: func(ctx context.Context, p []byte) error { return errors.Join(answer(ctx, p), answer(ctx, p)) },
			status: "CREATE_COMPLETE", says: "was answered 2 times by one process", deliveries: 1,
		}, {
			name: "no JSON", fn: func(ctx context.Context, _ []byte) error { return sendText(ctx, "OK") },
			status: "ROLLBACK_FAILED", says: "would not accept the answer to the Create of Book: it is not one JSON object", deliveries: 1,
		}, {
			name: "answered, then an error", fn: func(ctx context.Context, p []byte) error { return errors.Join(answer(ctx, p), errors.New("oh")) },
			status: "CREATE_COMPLETE", says: "returned an error, for which Lambda delivers the event again: oh", deliveries: 4,
		}, {
			name: "a panic", fn: func(context.Context, []byte) error { panic("oh") },
			status: "ROLLBACK_FAILED", says: "ends the process: panic: oh", deliveries: 4,
		}, {
			name: "answered, then a panic", fn: func(ctx context.Context, p []byte) error { _ = answer(ctx, p); panic("oh") },
			status: "CREATE_COMPLETE", says: "ends the process: panic: oh", deliveries: 4,
		}, {
			name: "Goexit", fn: func(context.Context, []byte) error { runtime.Goexit(); return nil },
			status: "ROLLBACK_FAILED", says: "ends the process: Invoke ended its goroutine", deliveries: 4,
		}, {
			name: "sleeps beyond its time", fn: func(context.Context, []byte) error { <-time.After(2 * time.Minute); return nil },
			status: "ROLLBACK_FAILED", says: "the function's time (1m0s) was over", deliveries: 4,
		}, {
			name: "hides that it could not answer", fn: func(ctx context.Context, p []byte) error { _ = answer(ctx, p); return nil },
			fault: fault.Undelivered, status: "ROLLBACK_COMPLETE", says: "could not be delivered, and Invoke returned nil", deliveries: 1,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := try(t, func(f *fakeT) {
					s := cfntest.NewStack(f, cfntest.Service{Function: func() cfntest.Function { return test.fn }})
					if test.fault != "" {
						s.Inject(fault.Fault{Kind: test.fault})
					}
					if got := s.Deploy(book("Emma", 100)); got != test.status {
						t.Errorf("it ends in %s, want %s\n%s", got, test.status, s.Story())
					}
					s.Settle()
					if got := len(s.Requests()[0].Deliveries); got != test.deliveries {
						t.Errorf("the event was delivered %d times, want %d\n%s", got, test.deliveries, s.Story())
					}
				})
				if (failed == "") != (test.says == "") || !strings.Contains(failed, test.says) {
					t.Errorf("it fails with %q, want %q", failed, test.says)
				}
				if test.says != "" && !strings.Contains(failed, "CreateStack of my-stack") {
					t.Error("the failure does not tell the story")
				}
			})
		})
	}
}

// What goes wrong after the last operation is found at the end of the test.
func TestStackViolationAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deliveries := 0
		h := invokeFunc(func(ctx context.Context, p []byte) error {
			if deliveries++; deliveries > 1 {
				panic("later")
			}
			return errors.Join(answer(ctx, p), errors.New("now"))
		})
		failed := try(t, func(f *fakeT) {
			cfntest.NewStack(f, cfntest.Service{Function: func() cfntest.Function { return h }}).Deploy(book("Emma", 100))
		})
		if !strings.Contains(failed, "now") || !strings.Contains(failed, "panic: later") {
			t.Errorf("it fails with %q", failed)
		}
	})
}

// A process that has ended is not kept, and what it still seems to do after a Step does not happen.
func TestStackEndsProcesses(t *testing.T) {
	for name, end := range map[string]func(){
		"panic":   func() { panic("oh") },
		"timeout": func() { <-time.After(2 * time.Minute) },
	} {
		synctest.Test(t, func(t *testing.T) {
			processes, late := 0, 0
			_ = try(t, func(f *fakeT) {
				s := cfntest.NewStack(f, cfntest.Service{Function: func() cfntest.Function {
					processes++
					mine := processes
					return invokeFunc(func(ctx context.Context, p []byte) error {
						if mine > 1 {
							return answer(ctx, p)
						}
						go func() {
							<-time.After(10 * time.Minute)
							_ = cfntest.Step(ctx)
							late++
						}()
						end()
						_ = cfntest.Step(ctx)
						late++
						return nil
					})
				}}, func(o *cfntest.StackOptions) { o.Warm = 1 })
				if got := s.Deploy(book("Emma", 100)); got != "CREATE_COMPLETE" || processes != 2 {
					t.Errorf("%s: it ends in %s with process %d", name, got, processes)
				}
			})
			<-time.After(time.Hour)
			if late > 0 {
				t.Errorf("%s: the process that had ended went on %d times", name, late)
			}
		})
	}
}

// An answer that comes when Invoke has returned is one that a frozen process cannot send.
func TestStackFreezes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan error, 2) // of a Create, and of its Delete
		h := invokeFunc(func(ctx context.Context, p []byte) error {
			go func() {
				<-time.After(time.Second)
				late <- answer(ctx, p)
			}()
			return nil
		})
		_ = try(t, func(f *fakeT) {
			cfntest.NewStack(f, cfntest.Service{Function: func() cfntest.Function { return h }}).Deploy(book("Emma", 100))
		})
		if err := errors.Join(<-late, <-late); err == nil {
			t.Error("answers were taken after Invoke had returned")
		}
	})
}

type blocker struct{ librarian }

func (blocker) Update(context.Context, *cfnresource.UpdateRequest[bookProps]) (data bookData, err error) {
	select {}
}

// A method that blocks for ever is named, before the bubble panics. What can be answered is.
func TestStackBlockedHandler(t *testing.T) {
	shelf, _ := library()
	var failed string
	panicked := func() (r any) {
		defer func() { r = recover() }()
		synctest.Test(t, func(t *testing.T) {
			failed = try(t, func(f *fakeT) {
				s := cfntest.NewStack(f, cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(blocker{librarian{shelf}}, quietly) }})
				s.Deploy(book("Emma", 100))
				if got := s.Deploy(book("Emma", 200)); got != "UPDATE_ROLLBACK_FAILED" {
					t.Errorf("it ends in %s", got)
				}
			})
		})
		return nil
	}()
	if !strings.Contains(failed, "the handler never returns from its Update in the Update of Book, though") {
		t.Errorf("it fails with %q", failed)
	}
	if panicked == nil {
		t.Error("the bubble did not panic: say so in the message no more")
	}
}

// What CloudFormation would refuse to begin ends the test.
func TestStackRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(s *cfntest.Stack)
		says string
	}{
		{"nothing changed", func(s *cfntest.Stack) { s.Deploy(book("Emma", 1)); s.Deploy(book("Emma", 1)) }, "No updates are to be performed"},
		{"no resources", func(s *cfntest.Stack) { s.Deploy(nil) }, "At least one Resources member"},
		{"too many resources", func(s *cfntest.Stack) { s.Deploy(standIns(501)) }, "Number of resources, 501, is greater than maximum allowed, 500"},
		{"a ring", func(s *cfntest.Stack) {
			s.Deploy(cfntest.Template{"A": {DependsOn: []string{"B"}}, "B": {DependsOn: []string{"A"}}, "C": {}})
		}, "Circular dependency between resources: [A, B]"},
		{"unknown dependency", func(s *cfntest.Stack) { s.Deploy(cfntest.Template{"A": {DependsOn: []string{"B"}}}) }, "Unresolved resource dependencies [B]"},
		{"no stack", func(s *cfntest.Stack) { s.Destroy() }, "the stack my-stack does not exist"},
		{"nothing to roll back", func(s *cfntest.Stack) { s.Deploy(book("Emma", 1)); s.Rollback() }, "can not be rolled back"},
		{"no rollback to go on with", func(s *cfntest.Stack) { s.Deploy(book("Emma", 1)); s.ContinueRollback() }, "can not continue rollback"},
		{"retain", func(s *cfntest.Stack) { s.Deploy(book("Emma", 1)); s.Destroy("Book") }, "in the DELETE_FAILED state"},
		{"nothing to cancel", func(s *cfntest.Stack) { s.Deploy(book("Emma", 1)); s.Cancel() }, "CancelUpdateStack cannot be called"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := try(t, func(f *fakeT) {
					_, service := library()
					test.do(cfntest.NewStack(f, service))
				})
				if !strings.Contains(failed, test.says) {
					t.Errorf("it fails with %q, want %q", failed, test.says)
				}
			})
		})
	}
}

// standIns is a template of n resources that are not the handler's.
func standIns(n int) cfntest.Template {
	all := make(cfntest.Template, n)
	for i := range n {
		all["R"+strconv.Itoa(i)] = cfntest.Resource{Type: "AWS::SNS::Topic"}
	}
	return all
}

// A stack that would wait for real hours does not begin.
func TestNewStackMistakes(t *testing.T) {
	_, service := library()
	for says, mistake := range map[string]func(f *fakeT){
		"in testing/synctest.Test, or set RealTime": func(f *fakeT) { cfntest.NewStack(f, service) },
		"has no Function": func(f *fakeT) { cfntest.NewStack(f, cfntest.Service{}, inRealTime) },
		"the Timeout is -1s": func(f *fakeT) {
			cfntest.NewStack(f, service, inRealTime, func(o *cfntest.StackOptions) { o.Timeout = -time.Second })
		},
	} {
		if failed := try(t, mistake); !strings.Contains(failed, says) {
			t.Errorf("it fails with %q, want %q", failed, says)
		}
	}
}

func inRealTime(o *cfntest.StackOptions) { o.RealTime = true }
