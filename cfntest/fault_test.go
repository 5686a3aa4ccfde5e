package cfntest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// TestFaults checks the effect of each fault on the Create of a stack.
func TestFaults(t *testing.T) {
	const (
		created    = "CREATE_COMPLETE"
		rolledBack = "ROLLBACK_COMPLETE"
	)
	for _, test := range []struct {
		fault  fault.Fault
		does   string
		status string
		took   string   // by the stack's clock, at least
		want   []string // the deliveries of the Create
	}{
		{fault.Fault{Kind: fault.Redeliver}, "the event comes once more when it was answered", created, "",
			[]string{"Create: SUCCESS", "Create AlreadyExists, Update: SUCCESS"}},
		{fault.Fault{Kind: fault.Twice}, "two processes work on the event, and one meets what the other has half done", created, "",
			[]string{"Create: SUCCESS", "Create AlreadyExists, Update: SUCCESS"}},
		{fault.Fault{Kind: fault.Late}, "the event comes two minutes late", created, "2m",
			[]string{"Create: SUCCESS"}},
		{fault.Fault{Kind: fault.LoseAnswer}, "nobody gets the answer, for an hour", rolledBack, "1h",
			[]string{"Create: SUCCESS"}},
		{fault.Fault{Kind: fault.Undelivered}, "the answer cannot be sent, so Lambda delivers again", created, "1m",
			[]string{"Create: error", "Create AlreadyExists, Update: SUCCESS"}},
		{fault.Fault{Kind: fault.DieBefore}, "the first process sees no event", created, "1m",
			[]string{": died", "Create: SUCCESS"}},
		{fault.Fault{Kind: fault.DieAfter}, "the first process has done all but answer", created, "1m",
			[]string{"Create: died", "Create AlreadyExists, Update: SUCCESS"}},
		{fault.Fault{Kind: fault.DieForGood}, "three processes die, and the on-failure destination answers", rolledBack, "3m",
			[]string{"Create: died", "Create AlreadyExists, Update: died", "Create AlreadyExists, Update: died", "record: FAILED"}},
		{fault.Fault{Kind: fault.DieAtStep, Step: 1}, "the process dies before the effect", created, "1m",
			[]string{"Create the process has ended: died", "Create: SUCCESS"}},
		{fault.Fault{Kind: fault.DieAtStep, Step: 2}, "the process dies after the effect", created, "1m",
			[]string{"Create the process has ended: died", "Create AlreadyExists, Update: SUCCESS"}},
		{fault.Fault{Kind: fault.FailAtStep, Step: 1}, "the service fails before the effect", rolledBack, "",
			[]string{"Create the service failed: FAILED"}},
		{fault.Fault{Kind: fault.ThrottleAtStep, Step: 1}, "the service is busy once", created, "",
			[]string{"Create Throttling, Create: SUCCESS"}},
		{fault.Fault{Kind: fault.DeniedAtFirst}, "the service does not see a new permission yet", created, "",
			[]string{"Create AccessDenied, Create AccessDenied, Create: SUCCESS"}},
		{fault.Fault{Kind: fault.HeldAtStep, Step: 2}, "the service takes long after the effect", created, "15s",
			[]string{"Create: SUCCESS"}},
		{fault.Fault{Kind: fault.HangAtStep, Step: 2}, "the service hangs until the context ends", rolledBack, "54s",
			[]string{"Create out of time: FAILED"}},
		{fault.Fault{Kind: fault.ErrorAfter}, "the method fails when its work is done", rolledBack, "",
			[]string{"Create something failed after the work was done: FAILED"}},
		{fault.Fault{Kind: fault.PanicAfter}, "the method panics when its work is done", rolledBack, "",
			[]string{"Create it panicked, or ended its goroutine: FAILED"}},
		{fault.Fault{Kind: fault.OutOfTimeAfter}, "the method waits until its context ends when its work is done", rolledBack, "54s",
			[]string{"Create out of time: FAILED"}},
		{fault.Fault{Kind: fault.CancelWhileRunning}, "the stack is deleted before the method has done its work", "DELETE_COMPLETE", "15s",
			[]string{"Create: SUCCESS"}},
	} {
		t.Run(strings.ReplaceAll(test.fault.String(), " of any request", "")+": "+test.does, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shelf, service := library()
				s := cfntest.NewStack(t, service)
				tellOnFailure(t, s)
				s.Inject(test.fault)
				if got := s.Deploy(book("Emma", 100)); got != test.status {
					t.Errorf("it ends in %s, want %s", got, test.status)
				}
				s.Settle()
				requests := s.Requests()
				if got := requests[0].Fault; got != test.fault.Kind {
					t.Errorf("the request says that %q went wrong", got)
				}
				for _, r := range requests[1:] {
					if r.Fault != "" {
						t.Errorf("a %s met the fault too", r.Type)
					}
				}
				if diff := cmp.Diff(test.want, deliveries(requests[0])); diff != "" {
					t.Errorf("deliveries (-want +got):\n%s", diff)
				}
				if test.took != "" && !strings.Contains(s.Story(), " "+test.took) {
					t.Errorf("it did not take %s", test.took)
				}
				if made := test.status == created; made != (len(shelf.names()) == 1) {
					t.Errorf("there is %v", shelf.names())
				}
			})
		})
	}
}

// deliveries lists, for each delivery, the methods that were called, their errors, and
// how it ended.
func deliveries(r cfntest.StackRequest) (all []string) {
	for _, d := range r.Deliveries {
		var calls []string
		for _, c := range d.Calls {
			what := c.Code
			if what == "" {
				what, _, _ = strings.Cut(c.Error, ":")
			}
			calls = append(calls, strings.TrimSpace(c.Method+" "+what))
		}
		if d.Record {
			calls = append(calls, "record")
		}
		end := d.Ended
		if d.Response != nil {
			end += d.Response.Status
		}
		all = append(all, strings.Join(calls, ", ")+": "+end)
	}
	return all
}

// An update is cancelled when the method has done its work.
func TestFaultCancelsUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, service := library()
		s := cfntest.NewStack(t, service)
		s.Deploy(book("Emma", 100))
		s.Inject(fault.Fault{Kind: fault.CancelWhileRunning})
		if got := s.Deploy(book("Emma", 200)); got != "UPDATE_ROLLBACK_COMPLETE" {
			t.Errorf("it ends in %s", got)
		}
		s.Settle()
		var pages []int
		for _, id := range shelf.names() {
			pages = append(pages, shelf.books[id])
		}
		r := s.Requests()
		if !cmp.Equal(pages, []int{100}) || len(r) != 3 || r[1].Outcome != "Cancelled" || r[2].Outcome != "Succeeded" {
			t.Errorf("a book of %v pages, after\n%s", pages, s.Story())
		}
	})
}

// A process that has died does nothing more: no method is called, no Step returns, no answer comes.
func TestFaultDeathIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, _ := library()
		var late []string
		h := survivor{librarian{shelf}, &late}
		s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(h, quietly) }})
		s.Inject(fault.Fault{Kind: fault.DieAtStep, Step: 2})
		if got := s.Deploy(book("Emma", 100)); got != "CREATE_COMPLETE" {
			t.Errorf("it ends in %s", got)
		}
		s.Settle()
		want := []string{"deferred", "made"} // the second is the next process
		if !cmp.Equal(late, want) {
			t.Errorf("after its death the first process did %v, want %v", late, want)
		}
	})
}

// A survivor goes on in a deferred call.
type survivor struct {
	librarian
	late *[]string
}

func (s survivor) Create(ctx context.Context, req *cfnresource.CreateRequest[bookProps]) (data bookData, err error) {
	defer func() {
		if ctx.Err() != nil {
			*s.late = append(*s.late, "deferred")
			_ = cfntest.Step(ctx)
			*s.late = append(*s.late, "stepped on")
		}
	}()
	data, err = s.librarian.Create(ctx, req)
	*s.late = append(*s.late, "made")
	return data, err
}

// A fault happens to the first request that fits, and to no other.
func TestFaultFits(t *testing.T) {
	for _, test := range []struct {
		fault fault.Fault
		met   []string
	}{
		{fault.Fault{Kind: fault.Late}, []string{"Create A"}},
		{fault.Fault{Kind: fault.Late, Skip: 1}, []string{"Create B"}},
		{fault.Fault{Kind: fault.Late, LogicalID: "B"}, []string{"Create B"}},
		{fault.Fault{Kind: fault.Late, Request: "Delete", LogicalID: "A"}, []string{"Delete A"}},
		{fault.Fault{Kind: fault.Late, Request: "Delete", Skip: 1}, []string{"Delete A"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, service := library()
			s := cfntest.NewStack(t, service)
			s.Inject(test.fault)
			s.Deploy(cfntest.Template{"A": {}, "B": {DependsOn: []string{"A"}}})
			s.Destroy()
			var met []string
			for _, r := range s.Requests() {
				if r.Fault != "" {
					met = append(met, r.Type+" "+r.LogicalID)
				}
			}
			if !slices.Equal(met, test.met) {
				t.Errorf("%v met %v, want %v", test.fault, met, test.met)
			}
		})
	}
}

// An invalid fault, and one that never happens, fail the test.
func TestFaultMistakes(t *testing.T) {
	for _, test := range []struct {
		fault fault.Fault
		says  string
	}{
		{fault.Fault{Kind: "explode"}, `there is no fault "explode"`},
		{fault.Fault{Kind: fault.Late, Request: "create"}, `Request is "create"`},
		{fault.Fault{Kind: fault.DieAtStep}, "no Step"},
		{fault.Fault{Kind: fault.Late, Skip: -1}, "Skip -1"},
		{fault.Fault{Kind: fault.Late, Request: "Update"}, "no request met the fault late of Update"},
		{fault.Fault{Kind: fault.Late, LogicalID: "Bok"}, "no request met the fault late of any request of Bok"},
		{fault.Fault{Kind: fault.CancelWhileRunning, Request: "Delete"}, "no request met"},
		{fault.Fault{Kind: fault.DieAtStep, Step: 99, Request: "Create"}, "no request met the fault die-at-step 99 of Create"},
		{fault.Fault{Kind: fault.NeverReady}, "no request met the fault never-ready"},
	} {
		synctest.Test(t, func(t *testing.T) {
			failed := try(t, func(f *fakeT) {
				_, service := library()
				s := cfntest.NewStack(f, service)
				s.Inject(test.fault)
				s.Deploy(book("Emma", 100))
				s.Destroy()
			})
			if !strings.Contains(failed, test.says) {
				t.Errorf("%v fails with %q, want %q", test.fault, failed, test.says)
			}
		})
	}
}

// ignoresContext goes on after its context has ended.
type ignoresContext struct{ librarian }

func (d ignoresContext) Create(ctx context.Context, req *cfnresource.CreateRequest[bookProps]) (bookData, error) {
	return d.librarian.Create(context.WithoutCancel(ctx), req)
}

// A method that goes on after its context has ended is distinguished from one that returns.
func TestFaultWentOn(t *testing.T) {
	for _, test := range []struct {
		handler func(librarian) cfntest.Function
		want    bool
	}{
		{func(l librarian) cfntest.Function { return cfnresource.New(l, quietly) }, false},
		{func(l librarian) cfntest.Function { return cfnresource.New(ignoresContext{l}, quietly) }, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			shelf, _ := library()
			s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return test.handler(librarian{shelf}) }})
			s.Inject(fault.Fault{Kind: fault.HangAtStep, Step: 1})
			s.Deploy(book("Emma", 100))
			s.Settle()
			if got := s.Requests()[0].Deliveries[0].Calls[0].Abandoned; got != test.want {
				t.Errorf("it went on: %t, want %t, after\n%s", got, test.want, s.Story())
			}
		})
	}
}

// The second delivery ends before CloudFormation reads the answer, so the Delete that
// follows finds all that was made.
func TestFaultRedeliveryIsOverBeforeTheRollback(t *testing.T) {
	for _, what := range []fault.Kind{fault.Redeliver, fault.Twice} {
		synctest.Test(t, func(t *testing.T) {
			shelf, service := library()
			s := cfntest.NewStack(t, service)
			tellOnFailure(t, s)
			s.Inject(fault.Fault{Kind: what, Request: "Create"})
			template := book("Emma", 100)
			template["Last"] = cfntest.Resource{Type: "AWS::SNS::Topic", DependsOn: []string{"Book"}, Fails: "no more topics"}
			s.Deploy(template)
			s.Settle()
			if left := shelf.names(); len(left) > 0 {
				t.Errorf("%s: there is %v", what, left)
			}
		})
	}
}

// Of two answers CloudFormation reads the first.
func TestFaultTwiceReadsTheFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		processes := 0
		s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
			processes++
			return answerAs(fmt.Sprint("process-", processes))
		}})
		s.Inject(fault.Fault{Kind: fault.Twice})
		s.Deploy(book("Emma", 100))
		if got := s.PhysicalID("Book"); got != "process-1" {
			t.Errorf("it is the answer of %s", got)
		}
	})
}

// A method that calls Step often is not out of time because the fault has each Step take a while: ten things exchanged for ten
// are forty Steps.
func TestFaultTwiceLeavesTimeForManySteps(t *testing.T) {
	for _, steps := range []int{40, 400} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(writesChapters{steps}, quietly) }},
				func(o *cfntest.StackOptions) { o.Timeout = time.Minute })
			s.Inject(fault.Fault{Kind: fault.Twice})
			if status := s.Deploy(book("Emma", 100)); status != "CREATE_COMPLETE" {
				t.Errorf("%d Steps: the stack is in %s after\n%s", steps, status, s.Story())
			}
			if took := time.Since(began); took < 20*time.Second {
				t.Errorf("%d Steps took %v: the two processes hardly meet", steps, took)
			}
		})
	}
}

// writesChapters calls Step a number of times.
type writesChapters struct{ steps int }

func (w writesChapters) Create(ctx context.Context, req *cfnresource.CreateRequest[bookProps]) (data bookData, err error) {
	for range w.steps {
		if err := cfntest.Step(ctx); err != nil {
			return data, err
		}
	}
	req.Created(req.StableID())
	return data, nil
}

func (w writesChapters) Update(context.Context, *cfnresource.UpdateRequest[bookProps]) (data bookData, err error) {
	return data, nil
}

func (w writesChapters) Delete(context.Context, *cfnresource.DeleteRequest[bookProps]) error {
	return nil
}

// A handler that looks before it makes something, and calls no Step, does both
// beside another process that does the same.
func TestFaultTwiceOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, made atomic.Int32
		s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(checksThenMakes{&asked, &made}, quietly) }})
		s.Inject(fault.Fault{Kind: fault.Twice})
		s.Deploy(book("Emma", 100))
		if asked.Load() != 2 || made.Load() != 2 {
			t.Errorf("%d were looked for in vain and %d made, want two each, after\n%s", asked.Load(), made.Load(), s.Story())
		}
	})
}

type checksThenMakes struct{ asked, made *atomic.Int32 }

func (l checksThenMakes) Find(context.Context, *cfnresource.FindRequest[bookProps]) (string, error) {
	if l.made.Load() > 0 {
		return "book", nil
	}
	l.asked.Add(1)
	return "", nil
}

func (l checksThenMakes) Create(_ context.Context, req *cfnresource.CreateRequest[bookProps]) (data bookData, err error) {
	l.made.Add(1)
	req.Created("book")
	return data, nil
}

func (l checksThenMakes) Update(context.Context, *cfnresource.UpdateRequest[bookProps]) (data bookData, err error) {
	return data, nil
}

func (l checksThenMakes) Delete(context.Context, *cfnresource.DeleteRequest[bookProps]) error {
	return nil
}

// A step fails once, so a handler that retries succeeds.
func TestFaultFailsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, _ := library()
		s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(retriesCreate{librarian{shelf}}, quietly) }})
		s.Inject(fault.Fault{Kind: fault.FailAtStep, Step: 1})
		if got := s.Deploy(book("Emma", 100)); got != "CREATE_COMPLETE" || s.Requests()[0].Fault != fault.FailAtStep {
			t.Errorf("it ends in %s, after\n%s", got, s.Story())
		}
	})
}

type retriesCreate struct{ librarian }

func (l retriesCreate) Create(ctx context.Context, req *cfnresource.CreateRequest[bookProps]) (data bookData, err error) {
	for range 2 {
		if data, err = l.librarian.Create(ctx, req); err == nil {
			break
		}
	}
	return data, err
}

// One method fails after its work, and those that follow do not: the dispatcher can
// undo what a replacement has made.
func TestFaultSpoilsOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, service := library()
		s := cfntest.NewStack(t, service)
		s.Deploy(book("Emma", 100))
		first := shelf.names()
		s.Inject(fault.Fault{Kind: fault.ErrorAfter, Request: "Update"})
		s.Deploy(book("Lady Susan", 80))
		got := deliveries(s.Requests()[1])
		want := []string{"Create something failed after the work was done, Delete: FAILED"}
		if !cmp.Equal(got, want) || !cmp.Equal(shelf.names(), first) {
			t.Errorf("%v, want %v; there is %v", got, want, shelf.names())
		}
	})
}
