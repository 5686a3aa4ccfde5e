package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/testrun"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

const hush = "hunter2hunter2"

// waysOut are how user code that got a context lets a secret out after it has said that it is one.
var waysOut = map[string]func(context.Context) error{
	"error": func(ctx context.Context) error {
		cfnresource.Secret(ctx, hush)
		return errors.New("it says " + hush)
	},
	"panic": func(ctx context.Context) error {
		cfnresource.Secret(ctx, hush)
		panic("it says " + hush)
	},
	"context that outlives the call": func(ctx context.Context) error {
		cfnresource.Secret(context.WithoutCancel(ctx), hush)
		return errors.New("it says " + hush)
	},
}

// places are where user code gets a context. Each plays an event in which tell is called there, and
// returns what was written.
var places = map[string]func(t *testing.T, tell func(context.Context) error) (written string){
	"cfnresource.Handler.Create": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, creates(func(ctx context.Context, _ *create) (data, error) { return nil, tell(ctx) }), created(nil))
	},
	"cfnresource.Handler.Update": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, &fake{onUpdate: func(ctx context.Context, _ *update) (data, error) { return nil, tell(ctx) }}, updated("svc-1", "a", "a"))
	},
	"cfnresource.Handler.Delete": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, &fake{onDelete: func(ctx context.Context, _ *cfnresource.DeleteRequest[props]) error { return tell(ctx) }}, deleted("svc-1"))
	},
	"cfnresource.Finder.Find": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, &finder{onFind: func(ctx context.Context, _ *cfnresource.FindRequest[props]) (string, error) { return "", tell(ctx) }}, updated("svc-1", "a", "b"))
	},
	"cfnresource.Lazy(open)": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, cfnresource.Lazy(func(ctx context.Context) (*fake, error) { return nil, tell(ctx) }), created(nil))
	},
	"cfnresource.Action(run)": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, cfnresource.Action(func(ctx context.Context, _ *update) (data, error) { return nil, tell(ctx) }), created(nil))
	},
	"cfnresource.Poll(done)": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, creates(func(ctx context.Context, _ *create) (data, error) {
			return nil, cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) { return false, tell(ctx) })
		}), created(nil))
	},
	"cfnresource.Retry(do)": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, creates(func(ctx context.Context, _ *create) (data, error) { return nil, cfnresource.Retry(ctx, tell) }), created(nil))
	},
	"cfnresource.Options.Middleware": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, &fake{}, created(nil), func(o *cfnresource.Options) {
			o.Middleware = []cfnresource.Middleware{func(ctx context.Context, _ *cfnresource.Operation, _ func(context.Context) error) error {
				return tell(ctx)
			}}
		})
	},
	"cfnresource.Options.Phase": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, creates(func(ctx context.Context, req *create) (data, error) {
			req.Phase(ctx)
			return nil, nil
		}), created(nil), func(o *cfnresource.Options) {
			o.Phase = func(ctx context.Context, _ *cfnresource.Operation) (lifecycle.Phase, error) {
				return lifecycle.PhaseUnknown, tell(ctx)
			}
		})
	},
	"cfnresource.Options.Continue": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, creates(func(ctx context.Context, _ *create) (data, error) {
			return nil, cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return false, nil })
		}), created(nil), func(o *cfnresource.Options) {
			o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
				return lifecycle.PhaseCreating, nil
			}
			o.Continue = func(ctx context.Context, _ []byte) error { return tell(ctx) }
		})
	},
	// Nothing shows what a logger fails with: what it has said to be secret stands in the failure of
	// the call whose retry it logs.
	"cfnresource.Options.Logger": func(t *testing.T, tell func(context.Context) error) string {
		tries := 0
		return writtenOf(t, &fake{onUpdate: func(context.Context, *update) (data, error) {
			if tries++; tries == 1 {
				return nil, cfnresource.Errorf(cfnresource.CodeThrottling, "too soon")
			}
			return nil, errors.New("it says " + hush)
		}}, updated("svc-1", "a", "a"), func(o *cfnresource.Options) {
			o.Logger = slog.New(telling{o.Logger.Handler(), tell})
		})
	},
	"response.Sender.Send": func(t *testing.T, tell func(context.Context) error) string {
		return writtenOf(t, &fake{}, created(nil), func(o *cfnresource.Options) { o.Sender = &tellingSender{send: tell} })
	},
	"response.Connector.Connect": func(t *testing.T, tell func(context.Context) error) string {
		h := creates(func(context.Context, *create) (data, error) {
			<-time.After(time.Second) // meanwhile
			return nil, nil
		})
		return writtenOf(t, h, created(nil), func(o *cfnresource.Options) { o.Sender = &tellingSender{connect: tell} })
	},
}

// A telling logger tells at each record.
type telling struct {
	slog.Handler
	tell func(context.Context) error
}

func (l telling) Handle(ctx context.Context, r slog.Record) error {
	return errors.Join(l.Handler.Handle(ctx, r), l.tell(ctx))
}

// A tellingSender tells when it connects, or sends.
type tellingSender struct {
	recorder
	connect, send func(context.Context) error
}

func (s *tellingSender) Check(response.URL) error { return nil }

func (s *tellingSender) Connect(ctx context.Context, _ response.URL) error {
	if s.connect != nil {
		return s.connect(ctx)
	}
	return nil
}

func (s *tellingSender) Send(ctx context.Context, url response.URL, body []byte) error {
	if s.send != nil {
		return s.send(ctx)
	}
	return s.recorder.Send(ctx, url, body)
}

// writtenOf returns all that is written of an event: the answers, the log, and the invocation's error.
func writtenOf(t *testing.T, handler any, p payload, optFns ...func(*cfnresource.Options)) string {
	t.Helper()
	option, log := logged()
	rec := new(recorder)
	d := dispatcher(handler, append([]func(*cfnresource.Options){option, func(o *cfnresource.Options) { o.Sender = rec }}, optFns...)...)
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	_, err := d.Invoke(ctx, p())
	return fmt.Sprintf("%s\n%s\n%v", rec.bodies, log, err)
}

// Wherever the SDK hands out a context, a secret that is registered with it is in nothing that the
// SDK writes. The places are those of the exported API: one that is added needs a row.
func TestSecretWorksAtEveryPlace(t *testing.T) {
	testrun.EveryPlace(t, places, []string{".", "./schema", "../response", "../physicalid", "../lifecycle"})
	for name, play := range places {
		for how, tell := range waysOut {
			subtest(t, name+" "+how, func(t *testing.T) {
				told := 0
				written := play(t, func(ctx context.Context) error {
					told++
					return tell(ctx)
				})
				if told == 0 || strings.Contains(written, hush) || !strings.Contains(written, "it says ***") {
					t.Errorf("it was called %d times, and what is written holds the secret, or nothing of the rest:\n%s", told, written)
				}
			})
		}
	}
}

// A test that calls a handler without a dispatcher needs none for Secret.
func TestSecretWithoutADispatcherDoesNothing(t *testing.T) {
	cfnresource.Secret(t.Context(), hush)
}

// What was read when the handler was opened stays secret for the process: later events quote it.
func TestSecretsOfLazyLast(t *testing.T) {
	opened := 0
	h := cfnresource.Lazy(func(ctx context.Context) (*fake, error) {
		opened++
		cfnresource.Secret(ctx, hush)
		if opened == 1 {
			return nil, errors.New("dial postgres://u:" + hush + "@db: refused")
		}
		return &fake{onCreate: func(context.Context, *create) (data, error) { return nil, errors.New("refused by " + hush) }}, nil
	})
	option, log := logged()
	d := dispatcher(h, option)
	for i, want := range []string{"dial postgres://u:***@db: refused", "refused by ***", "refused by ***"} {
		got := invoke(t, d, created(object{"RequestId": fmt.Sprint(i)}))
		if !strings.Contains(got.Reason, want) || strings.Contains(got.Reason+log.String(), hush) {
			t.Errorf("event %d is answered %q, want %q in it; the log is\n%s", i, got.Reason, want, log)
		}
	}
	if opened != 2 {
		t.Errorf("the handler was opened %d times", opened)
	}
}

// What one event reads does not stay: another event's may be others, without end.
func TestSecretsOfAnEventEndWithIt(t *testing.T) {
	first := true
	d := dispatcher(creates(func(ctx context.Context, _ *create) (data, error) {
		if first {
			cfnresource.Secret(ctx, hush)
		}
		return nil, errors.New("it says " + hush)
	}))
	for _, want := range []string{"it says ***", "it says " + hush} {
		if got := invoke(t, d, created(object{"RequestId": want})); !strings.Contains(got.Reason, want) {
			t.Errorf("the Reason is %q, want %q", got.Reason, want)
		}
		first = false
	}
}

// An event whose handler another event opens knows the secrets of that, too.
func TestSecretsOfLazyReachEventsUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := dispatcher(cfnresource.Lazy(func(ctx context.Context) (*fake, error) {
			<-time.After(time.Second)
			cfnresource.Secret(ctx, hush)
			return &fake{onCreate: func(context.Context, *create) (data, error) { return nil, errors.New("it says " + hush) }}, nil
		}))
		var records [2]recorder
		done := make(chan error)
		for i := range records {
			p := created(object{"RequestId": fmt.Sprint(i), "LogicalResourceId": fmt.Sprint("Topic", i)})()
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), patient)
				defer cancel()
				_, err := d.Invoke(hook.WithSender(ctx, &records[i]), p)
				done <- err
			}()
		}
		for range records {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		for i := range records {
			if got := judge(t, records[i].bodies[0]); !strings.Contains(got.Reason, "it says ***") {
				t.Errorf("event %d is answered %q", i, got.Reason)
			}
		}
	})
}

// A client may register its secret at each call: a Poll of a quarter of an hour does so 900 times.
func TestASecretCountsOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := creates(func(ctx context.Context, _ *create) (data, error) {
			return nil, cfnresource.Poll(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
				cfnresource.Secret(ctx, strings.Repeat(hush, 50))
				return false, nil
			})
		})
		if got := within(t, 15*time.Minute, h, created(nil)); !strings.Contains(got.Reason, "not ready after") {
			t.Errorf("the Reason is %q", got.Reason)
		}
	})
}
