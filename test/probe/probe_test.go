package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const scenarios = "../../internal/cfn/engine/testdata/scenarios"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == relayCommand {
		relay(os.Args[2])
		return
	}
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		panic(err)
	}
	cfnlocal = filepath.Join(dir, "cfnlocal")
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var cfnlocal string // the program, once it is built

var build = sync.OnceValue(func() error {
	cmd := exec.Command("go", "build", "-o", cfnlocal, ".")
	cmd.Dir = "../../cfnlocal" // a module of its own
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return nil
})

// unsettled says why the probe does not settle readings.
var unsettled = map[string]string{
	"cancel-grace":     "times are not compared",
	"cleanup-pause":    "times are not compared",
	"cleanup-resource": "nobody looks at a resource while its stack is under way",
	"not-invoked":      "a topic takes every message",
	"stack-status":     "how late a status is shown depends on when somebody looks",
}

// startProbe returns a probe of a cfnlocal.
func startProbe(t *testing.T) *probe {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var reported []error
	p, closeWorld, err := open(t.Context(), flags{cfnlocal: cfnlocal, atOnce: 12})
	if err != nil {
		t.Fatal(err)
	}
	p.report = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, err)
	}
	t.Cleanup(func() {
		if err := closeWorld(context.Background()); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if t.Failed() {
			t.Log(reported)
		}
	})
	return p
}

func plansOf(t *testing.T, only ...string) (all []*plan) {
	t.Helper()
	all, err := readPlans(scenarios, only)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(p *plan) bool { return p.why(false, false) != "" })
}

func namesOf(found []finding) (all []string) {
	for _, f := range found {
		all = append(all, f.String())
	}
	return all
}

// What the local CloudFormation does over its API is what the engine says: that finds the
// mistakes of the probe, before it finds those of the engine.
func TestTheEndpointGoesAsTheEngineSays(t *testing.T) {
	t.Parallel()
	plans := plansOf(t)
	if len(plans) < 130 {
		t.Errorf("%d scenarios are played, want 130 or more", len(plans))
	}
	p := startProbe(t)
	all := p.playAll(t.Context(), plans, func(o *outcome) {
		if o.err != nil {
			t.Errorf("%s: %v", o.Name, o.err)
		} else if diff := cmp.Diff(o.expected(), o.seen); diff != "" {
			t.Errorf("%s (-engine +endpoint, strayed %t):\n%s", o.Name, o.strayed, diff)
		}
	})
	t.Logf("%d scenarios in %d calls", len(all), p.calls.Load())
	if ways := findWays(all); len(ways) > 0 {
		t.Errorf("it is found to go by %v", ways)
	}
	var want []string
	for i := range engine.Readings {
		if r := &engine.Readings[i]; unsettled[r.Name] == "" {
			want = append(want, engine.Assumption{Reading: r, Way: &r.Assumed}.String())
		}
	}
	if diff := cmp.Diff(want, namesOf(settle(all, nil))); diff != "" {
		t.Errorf("settled (-want +got):\n%s", diff)
	}
	if left, err := p.leftStacks(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	checkRecordings(t, all)
	checkUpdated(t, all)
}

// checkUpdated holds the probe to see LastUpdatedTime before, during and after an update that rolls
// back, with the times of the requests. Whether it moves in between, an account says.
func checkUpdated(t *testing.T, all []*outcome) {
	t.Helper()
	var statuses []string
	for _, o := range all {
		for _, m := range o.history.Updated {
			statuses = append(statuses, m.StackStatus)
			if (m.StackStatus == "CREATE_IN_PROGRESS") != (m.LastUpdatedTime == "never") {
				t.Errorf("in %s LastUpdatedTime is %s", m.StackStatus, m.LastUpdatedTime)
			}
			if (m.StackStatus == "UPDATE_ROLLBACK_COMPLETE") != (m.Signed == "") {
				t.Errorf("in %s the request was signed at %q", m.StackStatus, m.Signed)
			}
		}
	}
	want := []string{"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE"}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Errorf("LastUpdatedTime was seen in (-want +got):\n%s", diff)
	}
}

var private = regexp.MustCompile(`https?:|[0-9a-f]{8}-[0-9a-f]{4}-|cfnprobe|\b123456789012\b`)

// checkRecordings holds recordings to have nothing of the account, and all that was compared.
func checkRecordings(t *testing.T, all []*outcome) {
	t.Helper()
	dir := t.TempDir()
	if err := record(dir, all, "against cfnlocal", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		text, err := os.ReadFile(filepath.Join(dir, o.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if found := private.Find(text); found != nil {
			t.Errorf("the recording of %s has %s", o.Name, found)
		}
		var r recording
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o.seen, r.Content.text(o.depends)); diff != "" {
			t.Errorf("%s (-seen +recorded):\n%s", o.Name, diff)
		}
	}
}

// A CloudFormation that goes another way is found to, by the reading's name.
func TestEachReadingIsSettled(t *testing.T) {
	t.Parallel()
	for _, a := range engine.OtherWays() {
		if unsettled[a.Reading.Name] != "" {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			// Two scenarios are enough that tell the way from the others.
			var all []*outcome
			for _, one := range plansOf(t) {
				o := &outcome{plan: one, seen: one.expected(a)}
				if len(all) < 2 && o.tells(a, nil) {
					all = append(all, o)
				}
			}
			ways := findWays(all)
			if diff := cmp.Diff([]string{a.String()}, namesOf(settle(all, ways))); diff != "" && !slices.Contains(namesOf(settle(all, ways)), a.String()) {
				t.Errorf("settled (-want +got):\n%s", diff)
			}
			if len(ways) != 1 || ways[0] != a {
				t.Errorf("it is found to go by %v, want %s", ways, a)
			}
		})
	}
}

// What differs from the engine, and is no other way, is said to differ.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scenario string
		change   func(h *history)
	}{
		"an event's reason": {"s02-create-failed", func(h *history) { h.Stacks[0].StackEvents[3].ResourceStatusReason += "." }},
		"an order": {"s25b-removed-in-order", func(h *history) {
			rows := h.Stacks[0].StackEvents
			i := slices.IndexFunc(rows, func(r row) bool { return r.ResourceStatus == "DELETE_IN_PROGRESS" })
			rows[i].LogicalResourceId, rows[i+2].LogicalResourceId = rows[i+2].LogicalResourceId, rows[i].LogicalResourceId
		}},
		"a request that is missing": {"s22-replacement", func(h *history) {
			h.Requests = slices.DeleteFunc(h.Requests, func(r request) bool { return r.RequestType == "Delete" })
		}},
		"an ID":                 {"s41-update-failed-new-id", func(h *history) { h.Requests[len(h.Requests)-1].PhysicalResourceId = "another" }},
		"an ID that is made up": {"s04-create-times-out", func(h *history) { h.Requests[1].PhysicalResourceId += "X" }},
		"where it ends":         {"s60-delete", func(h *history) { h.Stacks[0].StackStatus = "DELETE_FAILED" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outcome{plan: plansOf(t, tt.scenario)[0]}
			o.history = played(o.run)
			tt.change(&o.history)
			o.seen = o.history.text(o.depends)
			all := []*outcome{o}
			ways := findWays(all)
			if len(ways) > 0 || len(settle(all, ways)) > 0 {
				t.Errorf("it is taken for %v", ways)
			}
			var said strings.Builder
			if summarize(&said, all, 0, 0) || !strings.Contains(said.String(), tt.scenario+" differs") || !strings.Contains(said.String(), "0 the same, 1 differ") {
				t.Errorf("it is not said to differ:\n%s", &said)
			}
		})
	}
}

// One scenario that goes another way, where the others do not, settles nothing: it differs.
func TestMostScenariosCount(t *testing.T) {
	t.Parallel()
	a, err := engine.ParseAssumption("delete-tries")
	if err != nil {
		t.Fatal(err)
	}
	var all []*outcome
	for _, one := range plansOf(t) {
		if o := (&outcome{plan: one, seen: one.expected(a)}); !o.as(nil) {
			all = append(all, o)
		}
	}
	if len(all) < 3 {
		t.Fatalf("%d scenarios tell %s, want three", len(all), a)
	}
	for _, o := range all[1:] {
		o.seen = o.expected()
	}
	var said strings.Builder
	if same := summarize(&said, all, 0, 0); same || len(findWays(all)) > 0 || !strings.Contains(said.String(), "1 differ") {
		t.Errorf("it is found to go by %v:\n%s", findWays(all), &said)
	}
}

// The order of what does not depend on each other means nothing.
func TestOrder(t *testing.T) {
	t.Parallel()
	d := dependencies{"B": {"A": true}}
	at := func(texts ...string) (all []line) {
		for _, text := range texts {
			about, _, _ := strings.Cut(text, " ")
			if about == "stack" {
				about = ""
			}
			all = append(all, line{about: about, text: text, among: d})
		}
		return all
	}
	for name, tt := range map[string]struct {
		one, other []line
		same       bool
	}{
		"of others":              {at("A 1", "C 1"), at("C 1", "A 1"), true},
		"of the same":            {at("A 1", "A 2"), at("A 2", "A 1"), false},
		"of what depends":        {at("A 1", "B 1"), at("B 1", "A 1"), false},
		"about the stack":        {at("A 1", "stack 1", "C 1"), at("C 1", "stack 1", "A 1"), false},
		"within a nested stack":  {at("Child.A 1", "C 1"), at("C 1", "Child.A 1"), true},
		"of a stack and in it":   {at("Child 1", "Child.A 1"), at("Child.A 1", "Child 1"), false},
		"of removals of two IDs": {[]line{{"A", "x", "A x", d}, {"A", "y", "A y", d}}, []line{{"A", "y", "A y", d}, {"A", "x", "A x", d}}, true},
	} {
		if got := cmp.Equal(normal(tt.one), normal(tt.other), cmp.AllowUnexported(line{})); got != tt.same {
			t.Errorf("the order %s: the same is %t, want %t", name, got, tt.same)
		}
	}
}

// What Ctrl-C leaves is removed, and so is what a run has left that was killed.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	p := startProbe(t)
	plans := plansOf(t, "s49c-", "s72-", "s61-", "s26-")

	// The run ends while plays are under way.
	ctx, interrupt := context.WithCancel(t.Context())
	playing := newPlay(plans[0], p.world)
	p.add(playing)
	for i := range playing.plan.run.Acts { // no answer is due
		playing.plan.run.Acts[i].From = len(playing.plan.run.Acts)
	}
	go func() {
		for {
			p.router.mu.Lock()
			under := len(p.router.open) > 0
			p.router.mu.Unlock()
			if under {
				interrupt()
				return
			}
			_ = sleep(t.Context(), p.poll)
		}
	}()
	if _, err := playing.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	for _, one := range plans[1:] { // these stay as they end
		playing := newPlay(one, p.world)
		p.add(playing)
		if _, err := playing.run(t.Context()); err != nil {
			t.Error(err)
		}
	}
	before, err := p.leftStacks(t.Context())
	if err != nil || len(before) == 0 {
		t.Errorf("%v are left, %v: want some", before, err)
	}
	if err := p.clean(t.Context(), p.router); err != nil {
		t.Error(err)
	}
	if left, err := p.leftStacks(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// Nobody plays in an account by accident. Where nothing is played, nothing is said to be the same.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"": "give one of", "-slow": "give one of", "clean": "give one of", "-account 1 -endpoint http://127.0.0.1:1": "give one of",
		"-cfnlocal nowhere -slow":              "-slow is for -account",
		"-cfnlocal nowhere -only no-such":      "no scenario's name contains no-such",
		"-cfnlocal nowhere -only s01-,no-such": "no scenario's name contains no-such",
		"-cfnlocal nowhere -only x-review":     "all are left out",
	} {
		if same, err := probeIn(t, strings.Fields(args)...); same || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %t, %v, want %s", args, same, err, want)
		}
	}
}
