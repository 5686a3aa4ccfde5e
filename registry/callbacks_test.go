package registry_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/registry"
)

// A chain of callbacks of an hour: every answer has the identifier, each call has
// a process of its own, and one resource is made.
func TestAnHourOfCallbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.takes = time.Hour
		fresh := func() *registry.Dispatcher { return newType(t, s) }
		start := time.Now()
		a, calls := play(t, fresh, event{action: "CREATE", stack: stackARN, properties: asked})
		if a.Status != "SUCCESS" || s.made != 1 || time.Since(start) < time.Hour || calls < 60 {
			t.Errorf("after %s and %d calls the answer is %+v, and %d things are made", time.Since(start), calls, a, s.made)
		}
		a, calls = play(t, fresh, event{action: "DELETE", token: "2", stack: stackARN, properties: string(a.ResourceModel)})
		if a.Status != "SUCCESS" || calls < 60 || len(s.things) != 0 {
			t.Errorf("after %d calls the DELETE is answered %+v, and %d things are there", calls, a, len(s.things))
		}
	})
}

// The answer of one call is lost, whichever: CloudFormation sends the same call again, to another
// process. One thing is made, and the request succeeds; only the first call of a stack's CREATE,
// which nothing tells from another CREATE, fails, and makes no second thing.
func TestADeathInEachStep(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		for lost := 1; lost <= 5; lost++ {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf()
				s.takes = 3 * time.Minute
				n := 0
				next := func() *registry.Dispatcher { n++; return newType(t, s) }
				e := event{action: "CREATE", stack: stack, properties: asked}
				var a answer
				for call := 1; ; call++ {
					a = invoke(t, next(), e.json())
					if call == lost {
						a = invoke(t, next(), e.json())
					}
					if a.Status != "IN_PROGRESS" {
						break
					}
					e.context, e.properties = a.CallbackContext, string(a.ResourceModel)
					guard.Sleep(t.Context(), time.Duration(a.CallbackDelaySeconds)*time.Second)
				}
				want := "SUCCESS"
				if lost == 1 && stack != "" {
					want = "FAILED"
				}
				if a.Status != want || s.made != 1 || want == "FAILED" && (a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil) {
					t.Errorf("call %d of a CREATE in stack %q is lost: the answer is %+v, and %d things are made", lost, stack, a, s.made)
				}
			})
		}
	}
}

// What is made and cannot be read yet is in progress: a SUCCESS says that a READ
// succeeds. The handler is not called again for that.
func TestSuccessWaitsForRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.lag = 12 * time.Second
		a, calls := play(t, always(newType(t, s)), event{action: "CREATE", properties: asked})
		if a.Status != "SUCCESS" || calls < 3 || len(s.calls) != 1 {
			t.Errorf("after %d calls the answer is %+v; the handler's calls are %q", calls, a, s.calls)
		}
	})
}

// A Read for which no time is left says nothing about what was done: the next call reads again.
func TestReadWithoutTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{shelf: newShelf()}
		a, calls := play(t, always(registry.New(typeName, s)), event{action: "CREATE", properties: asked})
		if a.Status != "SUCCESS" || calls != 2 || s.made != 1 {
			t.Errorf("after %d calls the answer is %+v, and %d things are made", calls, a, s.made)
		}
	})
}

// stuck is a shelf whose first Read takes as long as it may.
type stuck struct {
	*shelf
	reads int
}

func (s *stuck) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	if s.reads++; s.reads == 1 {
		<-ctx.Done()
		return registry.Model[props, data]{}, ctx.Err()
	}
	return s.shelf.Read(ctx, req)
}

// busy is a shelf whose first Read fails.
type busy struct {
	*shelf
	fails error
}

func (b *busy) Read(ctx context.Context, req *registry.ReadRequest) (m registry.Model[props, data], err error) {
	if err, b.fails = b.fails, nil; err != nil {
		return m, err
	}
	return b.shelf.Read(ctx, req)
}

// A Read that fails for a moment is tried again, not before the service says, also where a
// client's own time was over.
func TestReadIsTriedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		fails       error
		least, most time.Duration
	}{
		"throttled":          {cfnresource.RetryAfter(cfnresource.Errorf(cfnresource.CodeThrottling, "slower"), 9*time.Second), 9 * time.Second, 9 * time.Second},
		"a client's timeout": {cfnresource.Errorf(cfnresource.CodeNetworkFailure, "Get: %w", context.DeadlineExceeded), 0, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &busy{newShelf(), tt.fails}
			s.things["t-1"] = &thing{props: props{Name: "a"}}
			start := time.Now()
			a := invoke(t, registry.New(typeName, s), event{action: "READ", properties: `{"PhysicalResourceId":"t-1"}`}.json())
			if took := time.Since(start); a.Status != "SUCCESS" || took < tt.least || took > tt.most {
				t.Errorf("%s: after %s the answer is %+v", name, took, a)
			}
		})
	}
}

// What is never shown fails, after minutes and not after hours.
func TestWhatReadNeverShowsFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.lag = 1000 * time.Hour
		a, _ := play(t, always(newType(t, s)), event{action: "CREATE", properties: asked})
		if a.ErrorCode != "NotStabilized" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
			t.Errorf("the answer is %+v", a)
		}
	})
}

// A callback that comes without the writeOnly values of its request writes nothing in
// their place, and names what there is. One that only waits for Read needs none.
func TestACallbackWithoutItsSecretsWritesNothing(t *testing.T) {
	without := func(model []byte) string { return strings.Replace(string(model), `,"Password":"hush-hush"`, "", 1) }
	for _, first := range []event{
		{action: "CREATE", properties: asked},
		{action: "UPDATE", properties: `{"Name":"a","Size":4,"Password":"hush-hush","PhysicalResourceId":"t-0"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			s.things["t-0"] = &thing{props: props{Name: "b"}}
			s.takes = 3 * time.Minute
			a := invoke(t, newType(t, s), first.json())
			if a.Status != "IN_PROGRESS" || !strings.Contains(string(a.ResourceModel), "hush") || strings.Contains(string(a.CallbackContext), "hush") {
				t.Fatalf("%s is answered %+v", first.action, a)
			}
			called := len(s.calls)
			second := first
			second.context, second.properties = a.CallbackContext, without(a.ResourceModel)
			a = invoke(t, newType(t, s), second.json())
			if a.ErrorCode != "InvalidRequest" || !strings.Contains(a.Message, "Password") || !strings.Contains(string(a.ResourceModel), `"t-`) || len(s.calls) > called {
				t.Errorf("%s: the answer is %+v, after %q", first.action, a, s.calls)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.lag = 10 * time.Second // until it can be read
		a := invoke(t, newType(t, s), event{action: "CREATE", properties: asked}.json())
		guard.Sleep(t.Context(), time.Minute)
		if a = invoke(t, newType(t, s), event{action: "CREATE", properties: without(a.ResourceModel), context: a.CallbackContext}.json()); a.Status != "SUCCESS" {
			t.Errorf("what is done is answered %+v", a)
		}
	})
}

// A callbackContext that comes with another token does nothing, and its answer names the
// resource all the same: else nobody could delete it.
func TestACallbackWithAnotherTokenIsAnsweredWithTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.takes = 3 * time.Minute
		e := event{action: "CREATE", properties: asked}
		a := invoke(t, newType(t, s), e.json())
		e.context, e.token = a.CallbackContext, "another"
		if a = invoke(t, newType(t, s), e.json()); a.ErrorCode != "InvalidRequest" || !strings.Contains(string(a.ResourceModel), `"t-1"`) || len(s.calls) != 1 {
			t.Errorf("the answer is %+v, after %q", a, s.calls)
		}
	})
}

// polls is a shelf whose things are asked for at an interval.
type polls struct {
	*shelf
	every time.Duration
}

func (p polls) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	id, err := p.make(req)
	if err != nil {
		return data{}, err
	}
	req.Created(id)
	return data{}, p.wait(ctx, id)
}

func (p polls) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	return data{}, p.wait(ctx, req.PhysicalID)
}

func (p polls) wait(ctx context.Context, id string) error {
	return cfnresource.Poll(ctx, p.every, func(context.Context) (bool, error) { return !time.Now().Before(p.at(id).ready), nil })
}

// A call that would wait for long ends, with that as its delay: CloudFormation charges
// for the time in a call. One that waits for moments takes its minute.
func TestALongIntervalIsWaitedForOutsideOfTheCall(t *testing.T) {
	for every, want := range map[time.Duration]struct {
		calls, delay int
		least, most  time.Duration // in calls
	}{
		time.Minute:     {31, 60, 0, time.Minute},
		5 * time.Second: {40, 5, 25 * time.Minute, 30 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			s.takes = 30 * time.Minute
			e := event{action: "CREATE", properties: asked}
			var inside time.Duration
			for calls := 1; ; calls++ {
				begun := time.Now()
				a := invoke(t, registry.New(typeName, polls{s, every}), e.json())
				if inside += time.Since(begun); a.Status != "IN_PROGRESS" {
					if a.Status != "SUCCESS" || calls > want.calls || inside < want.least || inside > want.most {
						t.Errorf("with a Poll every %s: %+v after %d calls that took %s", every, a, calls, inside)
					}
					break
				}
				if a.CallbackDelaySeconds != want.delay || calls > 100 {
					t.Fatalf("call %d with a Poll every %s is answered %+v", calls, every, a)
				}
				e.context, e.properties = a.CallbackContext, string(a.ResourceModel)
				guard.Sleep(t.Context(), time.Duration(a.CallbackDelaySeconds)*time.Second)
			}
		})
	}
}

// A Poll with a long interval may be denied for as long as the permission is new. A registry's request
// does not say when it was sent, so its later calls do not start that time anew: the request fails.
func TestADeniedPollEnds(t *testing.T) {
	for _, every := range []time.Duration{5 * time.Second, 20 * time.Second, 10 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			d := registry.New(typeName, doll(func(ctx context.Context, method string) error {
				if method == "Read" {
					return nil
				}
				return cfnresource.Poll(ctx, every, func(context.Context) (bool, error) { return false, errDenied })
			}))
			a, calls := play(t, always(d), event{action: "CREATE", properties: asked})
			if a.Status != "FAILED" || a.ErrorCode != "AccessDenied" || calls > 2 || time.Since(start) > every+time.Minute {
				t.Errorf("with a Poll every %s: %+v after %d calls and %s", every, a, calls, time.Since(start))
			}
		})
	}
}
