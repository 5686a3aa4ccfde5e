package play_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// What a handler has from its Find is no fault of its Create's.
func TestAStrangersThingThatFindAnsweredIsBlamedOnFind(t *testing.T) {
	const check = "stranger-holds-the-name"
	for _, test := range []struct {
		handler string
		finds   bool
	}{
		{"findsByName", true}, {"findsAny", true}, {"callsCreatedForStranger", false}, {"takesOverStranger", false},
	} {
		text, _ := play.RunCheck(t, wrongNamed(test.handler).contract(), check)
		if text == "" || strings.Contains(text, "Find answered it") != test.finds || strings.Contains(text, "have Create") == test.finds {
			t.Errorf("%s: the blame is not on Find, or is and should not be: %s", test.handler, text)
		}
	}
}

func wrongNamed(name string) wrongHandler {
	for _, w := range wrongHandlers {
		if w.name == name {
			return w
		}
	}
	panic("no wrong handler is named " + name)
}

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
	for _, test := range []struct {
		name, option string
		contract     func(cfnresource.Options) play.Contract
		cure         cfnresource.Options
	}{
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
	} {
		failed := 0
		for _, r := range play.RunChecks(t, test.contract(cfnresource.Options{})) {
			if r.Outcome != "failed" {
				continue
			}
			failed++
			if !strings.Contains(r.Text, test.option) || strings.Contains(r.Text, "may be right") && strings.Contains(r.Text, "What helps") {
				t.Errorf("%s: %s does not name %s: %s", test.name, r.Name, test.option, r.Text)
			}
		}
		if failed == 0 {
			t.Errorf("%s: no check fails with the default", test.name)
		}
		for _, r := range play.RunChecks(t, test.contract(test.cure)) {
			if r.Outcome == "failed" {
				t.Errorf("%s: with %s, %s fails: %s", test.name, test.option, r.Name, r.Text)
			}
		}
	}
}

// What no handler can prevent is told also where the test passes: somebody has to
// look for it.
func TestExploreTellsOnStandardErrorWhatNoHandlerCanPrevent(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = out
	defer func() { os.Stderr = stderr; _ = out.Close() }()
	play.Explore(t, boxContract(rightHandlers["named"]), func(o *play.ExploreOptions) { o.Depth = 2 })
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	names := play.LimitNames()
	for _, part := range append(names, "docs/rough_edges.md", t.Name()) {
		if n := strings.Count(string(text), part); n != 1 {
			t.Errorf("%q is there %d times, want once, in\n%s", part, n, text)
		}
	}
}

// logsAndForgets logs what it does, and ignores that a Delete fails.
type logsAndForgets struct{ note }

func (h logsAndForgets) Create(ctx context.Context, req *cfnresource.CreateRequest[noteProps]) (struct{}, error) {
	slog.InfoContext(ctx, "a note is pinned", "heading", req.Properties.Heading)
	return h.note.Create(ctx, req)
}

func (h logsAndForgets) Delete(ctx context.Context, req *cfnresource.DeleteRequest[noteProps]) error {
	slog.InfoContext(ctx, "a note is taken down and forgotten")
	_ = h.note.Delete(ctx, req)
	return nil
}

// A check plays many stacks, and one of them shows the fault.
func TestTheLogOfAFailureIsThatOfTheOnePlay(t *testing.T) {
	_, log := play.RunCheck(t, adapted(func(n note) logsAndForgets { return logsAndForgets{n} }), "delete-failed-is-told")
	if n := strings.Count(log, "a note is pinned"); n != 1 {
		t.Errorf("%d notes are pinned, want one, in\n%s", n, log)
	}
	if lines := strings.Count(log, "\n") + 1; lines > 8 {
		t.Errorf("there are %d lines:\n%s", lines, log)
	}
}
