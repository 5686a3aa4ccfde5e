package cfntest_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

// A thing is a handler of named resources in memory.
type thing struct{ made map[string]bool }

type thingProps struct {
	Name string
	Size int
}

type thingData struct {
	Key  string `cfn:"secret"`
	Size int
}

func (h *thing) Create(_ context.Context, req *cfnresource.CreateRequest[thingProps]) (data thingData, err error) {
	if req.Properties.Name == "bad" {
		return data, errors.New("no such name")
	}
	req.Created(req.StableID())
	h.made[req.StableID()] = true
	data = thingData{Key: "k", Size: req.Properties.Size}
	return data, nil
}

func (h *thing) Update(_ context.Context, req *cfnresource.UpdateRequest[thingProps]) (data thingData, err error) {
	data.Size = req.Properties.Size
	return data, nil
}

func (h *thing) Delete(_ context.Context, req *cfnresource.DeleteRequest[thingProps]) error {
	delete(h.made, req.PhysicalID)
	return nil
}

func TestInvokeReturnsTheAnswer(t *testing.T) {
	h := &thing{made: map[string]bool{}}
	d := cfnresource.New(h)
	props := thingProps{Name: "a", Size: 3}

	created := cfntest.Invoke(t, d, cfntest.CreateEvent(props))
	want := cfntest.Response{
		Status:             "SUCCESS",
		PhysicalResourceID: created.PhysicalResourceID,
		NoEcho:             true,
		Data:               map[string]any{"Key": "k", "Size": "3"},
		Invocations:        1,
	}
	if diff := cmp.Diff(want, created); diff != "" {
		t.Errorf("Create (-want +got):\n%s", diff)
	}
	if !h.made[created.PhysicalResourceID] {
		t.Errorf("the answer names %q, which was not made", created.PhysicalResourceID)
	}

	updated := cfntest.Invoke(t, d, cfntest.UpdateEvent(created.PhysicalResourceID, thingProps{Name: "a", Size: 4}, props))
	if updated.Status != "SUCCESS" || updated.Data["Size"] != "4" || updated.PhysicalResourceID != created.PhysicalResourceID {
		t.Errorf("Update answered %+v", updated)
	}

	deleted := cfntest.Invoke(t, d, cfntest.DeleteEvent(created.PhysicalResourceID, props))
	if deleted.Status != "SUCCESS" || len(h.made) != 0 {
		t.Errorf("Delete answered %+v and left %v", deleted, h.made)
	}
}

// A FAILED answer is returned, and does not fail the test.
func TestInvokeReturnsAFailedAnswer(t *testing.T) {
	d := cfnresource.New(&thing{made: map[string]bool{}})
	got := cfntest.Invoke(t, d, cfntest.CreateEvent(thingProps{Name: "bad"}))
	if got.Status != "FAILED" || !strings.Contains(got.Reason, "no such name") {
		t.Errorf("answered %+v, want FAILED with the handler's error", got)
	}
}

func TestInvokeGivesTheHandlerADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left time.Duration
		d := cfnresource.New(cfnresource.Action(func(ctx context.Context, _ *cfnresource.UpdateRequest[thingProps]) (data thingData, err error) {
			deadline, _ := ctx.Deadline()
			left = time.Until(deadline)
			return data, nil
		}))
		cfntest.Invoke(t, d, cfntest.CreateEvent(thingProps{}))
		if left < 4*time.Minute || left > 5*time.Minute {
			t.Errorf("Invoke: the handler has %s, want a little less than five minutes", left)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		cfntest.InvokeContext(ctx, t, d, cfntest.CreateEvent(thingProps{}))
		if left < 5*time.Second || left > 10*time.Second {
			t.Errorf("InvokeContext: the handler has %s, want a little less than ten seconds", left)
		}
	})
}

// sends is a function that sends the answers that it consists of.
type sends struct {
	bodies [][]byte
	err    error
}

func (s sends) Invoke(ctx context.Context, _ []byte) ([]byte, error) {
	sender, ok := hook.Sender(ctx)
	if !ok {
		return nil, errors.New("the context has no Sender")
	}
	for _, body := range s.bodies {
		if err := sender.Send(ctx, response.URL{}, body); err != nil {
			return nil, err
		}
	}
	return nil, s.err
}

func TestInvokeFailsTheTestUnlessAnsweredOnce(t *testing.T) {
	good := []byte(`{"Status":"SUCCESS","PhysicalResourceId":"p","StackId":"s","RequestId":"r","LogicalResourceId":"l"}`)
	event := []byte(`{"RequestType":"Create","StackId":"s","RequestId":"r","LogicalResourceId":"l"}`)
	for _, tc := range []struct {
		name   string
		event  []byte
		bodies [][]byte
		err    error
		want   string // part of the failure, or "" for none
	}{
		{"one answer is right", event, [][]byte{good}, nil, ""},
		{"none leaves the stack waiting", event, nil, nil, "was not answered"},
		{"two are one too many", event, [][]byte{good, good}, nil, "was answered 2 times"},
		{"an error makes Lambda deliver again", event, [][]byte{good}, errors.New("broken"), "returned an error"},
		{"a bad answer is no answer", event, [][]byte{[]byte("{}")}, nil, "would not accept"},
		{"an event that is not JSON cannot be held against", []byte("{"), [][]byte{good}, nil, "the event is not a JSON object"},
		{"nor one without IDs", []byte("{}"), [][]byte{good}, nil, "has no StackId"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := sends{tc.bodies, tc.err}
			got := try(t, func(t *fakeT) { cfntest.Invoke(t, h, tc.event) })
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("failed with %q, want %q", got, tc.want)
			}
		})
	}
}

// answerTo returns an answer to event that is right.
func answerTo(t *testing.T, event []byte) map[string]any {
	t.Helper()
	e := decode(t, event)
	return map[string]any{
		"Status":             "SUCCESS",
		"PhysicalResourceId": "p",
		"StackId":            e["StackId"],
		"RequestId":          e["RequestId"],
		"LogicalResourceId":  e["LogicalResourceId"],
	}
}

// What is wrong with an answer is told in one order, so that a story is the same in each run.
func TestWhatIsWrongWithAnAnswerIsToldInOneOrder(t *testing.T) {
	const event = `{"RequestType":"Create","StackId":"s","RequestId":"r","LogicalResourceId":"l"}`
	const body = `{"Status":"SUCCESS","PhysicalResourceId":"p","A":1,"B":2,"C":null,"D":4,"Data":{"a":1,"b":null,"c":{},"d":4}}`
	first := ""
	for i := range 30 {
		told := try(t, func(t *fakeT) { cfntest.Invoke(t, sends{[][]byte{[]byte(body)}, nil}, []byte(event)) })
		if i == 0 {
			first = told
		}
		if told == "" || told != first {
			t.Fatalf("at first\n%s\nand then\n%s", first, told)
		}
	}
}

// The phase in the context overrides Options.Phase, for the handler and the dispatcher.
func TestWithPhase(t *testing.T) {
	var got lifecycle.Phase
	look := cfnresource.Action(func(ctx context.Context, req *cfnresource.UpdateRequest[bookProps]) (data struct{}, err error) {
		got = req.Phase(ctx)
		return data, nil
	})
	d := cfnresource.New(look, quietly, func(o *cfnresource.Options) {
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			return lifecycle.PhaseUpdating, nil
		}
	})
	// A template's typo: in a rollback, it is none of this deployment's.
	props := map[string]any{"Title": "Emma", "Pags": 3}
	event := cfntest.UpdateEvent("book", props, props)
	if a := cfntest.Invoke(t, d, event); a.Status != "FAILED" {
		t.Errorf("an Update that leads forward is answered %s", a.Status)
	}
	ctx := cfntest.WithPhase(t.Context(), lifecycle.PhaseUpdateRollback)
	if a := cfntest.InvokeContext(ctx, t, d, event); a.Status != "SUCCESS" || got != lifecycle.PhaseUpdateRollback {
		t.Errorf("in the phase %q it is answered %s %s", got, a.Status, a.Reason)
	}
}

// A stack's function logs to its own test, and one that has a Logger to that.
func TestAStackLogsToItsTest(t *testing.T) {
	was := slog.Default()
	t.Cleanup(func() { slog.SetDefault(was) })
	for _, tt := range []struct {
		logger *slog.Logger
		want   bool
	}{{nil, true}, {slog.New(slog.DiscardHandler), false}} {
		var elsewhere strings.Builder
		slog.SetDefault(slog.New(slog.NewTextHandler(&elsewhere, nil)))
		synctest.Test(t, func(t *testing.T) {
			log := &keepsLog{TB: t}
			f := newFoundry(0)
			stack := cfntest.NewStack(log, cfntest.Service{Function: func() cfntest.Function {
				return cfnresource.New(caster{f}, func(o *cfnresource.Options) { o.Logger = tt.logger })
			}})
			stack.Deploy(cast(bell))
			if got := strings.Contains(log.String(), "Create succeeded"); got != tt.want {
				t.Errorf("the test's log is %q", log.String())
			}
		})
		if elsewhere.Len() > 0 {
			t.Errorf("elsewhere is logged %q", elsewhere.String())
		}
	}
}

// keepsLog keeps what is logged.
type keepsLog struct {
	testing.TB
	strings.Builder
}

func (t *keepsLog) Log(args ...any) {
	for _, a := range args {
		t.WriteString(a.(string) + "\n")
	}
}

// A line is all that a function needs to continue in a test.
func TestContinuesIsALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFoundry(40 * time.Minute)
		function := func() cfntest.Function { return cfnresource.New(caster{f}, quietly, cfntest.Continues) }
		if got := cfntest.Invoke(t, function(), cfntest.CreateEvent(bell)); got.Status != "SUCCESS" || got.Invocations != 9 {
			t.Errorf("Invoke: %+v", got)
		}
		stack := cfntest.NewStack(t, cfntest.Service{Function: function}, func(o *cfntest.StackOptions) { o.Timeout = 5 * time.Minute })
		if status := stack.Deploy(cast(bell)); status != "CREATE_COMPLETE" || stack.Requests()[0].Response.Invocations != 9 {
			t.Errorf("a Stack is in %s after\n%s", status, stack.Story())
		}
	})
}
