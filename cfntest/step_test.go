package cfntest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// Where no test plays a stack, a Step does nothing.
func TestStepElsewhere(t *testing.T) {
	if err := cfntest.Step(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cfntest.Step(ctx); err != nil {
		t.Errorf("a context that has ended: %v", err)
	}
}

// A tripper is a transport that answers at once, and counts.
type tripper struct{ sent, opened, closed int }

type tripped struct {
	io.Reader
	t *tripper
}

func (b tripped) Close() error { b.t.closed++; return nil }

func (t *tripper) RoundTrip(req *http.Request) (*http.Response, error) {
	t.sent++
	t.opened++
	_ = req.Body.Close()
	return &http.Response{StatusCode: http.StatusOK, Body: tripped{strings.NewReader("ok"), t}, Request: req}, nil
}

// There is a step before a request is sent, and one after its reply.
func TestSteps(t *testing.T) {
	for _, test := range []struct {
		fault fault.Kind
		step  int
		sent  int // in the first delivery
		ends  string
	}{
		{fault.FailAtStep, 1, 0, "FAILED"},
		{fault.FailAtStep, 2, 1, "FAILED"},
		{fault.HangAtStep, 1, 0, "FAILED"},
		{fault.DieAtStep, 1, 0, ""},
		{fault.DieAtStep, 2, 1, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := &tripper{}
			d := dealer{"http://shop.example", &http.Client{Transport: cfntest.Steps(base)}}
			var sent []int
			s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
				sent = append(sent, base.sent)
				return cfnresource.New(d, quietly)
			}})
			s.Inject(fault.Fault{Kind: test.fault, Step: test.step, Request: "Create"})
			s.Deploy(book("Emma", 100))
			s.Destroy()
			if got := append(sent, base.sent)[1]; got != test.sent {
				t.Errorf("%s at %d: the first process sent %d requests, want %d", test.fault, test.step, got, test.sent)
			}
			first, got := s.Requests()[0].Deliveries[0], ""
			if first.Response != nil {
				got = first.Response.Status
			}
			if got != test.ends {
				t.Errorf("%s at %d: the first process answered %q, want %q", test.fault, test.step, got, test.ends)
			}
			if base.closed != base.opened {
				t.Errorf("%s at %d: of %d replies %d were closed", test.fault, test.step, base.opened, base.closed)
			}
		})
	}
}

// A request that is not sent has its body closed, as by any transport.
func TestStepsCloseTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &tripper{}
		h := invokeFunc(func(ctx context.Context, payload []byte) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://shop.example", tripped{strings.NewReader("x"), body})
			if err != nil {
				return err
			}
			if res, err := cfntest.Steps(failingTripper{}).RoundTrip(req); err == nil {
				return res.Body.Close()
			}
			return answer(ctx, payload)
		})
		s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return h }})
		s.Inject(fault.Fault{Kind: fault.FailAtStep, Step: 1})
		s.Deploy(book("Emma", 100))
		if body.closed != 1 {
			t.Errorf("the body was closed %d times", body.closed)
		}
	})
}

type failingTripper struct{}

var errNoRoute = errors.New("no route")

func (failingTripper) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNoRoute }

// What the transport fails with is passed on, also outside of a stack.
func TestStepsElsewhere(t *testing.T) {
	for _, test := range []struct {
		base http.RoundTripper
		want error
	}{{failingTripper{}, errNoRoute}, {&tripper{}, nil}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://shop.example", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := cfntest.Steps(test.base).RoundTrip(req)
		if !errors.Is(err, test.want) {
			t.Errorf("%v, want %v", err, test.want)
		}
		if res != nil {
			if text, err := io.ReadAll(res.Body); err != nil || !cmp.Equal(text, []byte("ok")) {
				t.Errorf("read %q, %v", text, err)
			}
			if err := res.Body.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

type replies struct{}

func (replies) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}

// A service that refuses for good replies so: a client that tries again whatever fails
// on the way gives up.
func TestStepsReplyThatTheServiceRefuses(t *testing.T) {
	for code, status := range map[cfnresource.Code]int{
		cfnresource.CodeAccessDenied: http.StatusForbidden, cfnresource.CodeThrottling: http.StatusTooManyRequests,
	} {
		for refused := range 2 {
			steps := 0
			ctx := hook.WithSteps(t.Context(), func(context.Context) error {
				if steps++; steps > refused {
					return cfnresource.Errorf(code, "the service refuses it")
				}
				return nil
			})
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service.example", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			res, err := cfntest.Steps(replies{}).RoundTrip(req)
			if err != nil {
				t.Fatalf("%s at step %d: %v", code, refused+1, err)
			}
			if _ = res.Body.Close(); res.StatusCode != status {
				t.Errorf("%s at step %d is answered %d", code, refused+1, res.StatusCode)
			}
		}
	}
}
