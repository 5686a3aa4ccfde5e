package cfntest_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
)

func quietly(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) }

// A whole life: made, changed in place, replaced, deleted. The requests are plain data.
func TestStackRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, service := library()
		s := cfntest.NewStack(t, service)
		tellOnFailure(t, s)
		if got := s.Status(); got != "" {
			t.Errorf("before it is created, the stack's status is %q", got)
		}
		if got := s.Deploy(book("Emma", 100)); got != "CREATE_COMPLETE" {
			t.Errorf("creating it ends in %s", got)
		}
		emma := s.PhysicalID("Book")
		if got := s.Deploy(book("Emma", 200)); got != "UPDATE_COMPLETE" || shelf.books[emma] != 200 {
			t.Errorf("updating it ends in %s, with %v", got, shelf.books)
		}
		if got := s.Data("Book"); !cmp.Equal(got, map[string]any{"Pages": "200"}) {
			t.Errorf("Fn::GetAtt reads %v", got)
		}
		if got := s.Deploy(book("Lady Susan", 80)); got != "UPDATE_COMPLETE" {
			t.Errorf("replacing it ends in %s", got)
		}
		susan := s.PhysicalID("Book")
		if got := shelf.names(); !cmp.Equal(got, []string{susan}) || susan == emma {
			t.Errorf("after the replacement of %s there is %v", emma, got)
		}
		if got := s.Destroy(); got != "DELETE_COMPLETE" || s.Status() != got || len(shelf.names()) > 0 || s.PhysicalID("Book") != "" {
			t.Errorf("deleting it ends in %s, with %v", got, shelf.books)
		}

		properties := func(title, pages string) map[string]any { return map[string]any{"Title": title, "Pages": pages} }
		success := func(id, pages string) *cfntest.Response {
			a := &cfntest.Response{Status: "SUCCESS", PhysicalResourceID: id, Invocations: 1}
			if pages != "" {
				a.Data = map[string]any{"Pages": pages}
			}
			return a
		}
		request := func(kind, id string, now, old map[string]any, answer *cfntest.Response, call cfntest.Call) cfntest.StackRequest {
			return cfntest.StackRequest{
				Type: kind, LogicalID: "Book", ResourceType: "Custom::Book", PhysicalID: id, Properties: now, OldProperties: old,
				Outcome: "Succeeded", Response: answer,
				Deliveries: []cfntest.Delivery{{Steps: 2, Link: 1, Response: answer, Calls: []cfntest.Call{call}}},
			}
		}
		want := []cfntest.StackRequest{
			request("Create", "", properties("Emma", "100"), nil, success(emma, "100"), cfntest.Call{Method: "Create", Created: emma}),
			request("Update", emma, properties("Emma", "200"), properties("Emma", "100"), success(emma, "200"), cfntest.Call{Method: "Update", PhysicalID: emma}),
			request("Update", emma, properties("Lady Susan", "80"), properties("Emma", "200"), success(susan, "80"), cfntest.Call{Method: "Create", Created: susan}),
			request("Delete", emma, properties("Emma", "200"), nil, success(emma, ""), cfntest.Call{Method: "Delete", PhysicalID: emma}),
			request("Delete", susan, properties("Lady Susan", "80"), nil, success(susan, ""), cfntest.Call{Method: "Delete", PhysicalID: susan}),
		}
		if diff := cmp.Diff(want, s.Requests()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

func TestStackEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, service := library()
		s := cfntest.NewStack(t, service, func(o *cfntest.StackOptions) { o.Name = "shop" })
		s.Deploy(book("Emma", 100))
		id := s.PhysicalID("Book")
		var got []cfntest.StackEvent
		for _, e := range s.Events() {
			if e.Time.IsZero() || e.LogicalID == "shop" && !strings.HasPrefix(e.PhysicalID, "arn:aws:cloudformation:us-west-2:") {
				t.Errorf("%+v", e)
			}
			e.Time, e.Type = time.Time{}, ""
			if e.LogicalID == "shop" {
				e.PhysicalID = ""
			}
			got = append(got, e)
		}
		want := []cfntest.StackEvent{
			{LogicalID: "shop", Status: "CREATE_IN_PROGRESS", Reason: "User Initiated"},
			{LogicalID: "Book", Status: "CREATE_IN_PROGRESS"},
			{LogicalID: "Book", Status: "CREATE_IN_PROGRESS", PhysicalID: id, Reason: "Resource creation Initiated"},
			{LogicalID: "Book", Status: "CREATE_COMPLETE", PhysicalID: id},
			{LogicalID: "shop", Status: "CREATE_COMPLETE"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// An hour's wait takes no time, and the function's processes see it pass.
func TestStackWaitsInVirtualTime(t *testing.T) {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		_, service := library()
		s := cfntest.NewStack(t, service)
		s.Inject(fault.Fault{Kind: fault.LoseAnswer})
		virtual := time.Now()
		s.Deploy(book("Emma", 100))
		if took := time.Since(virtual); took < time.Hour {
			t.Errorf("a lost answer was waited for for %v", took)
		}
	})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("an hour took %v", took)
	}
}

// A seed gives the same story each time, and another one other IDs.
func TestStackIsTheSameEachTime(t *testing.T) {
	play := func(seed uint64) (story string) {
		synctest.Test(t, func(t *testing.T) {
			_, service := library()
			s := cfntest.NewStack(t, service, func(o *cfntest.StackOptions) { o.Seed = seed })
			template := book("Emma", 100)
			for _, id := range []string{"A", "B", "C", "D"} {
				template[id] = cfntest.Resource{Properties: bookProps{Title: id}}
			}
			s.Inject(fault.Fault{Kind: fault.Twice, LogicalID: "C"})
			s.Inject(fault.Fault{Kind: fault.LoseAnswer, LogicalID: "B"})
			s.Deploy(template)
			s.Settle()
			story = s.Story()
		})
		return story
	}
	first := play(1)
	for range 20 {
		if diff := cmp.Diff(first, play(1)); diff != "" {
			t.Fatalf("another story (-first +now):\n%s", diff)
		}
	}
	if first == play(2) {
		t.Error("another seed gives the same IDs")
	}
}

// A stack that was deleted and is created again is another one.
func TestStackIsCreatedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, service := library()
		s := cfntest.NewStack(t, service)
		s.Deploy(book("Emma", 100))
		first := s.PhysicalID("Book")
		s.Destroy()
		if got := s.Deploy(book("Emma", 100)); got != "CREATE_COMPLETE" {
			t.Errorf("creating it again ends in %s", got)
		}
		if second := s.PhysicalID("Book"); second == first || !cmp.Equal(shelf.names(), []string{second}) {
			t.Errorf("%s, and then %s; there is %v", first, second, shelf.names())
		}
	})
}

// Cancel cancels what another goroutine's Deploy plays: the handler goes on, and
// the rollback's request overlaps with it.
func TestStackCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, service := library()
		s := cfntest.NewStack(t, service)
		tellOnFailure(t, s)
		s.Deploy(book("Emma", 100))
		id := s.PhysicalID("Book")

		shelf.takes = 20 * time.Second
		time.AfterFunc(10*time.Second, s.Cancel)
		if got := s.Deploy(book("Emma", 200)); got != "UPDATE_ROLLBACK_COMPLETE" {
			t.Errorf("the cancelled update ends in %s", got)
		}
		s.Settle()
		if got := shelf.books[id]; got != 100 {
			t.Errorf("the book has %d pages, want those of the rollback, which began later", got)
		}
		requests := s.Requests()
		if n := len(requests); n != 3 || requests[1].Outcome != "Cancelled" || requests[1].Response != nil || requests[1].Deliveries[0].Response == nil {
			t.Errorf("%d requests, the second %+v", n, requests[1])
		}
		shelf.takes = 0

		if failed := try(t, func(f *fakeT) { cfntest.NewStack(f, service).Cancel() }); !strings.Contains(failed, "does not exist") {
			t.Errorf("cancelling what does not exist: %q", failed)
		}
	})
}

// A creation is cancelled by deleting the stack.
func TestStackCancelCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shelf, service := library()
		shelf.takes = 2500 * time.Millisecond // the last look has three seconds
		s := cfntest.NewStack(t, service)
		tellOnFailure(t, s)
		time.AfterFunc(2*time.Second, s.Cancel)
		if got := s.Deploy(book("Emma", 100)); got != "DELETE_COMPLETE" {
			t.Errorf("the cancelled creation ends in %s", got)
		}
		if left := shelf.names(); len(left) > 0 {
			t.Errorf("there is %v", left)
		}
	})
}

// A stand-in that fails rolls back what it depends on, and later operations
// lead on from each state.
func TestStackRollsBack(t *testing.T) {
	failing := func(t cfntest.Template) cfntest.Template {
		t["Last"] = cfntest.Resource{Type: "AWS::SNS::Topic", DependsOn: []string{"Book"}, Fails: "no more topics"}
		return t
	}
	keep := func(d *cfntest.Deployment) { d.DisableRollback = true }
	synctest.Test(t, func(t *testing.T) {
		shelf, service := library()
		s := cfntest.NewStack(t, service)
		tellOnFailure(t, s)
		expect := func(what, got, want string, pages ...int) {
			t.Helper()
			var there []int
			for _, name := range shelf.names() {
				there = append(there, shelf.books[name])
			}
			if got != want || !cmp.Equal(there, pages) {
				t.Errorf("%s ends in %s with %v, want %s with %v", what, got, there, want, pages)
			}
		}
		expect("a creation that fails", s.Deploy(failing(book("Emma", 100))), "ROLLBACK_COMPLETE")
		expect("its deletion", s.Destroy(), "DELETE_COMPLETE")
		expect("one that is kept", s.Deploy(failing(book("Emma", 100)), keep), "CREATE_FAILED", 100)
		expect("its rollback", s.Rollback(), "DELETE_COMPLETE")
		expect("one that is deleted", s.Deploy(failing(book("Emma", 100)), func(d *cfntest.Deployment) { d.OnFailure = "DELETE" }), "DELETE_COMPLETE")

		expect("a creation", s.Deploy(book("Emma", 100)), "CREATE_COMPLETE", 100)
		expect("an update that fails", s.Deploy(failing(book("Emma", 200))), "UPDATE_ROLLBACK_COMPLETE", 100)
		expect("one that is kept", s.Deploy(failing(book("Emma", 200)), keep), "UPDATE_FAILED", 200)
		expect("its rollback", s.Rollback(), "UPDATE_ROLLBACK_COMPLETE", 100)

		s.Inject(fault.Fault{Kind: fault.ErrorAfter, Request: "Update", Skip: 1})
		expect("a rollback that fails", s.Deploy(failing(book("Emma", 200))), "UPDATE_ROLLBACK_FAILED", 100)
		expect("to go on with it", s.ContinueRollback(), "UPDATE_ROLLBACK_COMPLETE", 100)
		s.Inject(fault.Fault{Kind: fault.ErrorAfter, Request: "Update", Skip: 1})
		expect("another one", s.Deploy(failing(book("Emma", 200))), "UPDATE_ROLLBACK_FAILED", 100)
		expect("to skip it", s.ContinueRollback("Book"), "UPDATE_ROLLBACK_COMPLETE", 100)

		s.Inject(fault.Fault{Kind: fault.ErrorAfter, Request: "Delete"})
		expect("a deletion that fails", s.Destroy(), "DELETE_FAILED")
		expect("one that retains it", s.Destroy("Book"), "DELETE_COMPLETE")
	})
}

// A process that is kept warm gets one event after another, until it dies.
func TestStackWarm(t *testing.T) {
	for _, test := range []struct {
		name string
		warm int
		want int
	}{{"warm", 1, 2}, {"two in turn", 2, 3}, {"cold", 0, 5}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, service := library()
				processes := 0
				function := service.Function
				service.Function = func() cfntest.Function { processes++; return function() }
				s := cfntest.NewStack(t, service, func(o *cfntest.StackOptions) { o.Warm = test.warm })
				s.Deploy(book("Emma", 100))
				s.Deploy(book("Emma", 200))
				s.Inject(fault.Fault{Kind: fault.DieAfter})
				s.Deploy(book("Emma", 300))
				s.Destroy()
				if processes != test.want {
					t.Errorf("%d processes, want %d", processes, test.want)
				}
			})
		})
	}
}

// The story names what happened, and tells no value.
func TestStackStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, service := library()
		s := cfntest.NewStack(t, service)
		s.Deploy(book("Sense and Sensibility", 31415))
		s.Inject(fault.Fault{Kind: fault.DieAtStep, Step: 2})
		s.Deploy(book("Sense and Sensibility", 27182))
		s.Destroy()
		id := s.Requests()[1].PhysicalID
		want := strings.ReplaceAll(`
      0s  CreateStack of my-stack
      0s  stack CREATE_IN_PROGRESS (User Initiated)
      0s  Create of Book with Pages, Title
      0s    the handler's Create returned, and named ID
      0s    answered SUCCESS ID
      0s  stack CREATE_COMPLETE
      0s  UpdateStack of my-stack
      0s  stack UPDATE_IN_PROGRESS (User Initiated)
      0s  Update of Book (ID): Pages changed
      0s    FAULT die-at-step: the process dies at step 2
      0s    the handler's Update of ID ended with the process
    1m0s    Lambda delivers the event again
    1m0s    the handler's Update of ID returned
    1m0s    answered SUCCESS ID
    1m0s  stack UPDATE_COMPLETE_CLEANUP_IN_PROGRESS
    1m0s  stack UPDATE_COMPLETE
    1m0s  DeleteStack of my-stack
    1m0s  stack DELETE_IN_PROGRESS (User Initiated)
    1m0s  Delete of Book (ID)
    1m0s    the handler's Delete of ID returned
    1m0s    answered SUCCESS ID
    1m0s  stack DELETE_COMPLETE
`, "ID", id)
		if diff := cmp.Diff(want, "\n"+s.Story()); diff != "" {
			t.Errorf("the story (-want +got):\n%s", diff)
		}
		for _, value := range []string{"Sense", "31415", "27182"} {
			if strings.Contains(s.Story(), value) {
				t.Errorf("the story tells %s", value)
			}
		}
	})
}
