package cfntest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/testrun"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// continuing sets the options of a function that continues on Lambda. Here the kit replaces them.
func continuing(o *cfnresource.Options) {
	quietly(o)
	o.Continue = func(context.Context, []byte) error { panic("there is no Lambda here") }
	o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
		panic("there is no CloudFormation here")
	}
}

type castProps struct {
	Mould  string `cfn:"createOnly"`
	Colour string
}

// A foundry casts things, which take a while to cool.
type foundry struct {
	cools time.Duration

	mu     sync.Mutex
	casts  map[string]castProps
	since  map[string]time.Time
	tokens map[string]bool
	log    []string
}

func newFoundry(cools time.Duration) *foundry {
	return &foundry{cools: cools, casts: map[string]castProps{}, since: map[string]time.Time{}, tokens: map[string]bool{}}
}

func (f *foundry) names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.casts))
}

func (f *foundry) state(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.casts[id]; ok {
		return c
	}
	return nil
}

// do does something to the casts, as one request to a service.
func (f *foundry) do(ctx context.Context, what string, do func() error) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	f.log = append(f.log, what)
	err := do()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return cfntest.Step(ctx)
}

var errNoCast = errors.New("there is no such cast")

func (f *foundry) cool(ctx context.Context, id string) error {
	return cfnresource.Poll(ctx, 10*time.Second, func(context.Context) (bool, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		since, ok := f.since[id]
		if !ok {
			return false, errNoCast
		}
		return time.Since(since) >= f.cools, nil
	})
}

// A caster is a right handler that waits in each method.
type caster struct{ f *foundry }

func (h caster) Create(ctx context.Context, req *cfnresource.CreateRequest[castProps]) (data struct{}, err error) {
	id := req.StableID()
	err = h.f.do(ctx, "Create", func() error {
		h.f.tokens[req.IdempotencyToken()] = true
		if _, ok := h.f.casts[id]; ok {
			return cfnresource.AlreadyExists(id)
		}
		h.f.casts[id], h.f.since[id] = req.Properties, time.Now()
		return nil
	})
	if err != nil {
		return data, err
	}
	req.Created(id)
	return data, h.f.cool(ctx, id)
}

func (h caster) Update(ctx context.Context, req *cfnresource.UpdateRequest[castProps]) (data struct{}, err error) {
	err = h.f.do(ctx, "Update", func() error {
		h.f.tokens[req.IdempotencyToken()] = true
		was, ok := h.f.casts[req.PhysicalID]
		if !ok {
			return errNoCast
		}
		if was != req.Properties {
			h.f.casts[req.PhysicalID], h.f.since[req.PhysicalID] = req.Properties, time.Now()
		}
		return nil
	})
	if err != nil {
		return data, err
	}
	return data, h.f.cool(ctx, req.PhysicalID)
}

func (h caster) Delete(ctx context.Context, req *cfnresource.DeleteRequest[castProps]) error {
	err := h.f.do(ctx, "Delete", func() error {
		delete(h.f.casts, req.PhysicalID)
		return nil
	})
	if err != nil {
		return err
	}
	return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return h.f.state(req.PhysicalID) == nil, nil })
}

func (f *foundry) function() cfntest.Function { return cfnresource.New(caster{f}, continuing) }

func newCasting(t testing.TB, f *foundry) *cfntest.Stack {
	t.Helper()
	return cfntest.NewStack(t, cfntest.Service{Function: f.function}, func(o *cfntest.StackOptions) { o.Timeout = 5 * time.Minute })
}

func cast(p castProps) cfntest.Template { return cfntest.Template{"Cast": {Properties: p}} }

var (
	bell  = castProps{"bell", "red"}
	green = castProps{"bell", "green"}
	horse = castProps{"horse", "red"}
)

// Work that takes 40 minutes takes nine invocations of five, and gets one answer.
func TestInvokeFollowsAFunctionThatContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFoundry(40 * time.Minute)
		created := cfntest.Invoke(t, f.function(), cfntest.CreateEvent(bell))
		if created.Status != "SUCCESS" || created.Invocations != 9 || len(f.tokens) != 1 || len(f.casts) != 1 {
			t.Errorf("Create answered %+v, with %d tokens for %v", created, len(f.tokens), f.casts)
		}
		updated := cfntest.Invoke(t, f.function(), cfntest.UpdateEvent(created.PhysicalResourceID, green, bell))
		if updated.Status != "SUCCESS" || updated.Invocations != 9 {
			t.Errorf("Update answered %+v", updated)
		}
		// What InvokeContext is told counts: nobody waits any more.
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		late := cfntest.InvokeContext(cfntest.WithPhase(ctx, lifecycle.PhaseUnknown), t, f.function(), cfntest.CreateEvent(horse))
		if late.Status != "FAILED" || late.Invocations != 1 {
			t.Errorf("without a phase it answered %+v", late)
		}
	})
}

func TestAStackFollowsAFunctionThatContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFoundry(40 * time.Minute)
		stack := newCasting(t, f)
		for _, op := range []struct {
			props castProps
			want  string
		}{{bell, "CREATE_COMPLETE"}, {green, "UPDATE_COMPLETE"}, {horse, "UPDATE_COMPLETE"}} {
			start := time.Now()
			if status := stack.Deploy(cast(op.props)); status != op.want || len(f.names()) != 1 {
				t.Errorf("%s, and there are %v, after\n%s", status, f.names(), stack.Story())
			}
			if took := time.Since(start); took < 40*time.Minute || took > 41*time.Minute {
				t.Errorf("it took %v", took)
			}
		}
		stack.Destroy()
		requests := stack.Requests()
		var deliveries []int
		for _, r := range requests {
			deliveries = append(deliveries, len(r.Deliveries))
		}
		// Create, Update in place, replacement, its cleanup, Delete.
		if diff := cmp.Diff([]int{9, 9, 9, 1, 1}, deliveries); diff != "" || len(f.tokens) != 3 {
			t.Errorf("invocations (-want +got), with %d tokens:\n%s", len(f.tokens), diff)
		}
		first := requests[0].Deliveries
		if !first[0].Continued || first[0].Response != nil || first[8].Link != 9 || first[8].Continued || first[8].Response.Invocations != 9 {
			t.Errorf("the invocations of the Create are %+v", first)
		}
		if requests[0].Response.Status != "SUCCESS" {
			t.Errorf("it was answered %+v", requests[0].Response)
		}
	})
}

// With the default timeout a chain would be longer than Lambda permits, so the function says at once which one it needs. A
// ServiceTimeout that fits needs no longer one.
func TestAFunctionThatContinuesNeedsATimeout(t *testing.T) {
	for _, tt := range []struct {
		timeout        time.Duration
		serviceTimeout int
		want           string
	}{
		{0, 0, "Make it at least 4m0s"},
		{4 * time.Minute, 0, ""},
		{0, 600, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFoundry(0)
			stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(caster{f}, cfntest.Continues, quietly) }},
				func(o *cfntest.StackOptions) { o.Timeout = tt.timeout })
			stack.Deploy(cfntest.Template{"Cast": {Properties: bell, ServiceTimeout: tt.serviceTimeout}})
			if got := stack.Requests()[0].Response.Reason; !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("a timeout of %v, and a ServiceTimeout of %d s: the Reason is %q, want %q", tt.timeout, tt.serviceTimeout, got, tt.want)
			}
		})
	}
}

// Each fault of a chain leads to a result that CloudFormation accepts, if the handler is right.
func TestFaultsOfChains(t *testing.T) {
	const (
		done    = "UPDATE_COMPLETE"
		rolled  = "UPDATE_ROLLBACK_COMPLETE"
		created = "CREATE_COMPLETE"
		failed  = "ROLLBACK_COMPLETE"
		deleted = "DELETE_COMPLETE"
	)
	for what, want := range map[fault.Kind]struct {
		created, updated, replaced string
		told                       string
	}{
		fault.Slow:            {created, done, done, "invocation 3"},
		fault.LinkDies:        {created, done, done, "before it has sent the event on"},
		fault.LinkDiesForGood: {failed, rolled, rolled, "Lambda sends a record of it to the on-failure destination"},
		fault.LinkTwice:       {created, done, done, "delivers the function's payload to itself twice"},
		fault.LinkFails:       {failed, rolled, rolled, "the service fails for the second invocation"},
		fault.CancelBetween:   {deleted, rolled, rolled, "before the next invocation"},
		fault.CancelWaiting:   {deleted, rolled, rolled, "while the third invocation waits"},
		fault.ContinueRefused: {failed, rolled, rolled, "may not invoke itself"},
		fault.ContinueLost:    {created, done, done, "is lost"},
		fault.PhaseUnknown:    {failed, rolled, rolled, "does not say why the request was sent"},
		fault.PhaseLost:       {failed, rolled, rolled, "does not say why the request was sent"},
	} {
		for _, op := range []struct {
			request string
			from    []castProps
			to      castProps
			want    string
		}{{"Create", nil, bell, want.created}, {"Update", []castProps{bell}, green, want.updated}, {"Update", []castProps{bell}, horse, want.replaced}} {
			t.Run(string(what)+"/"+op.want+"/"+op.to.Mould, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFoundry(0)
					stack := newCasting(t, f)
					left := []string{}
					for _, p := range op.from {
						stack.Deploy(cast(p))
						left = f.names()
					}
					stack.Inject(fault.Fault{Kind: what, Request: op.request})
					start := time.Now()
					status := stack.Deploy(cast(op.to))
					if took := time.Since(start); what == fault.LinkFails && took > 5*time.Minute {
						t.Errorf("it took %v: what undoes the first invocation's work is kept from it", took)
					}
					if status != op.want || !strings.Contains(stack.Story(), want.told) {
						t.Fatalf("%s, want %s, after\n%s", status, op.want, stack.Story())
					}
					stack.Settle()
					if n := links(stack.Requests(), 2); (what == fault.LinkTwice || what == fault.ContinueLost) && n != 2 {
						t.Errorf("there were %d second invocations, want 2, after\n%s", n, stack.Story())
					}
					for _, r := range stack.Requests() {
						for _, d := range r.Deliveries {
							works := func(c cfntest.Call) bool { return c.Method == "Create" || c.Method == "Update" }
							if what == fault.CancelBetween && d.Link == 2 && slices.ContainsFunc(d.Calls, works) {
								t.Errorf("the invocation after the cancellation works: %v", d.Calls)
							}
						}
					}
					switch got := f.names(); {
					case status == created || op.to == horse && status == done:
						if len(got) != 1 {
							t.Errorf("%v are there, after\n%s", got, stack.Story())
						}
					default:
						if diff := cmp.Diff(left, got, cmp.Transformer("", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
							t.Errorf("left (-want +got):\n%s\n%s", diff, stack.Story())
						}
					}
				})
			})
		}
	}
}

// links counts the invocations that are at one place of their chain.
func links(requests []cfntest.StackRequest, link int) (n int) {
	for _, r := range requests {
		for _, d := range r.Deliveries {
			if d.Link == link {
				n++
			}
		}
	}
	return n
}

// A stack gives a function that continues the phases that DescribeStacks would.
func TestAStackTellsItsPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFoundry(0)
		var phases []lifecycle.Phase
		stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
			return cfnresource.New(caster{f}, continuing, func(o *cfnresource.Options) {
				o.Middleware = []cfnresource.Middleware{func(ctx context.Context, op *cfnresource.Operation, next func(context.Context) error) error {
					phases = append(phases, op.Phase(ctx))
					return next(ctx)
				}}
			})
		}}, func(o *cfntest.StackOptions) { o.Timeout = 5 * time.Minute })
		topic := cfntest.Resource{Type: "AWS::SNS::Topic"}
		fails := cfntest.Resource{Type: "AWS::SNS::Topic", DependsOn: []string{"Cast"}, Fails: "it is to"}
		for _, op := range []struct {
			template cfntest.Template
			want     []lifecycle.Phase
		}{
			{cfntest.Template{"Cast": {Properties: bell}, "Topic": topic}, []lifecycle.Phase{lifecycle.PhaseCreating}},
			{cfntest.Template{"Cast": {Properties: green}, "Topic": topic}, []lifecycle.Phase{lifecycle.PhaseUpdating}},
			{cfntest.Template{"Cast": {Properties: horse}, "Topic": topic}, []lifecycle.Phase{lifecycle.PhaseUpdating, lifecycle.PhaseReplacementCleanup}},
			{cfntest.Template{"Cast": {Properties: castProps{"horse", "blue"}}, "Topic": fails}, []lifecycle.Phase{lifecycle.PhaseUpdating, lifecycle.PhaseUpdateRollback}},
			{cfntest.Template{"Topic": topic}, []lifecycle.Phase{lifecycle.PhaseRemoval}},
		} {
			phases = nil
			stack.Deploy(op.template)
			if diff := cmp.Diff(op.want, phases); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, stack.Story())
			}
		}
	})
}

// A handler that does not return Poll's error answers too soon.
type hidesPollError struct{ caster }

func (h hidesPollError) Create(ctx context.Context, req *cfnresource.CreateRequest[castProps]) (data struct{}, err error) {
	_, _ = h.caster.Create(ctx, req)
	return data, nil
}

func TestAnAnswerBeforeItIsReadyFailsTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, swallows := range []bool{true, false} {
			f := newFoundry(0)
			failures := try(t, func(t *fakeT) {
				stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
					if swallows {
						return cfnresource.New(hidesPollError{caster{f}}, continuing)
					}
					return f.function()
				}}, func(o *cfntest.StackOptions) { o.Timeout = 5 * time.Minute })
				stack.Inject(fault.Fault{Kind: fault.Slow, Request: "Create"})
				stack.Deploy(cast(bell))
			})
			if swallows != strings.Contains(failures, "was not ready") || swallows != (failures != "") {
				t.Errorf("swallows %t: %q", swallows, failures)
			}
		}
	})
}

var casting = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		f := newFoundry(0)
		function := func() cfntest.Function { return cfnresource.New(caster{f}, quietly, cfntest.Continues) }
		return cfntest.Service{Function: function, State: f.state, List: f.names}
	},
	Properties: bell, InPlace: green, Replacing: horse,
	Timeout: 5 * time.Minute,
}

// Explore tries each fault of a chain in each request that waits.
func TestExploreAFunctionThatContinues(t *testing.T) {
	cfntest.Explore(t, casting, func(o *cfntest.ExploreOptions) { o.Depth = testrun.Share(1, 2) })
}

func TestAHandlerThatContinues(t *testing.T) { cfntest.TestHandler(t, casting) }

// A fault that happens once happens to one invocation of a chain.
func TestAFaultHappensOnceInAChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFoundry(12 * time.Minute)
		stack := newCasting(t, f)
		stack.Inject(fault.Fault{Kind: fault.DieAtStep, Step: 2})
		if status := stack.Deploy(cast(bell)); status != "CREATE_COMPLETE" {
			t.Fatalf("%s, after\n%s", status, stack.Story())
		}
		died := 0
		for _, d := range stack.Requests()[0].Deliveries {
			if d.Ended != "" {
				died++
			}
		}
		if died != 1 {
			t.Errorf("%d invocations died, after\n%s", died, stack.Story())
		}
	})
}

// The chain of a cancelled update ends though the next update gives the stack the same
// status: the time at which that began differs.
func TestAChainOfAnEarlierOperationEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stack := newCasting(t, newFoundry(0))
		stack.Deploy(cast(bell))
		stack.Inject(fault.Fault{Kind: fault.CancelWaiting, Request: "Update"})
		stack.Deploy(cast(green))
		stack.Inject(fault.Fault{Kind: fault.Slow, Request: "Update"})
		if status := stack.Deploy(cast(castProps{"bell", "blue"})); status != "UPDATE_COMPLETE" {
			t.Fatalf("%s, after\n%s", status, stack.Story())
		}
		cancelled := stack.Requests()[1]
		last := cancelled.Deliveries[len(cancelled.Deliveries)-1]
		if cancelled.Outcome != "Cancelled" || last.Link != 3 || last.Response == nil || !strings.Contains(last.Response.Reason, "no longer waits for it") {
			t.Errorf("the cancelled one is %s and ended with %+v, after\n%s", cancelled.Outcome, last, stack.Story())
		}
	})
}
