package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// What DescribeStacks and DescribeStackResource show goes by the stack's readings: at
// once, late, or not at all.
func TestShownAsTheReadingsSay(t *testing.T) {
	start := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		options engine.Options
		after   time.Duration // the request for the creation was sent
		want    string
	}{
		"at once":              {engine.Options{}, 0, "CREATE_IN_PROGRESS"},
		"late":                 {engine.Options{StatusLag: 2 * time.Second}, time.Second, ""},
		"late, and it is over": {engine.Options{StatusLag: 2 * time.Second}, 2 * time.Second, "CREATE_IN_PROGRESS"},
		"refused":              {engine.Options{StatusRefused: true}, 0, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			now := start
			live := engine.NewLive(engine.New("shop", tt.options))
			live.Now, live.Send = func() time.Time { return now }, func(*engine.Request) {}
			d := engine.Deployment{Template: mustTemplate(t, "R Custom::Thing")}
			if err := live.Do(func(m *engine.Machine, at time.Time) error { return m.Create(at, d) }); err != nil {
				t.Fatal(err)
			}
			now = start.Add(tt.after)
			got := ""
			if err := live.Shown(func(s *engine.Stack) { got = s.Status }); errors.Is(err, engine.ErrNotShown) {
				got = "refused"
			}
			if got != tt.want {
				t.Errorf("%s after, it shows %q, want %q", tt.after, got, tt.want)
			}
		})
	}
}

// In a cleanup what replaces is shown, or what is deleted.
func TestShownInACleanup(t *testing.T) {
	for showsLeaving, want := range map[bool]string{false: "new", true: "old"} {
		s := &engine.Stack{
			Options:   engine.Options{ShowsLeaving: showsLeaving},
			Resources: []*engine.StackResource{{LogicalID: "R", PhysicalID: "new"}, {LogicalID: "Other", PhysicalID: "other"}},
			Leaving:   []*engine.StackResource{{LogicalID: "R", PhysicalID: "old"}},
		}
		live := engine.NewLive(engine.Resume(s, nil))
		if err := live.Shown(func(s *engine.Stack) {
			if got := s.Resources[0].PhysicalID; got != want || s.Resources[1].PhysicalID != "other" {
				t.Errorf("ShowsLeaving %t: it shows %s and %s", showsLeaving, got, s.Resources[1].PhysicalID)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if s.Resources[0].PhysicalID != "new" {
			t.Error("to look at the stack changes it")
		}
	}
}
