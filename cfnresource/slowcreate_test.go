package cfnresource_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A Create that took over ten seconds asks again before it answers. Where the
// stack has turned round, what this call made is deleted.
func TestSlowCreateAsksBeforeItAnswers(t *testing.T) {
	const up, on = lifecycle.PhaseGivenUp, lifecycle.PhaseCreating
	for _, tt := range []struct {
		name    string
		takes   time.Duration
		tracks  string
		returns string
		err     error
		asks    bool // the handler, at its start
		phases  []lifecycle.Phase
		status  string
		deleted string
		asked   int
	}{
		{"named", slow, "svc-1", "", nil, false, []lifecycle.Phase{up}, "FAILED", "svc-1", 1},
		{"returned", slow, "", "svc-1", nil, false, []lifecycle.Phase{up}, "FAILED", "svc-1", 1},
		{"named, then failed", slow, "svc-1", "", errSome, false, []lifecycle.Phase{up}, "FAILED", "svc-1", 1},
		{"asked afresh", slow, "svc-1", "", nil, true, []lifecycle.Phase{on, up}, "FAILED", "svc-1", 2},
		{"still awaited", slow, "svc-1", "", nil, false, []lifecycle.Phase{on}, "SUCCESS", "", 1},
		{"answered by another delivery", slow, "svc-1", "", nil, false, []lifecycle.Phase{lifecycle.PhaseNotAwaited}, "SUCCESS", "", 1},
		{"nobody knows", slow, "svc-1", "", nil, false, []lifecycle.Phase{lifecycle.PhaseUnknown}, "SUCCESS", "", 1},
		{"nothing named", slow, "", "", nil, false, []lifecycle.Phase{up}, "SUCCESS", "", 0},
		{"another's name", slow, "svc-1", "", cfnresource.AlreadyExists("svc-1"), false, []lifecycle.Phase{up}, "FAILED", "", 0},
		{"a quick one", quick, "svc-1", "", nil, false, []lifecycle.Phase{up}, "SUCCESS", "", 0},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			h := &fake{onCreate: func(ctx context.Context, req *create) (data, error) {
				if tt.asks {
					req.Phase(ctx)
				}
				<-time.After(tt.takes)
				req.Created(tt.tracks)
				req.Created(tt.returns)
				return nil, tt.err
			}}
			p := tells(tt.phases...)
			got := invoke(t, dispatcher(h, p.option), created(nil))
			if got.Status != tt.status {
				t.Errorf("answered %s: %s", got.Status, got.Reason)
			}
			want := []string{"Create a"}
			if tt.deleted != "" {
				want = append(want, "Delete "+tt.deleted)
			}
			if c := calls(h); !slices.Equal(c, want) {
				t.Errorf("calls %q, want %q", c, want)
			}
			if len(p.asked) != tt.asked {
				t.Errorf("asked %d times, want %d", len(p.asked), tt.asked)
			}
		})
	}
}

// What counts is the time since the event was sent: a Create that waited in a
// queue may have been given up before it began.
func TestSlowIsSinceSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, nil }}
		invoke(t, dispatcher(h, tells(lifecycle.PhaseGivenUp).option), created(object{"age": slow}))
		if c := calls(h); !slices.Equal(c, []string{"Create a", "Delete svc-1"}) {
			t.Errorf("calls %q", c)
		}
	})
}

// What was there before is no work of this call.
func TestSlowCreateKeepsWhatItAdopted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := tells(lifecycle.PhaseGivenUp)
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
			<-time.After(slow)
			return nil, cfnresource.AlreadyExists(req.StableID())
		}}
		expect(t, h, created(nil), "SUCCESS", stable("a"), p.option)
		p.wasAsked(t)
	})
}

// A Validate that does not return tells nothing of an earlier delivery, which may have
// made something.
func TestValidateThatDoesNotReturn(t *testing.T) {
	for _, need := range []string{"hang", "panic"} {
		bubble(t, func(t *testing.T) {
			p := created(object{"ResourceProperties": object{"Need": need}})
			got := invoke(t, cfnresource.New(cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[strict]) (res data, _ error) {
				return res, nil
			}), silent), p)
			if got.Status != "FAILED" || got.PhysicalResourceId != stable("") {
				t.Errorf("%s: answered %s %s (%s), want FAILED and the StableID", need, got.Status, got.PhysicalResourceId, got.Reason)
			}
		})
	}
}

// What cannot be deleted is answered for by its ID, should anybody read it.
func TestTakingBackMayFail(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := &fake{
			onCreate: func(_ context.Context, req *create) (data, error) {
				<-time.After(slow)
				req.Created("svc-1")
				return nil, nil
			},
			onDelete: func(context.Context, *del) error { return errSome },
		}
		got := expect(t, h, created(nil), "FAILED", "svc-1", tells(lifecycle.PhaseGivenUp).option)
		if !strings.Contains(got.Reason, "is left behind: Delete: "+errSome.Error()) {
			t.Errorf("Reason %q", got.Reason)
		}
	})
}

// A Create that gives the resource to be replaced for a new one has made
// nothing that could be taken back: that resource is live.
func TestTakingBackSparesTheLiveResource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := stable("a")
		now := tells(lifecycle.PhaseUpdating)
		h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
			now.set(lifecycle.PhaseUpdateRollback)
			req.Created(req.Replaces)
			return nil, nil
		}}
		expect(t, h, updated(a, "a", "b"), "FAILED", a, now.option)
		if c := calls(h); !slices.Equal(c, []string{"Create b replaces " + a}) {
			t.Errorf("calls %q", c)
		}
	})
}

// Nobody reads the answer to what is taken back, but the log says why the Create failed.
func TestTakingBackKeepsWhyCreateFailed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fails func() error
		want  []string
	}{
		{"error", func() error { return errSome }, []string{errSome.Error(), "deleted again"}},
		{"panic", func() error { panic("no more") }, []string{"no more", "deleted again", "slowcreate_test.go"}},
	} {
		subtest(t, tt.name, func(t *testing.T) {
			var log bytes.Buffer
			h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
				req.Created("svc-1")
				<-time.After(slow)
				return nil, tt.fails()
			}}
			expect(t, h, created(nil), "FAILED", "svc-1", tells(lifecycle.PhaseGivenUp).option, func(o *cfnresource.Options) {
				o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			for _, want := range tt.want {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %q:\n%s", want, log.String())
				}
			}
		})
	}
}
