package cfnresource_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// What the tests have in common: a handler that is told what to do, and a sender
// that keeps the answers.

const (
	stackID = "arn:aws:cloudformation:us-west-2:123456789012:stack/shop/6f1e2a70-52a7-11ee-9d3a-0e4c1f6a2b1d"
	genID   = "shop-Topic-1CSUXRDAWQ7WW" // as CloudFormation makes them up
	marker  = physicalid.NotCreated
)

type props struct {
	Name   string `cfn:"createOnly"`
	Size   int
	Secret string `cfn:"secret"`
}

type data = map[string]any

// stable is the StableID of the resource whose Name is name.
func stable(name string) string {
	identity := ""
	if name != "" {
		identity = fmt.Sprintf(`{"Name":%q}`, name)
	}
	return physicalid.Stable(stackID, "Topic", identity, 0)
}

// A fake is a Handler of functions. One that is nil does nothing and succeeds.
type fake struct {
	onCreate func(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error)
	onUpdate func(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error)
	onDelete func(ctx context.Context, req *cfnresource.DeleteRequest[props]) error

	mu    sync.Mutex
	calls []string // "Create b replaces ID", "Update ID", "Update ID of another identity", "Delete ID", "Find b"
}

func (f *fake) called(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (f *fake) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (res data, err error) {
	if req.Replaces != "" {
		f.called("Create %s replaces %s", req.Properties.Name, req.Replaces)
	} else {
		f.called("Create %s", req.Properties.Name)
	}
	if f.onCreate == nil {
		return res, nil
	}
	return f.onCreate(ctx, req)
}

func (f *fake) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (res data, err error) {
	if req.IdentityChanged {
		f.called("Update %s of another identity", req.PhysicalID)
	} else {
		f.called("Update %s", req.PhysicalID)
	}
	if f.onUpdate == nil {
		return res, nil
	}
	return f.onUpdate(ctx, req)
}

func (f *fake) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	f.called("Delete %s", req.PhysicalID)
	if f.onDelete == nil {
		return nil
	}
	return f.onDelete(ctx, req)
}

// A finder is a fake with Find. If onFind is nil, it finds nothing.
type finder struct {
	fake
	onFind func(ctx context.Context, req *cfnresource.FindRequest[props]) (string, error)
}

func (f *finder) Find(ctx context.Context, req *cfnresource.FindRequest[props]) (string, error) {
	f.called("Find %s", req.Properties.Name)
	if f.onFind == nil {
		return "", nil
	}
	return f.onFind(ctx, req)
}

// finds returns an onFind that knows the IDs of some names.
func finds(ids map[string]string) func(context.Context, *cfnresource.FindRequest[props]) (string, error) {
	return func(_ context.Context, req *cfnresource.FindRequest[props]) (string, error) {
		return ids[req.Properties.Name], nil
	}
}

// An answer is a response object as CloudFormation reads it.
type answer struct {
	Status, Reason, PhysicalResourceId    string
	StackId, RequestId, LogicalResourceId string
	NoEcho                                bool
	Data                                  data
}

// A recorder is a Sender that keeps what is sent. It delivers nothing, and
// knows nothing of the URL.
type recorder struct {
	mu     sync.Mutex
	bodies [][]byte
	err    error // the result of Send
}

func (r *recorder) Send(_ context.Context, _ response.URL, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = append(r.bodies, body)
	return r.err
}

type invoker interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// invoke passes an event to d as Lambda does for a function with a timeout of
// 30 seconds, and returns its one answer.
func invoke(t *testing.T, d invoker, p payload) answer {
	t.Helper()
	return invokeWithin(t, 30*time.Second, d, p)
}

// invokeWithin is invoke with another function's timeout.
func invokeWithin(t *testing.T, timeout time.Duration, d invoker, p payload) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	var rec recorder
	if _, err := d.Invoke(hook.WithSender(ctx, &rec), p()); err != nil {
		t.Fatalf("Invoke: %v", err)
	}
	if len(rec.bodies) != 1 {
		t.Fatalf("%d answers, want 1: %s", len(rec.bodies), rec.bodies)
	}
	return judge(t, rec.bodies[0])
}

// judge reads an answer by CloudFormation's rules.
func judge(t *testing.T, body []byte) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("CloudFormation would refuse the answer: %v\n%s", err, body)
	}
	switch {
	case len(body) > 4096:
		t.Errorf("the answer has %d bytes", len(body))
	case a.Status != "SUCCESS" && a.Status != "FAILED":
		t.Errorf("Status is %q", a.Status)
	case a.Status == "FAILED" && a.Reason == "":
		t.Error("FAILED without a Reason")
	case a.PhysicalResourceId == "" || len(a.PhysicalResourceId) > 1024:
		t.Errorf("PhysicalResourceId is %q", a.PhysicalResourceId)
	}
	return a
}

// silent is an option that keeps the log out of the test's output.
func silent(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) }

var errSome = errors.New("the service is in a bad mood")

// dispatcher returns a Dispatcher for a *fake or a *finder that logs nothing.
func dispatcher(handler any, optFns ...func(*cfnresource.Options)) *cfnresource.Dispatcher {
	optFns = append([]func(*cfnresource.Options){silent}, optFns...)
	switch h := handler.(type) {
	case *fake:
		return cfnresource.New(h, optFns...)
	case *finder:
		return cfnresource.New(h, optFns...)
	case cfnresource.Handler[props, data]:
		return cfnresource.New(h, optFns...)
	}
	panic("no handler")
}

// calls returns the calls so far: a handler that was given up may add to them.
func calls(handler any) []string {
	f, ok := handler.(*fake)
	if !ok {
		f = &handler.(*finder).fake
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// ignoreContext is a handler that does not return when its context ends.
func ignoreContext() (res data, err error) {
	<-time.After(time.Minute)
	return res, nil
}

// bubble runs fn in virtual time, and then waits for what fn left running.
func bubble(t *testing.T, fn func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fn(t)
		<-time.After(time.Hour)
	})
}

// subtest runs fn as a subtest in a bubble.
func subtest(t *testing.T, name string, fn func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { bubble(t, fn) })
}

// expect sends an event to a new process, and checks what it answers.
func expect(t *testing.T, handler any, p payload, status, id string, optFns ...func(*cfnresource.Options)) answer {
	t.Helper()
	a := invoke(t, dispatcher(handler, optFns...), p)
	if a.Status != status || a.PhysicalResourceId != id {
		t.Errorf("answered %s %s (%s), want %s %s", a.Status, a.PhysicalResourceId, a.Reason, status, id)
	}
	return a
}
