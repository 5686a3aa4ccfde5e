package play_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

type slowDelete struct{ found }

func (h slowDelete) Delete(ctx context.Context, req *deletion) error {
	if err := sleep(ctx, 15*time.Second); err != nil {
		return err
	}
	return h.found.Delete(ctx, req)
}

type slowFind struct{ found }

func (h slowFind) Find(ctx context.Context, req *finding) (string, error) {
	if err := sleep(ctx, 15*time.Second); err != nil {
		return "", err
	}
	return h.found.Find(ctx, req)
}

// lagging finds what was made lag ago.
type lagging struct {
	found

	lag  time.Duration
	born *sync.Map // when, by bornKey
}

type bornKey struct {
	d  *depot
	id string
}

func (h lagging) Create(ctx context.Context, req *creation) (boxData, error) {
	defer func() { h.born.LoadOrStore(bornKey{h.d, req.CreatedID()}, time.Now()) }()
	return h.found.Create(ctx, req)
}

func (h lagging) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	born, _ := h.born.LoadOrStore(bornKey{h.d, id}, time.Now())
	if err == nil && id != req.PhysicalID && time.Since(born.(time.Time)) < h.lag {
		return "", nil
	}
	return id, err
}

// of returns the contract of a right handler of a slow service.
func of[H anyHandler](handler func(found) H, options cfnresource.Options) play.Contract {
	c := depotContract(func(d *depot) simulate.Function {
		return cfnresource.New(handler(found{d}), func(o *cfnresource.Options) {
			*o = options
			o.Logger = slog.New(slog.DiscardHandler)
		})
	})
	c.Timeout = 2 * time.Minute
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A slow service is no fault of a handler: a failure names the option that is
// not as the service is, and with it there is none.
func TestAHandlerOfASlowServiceIsShownItsOption(t *testing.T) {
	type test struct {
		name, option string
		contract     func(cfnresource.Options) play.Contract
		cure         cfnresource.Options
	}
	for _, test := range testrun.Sample(2, []test{
		{
			"Delete takes 15 s", "Options.LostGrace",
			func(o cfnresource.Options) play.Contract {
				return of(func(h found) slowDelete { return slowDelete{h} }, o)
			},
			cfnresource.Options{LostGrace: 40 * time.Second},
		}, {
			"Find takes 15 s", "Options.LostGrace",
			func(o cfnresource.Options) play.Contract { return of(func(h found) slowFind { return slowFind{h} }, o) },
			cfnresource.Options{LostGrace: 40 * time.Second},
		}, {
			"searches lag for 20 s", "Options.FindLag",
			func(o cfnresource.Options) play.Contract {
				born := new(sync.Map)
				return of(func(h found) lagging { return lagging{h, 20 * time.Second, born} }, o)
			},
			cfnresource.Options{FindLag: 20 * time.Second},
		},
	}) {
		var failed []string
		for _, r := range play.RunChecks(t, test.contract(cfnresource.Options{})) {
			if r.Outcome != "failed" {
				continue
			}
			failed = append(failed, r.Name)
			if !strings.Contains(r.Text, test.option) || strings.Contains(r.Text, "may be right") && strings.Contains(r.Text, "What helps") {
				t.Errorf("%s: %s does not name %s: %s", test.name, r.Name, test.option, r.Text)
			}
		}
		if failed == nil {
			t.Errorf("%s: no check fails with the default", test.name)
		}
		if testrun.Thorough() {
			failed = nil // all are asked
		}
		for _, r := range play.RunChecks(t, test.contract(test.cure), failed...) {
			if r.Outcome == "failed" {
				t.Errorf("%s: with %s, %s fails: %s", test.name, test.option, r.Name, r.Text)
			}
		}
	}
}
