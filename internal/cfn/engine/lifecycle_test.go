package engine_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/lifecycle"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// transitions collects what stacks did, from their events and requests.
type transitions struct {
	stack    map[[2]lifecycle.StackStatus]bool
	resource map[[2]lifecycle.ResourceStatus]bool
	runs     map[lifecycle.StatusRequest]bool
}

func newTransitions() *transitions {
	return &transitions{map[[2]lifecycle.StackStatus]bool{}, map[[2]lifecycle.ResourceStatus]bool{}, map[lifecycle.StatusRequest]bool{}}
}

// add reads a stack's history. The life of a resource is that of its physical
// ID; rows without one belong to the life that begins.
func (s *transitions) add(stack *engine.Stack) {
	for _, n := range stack.Nested {
		s.add(n)
	}
	held := map[lifecycle.StackStatus]bool{lifecycle.StackUpdateCompleteCleanupInProgress: true, lifecycle.StackUpdateRollbackCompleteCleanupInProgress: true}
	status := lifecycle.StackNone
	type life struct{ logical, physical string }
	lives := map[life]lifecycle.ResourceStatus{}
	current := map[string]life{}
	for _, e := range stack.Events {
		// The stack's own statuses.
		if e.OfStack() {
			next := lifecycle.StackStatus(e.ResourceStatus)
			if stack.Parent == "" || !held[status] { // a nested stack can be led back until its cleanup
				s.stack[[2]lifecycle.StackStatus{status, next}] = true
			}
			status = next
			continue
		}
		// What the handler is asked for, in which status of the stack.
		to := lifecycle.ResourceStatus(e.ResourceStatus)
		if engine.IsCustomResource(e.ResourceType) && to.InMotion() && e.ResourceStatusReason == "" {
			request, _, _ := strings.Cut(e.ResourceStatus, "_")
			request = request[:1] + strings.ToLower(request[1:])
			s.runs[lifecycle.StatusRequest{Status: status, RequestType: lifecycle.RequestType(request)}] = true
		}
		// The statuses of the life that the row belongs to.
		key := life{e.LogicalResourceId, e.PhysicalResourceId}
		from, known := lives[key]
		if !known {
			from = lives[current[e.LogicalResourceId]] // the row gives it another ID
			if former := current[e.LogicalResourceId]; former.physical == "" {
				delete(lives, former)
			}
		}
		before := lives[current[e.LogicalResourceId]]
		begins := to == lifecycle.ResourceCreateInProgress || to == lifecycle.ResourceCreateFailed && before != lifecycle.ResourceCreateInProgress
		if begins && e.PhysicalResourceId == "" {
			if from = before; from != lifecycle.ResourceDeleteComplete && from != lifecycle.ResourceDeleteSkipped {
				from = lifecycle.ResourceNone // another one under the same logical ID
			}
		}
		if engine.IsCustomResource(e.ResourceType) {
			s.resource[[2]lifecycle.ResourceStatus{from, to}] = true
		}
		lives[key], current[e.LogicalResourceId] = to, key
	}
}

// check holds what stacks did against the tables of package lifecycle, which
// shares no code with this one.
func (s *transitions) check(t *testing.T) {
	t.Helper()
	for step := range s.stack {
		if !step[0].CanBecome(step[1]) {
			t.Errorf("stack: %s to %s is not in the table", step[0], step[1])
		}
	}
	for step := range s.resource {
		if !step[0].CanBecome(step[1]) {
			t.Errorf("resource: %s to %s is not in the table", step[0], step[1])
		}
	}
	for run := range s.runs {
		if !run.Status.Sends(run.RequestType) {
			t.Errorf("%s is sent in %s, which is not in the table", run.RequestType, run.Status)
		}
	}
}

// TestScenariosFollowLifecycle also holds the other direction: each step of the
// table is one that some scenario takes, but for those of imports.
func TestScenariosFollowLifecycle(t *testing.T) {
	s := newTransitions()
	for _, p := range runScenarios(t) {
		s.add(p.Player.Machine.Stack())
	}
	s.check(t)
	isImported := func(status lifecycle.StackStatus) bool { return strings.HasPrefix(string(status), "IMPORT_") }
	for _, tr := range lifecycle.Transitions() {
		if !isImported(tr.From) && !isImported(tr.To) && !s.stack[[2]lifecycle.StackStatus{tr.From, tr.To}] {
			t.Errorf("no scenario takes a stack from %s to %s", tr.From, tr.To)
		}
	}
	for _, tr := range lifecycle.ResourceTransitions() {
		if !s.resource[[2]lifecycle.ResourceStatus{tr.From, tr.To}] {
			t.Errorf("no scenario takes a resource from %s to %s", tr.From, tr.To)
		}
	}
	for _, run := range lifecycle.StatusRequests() {
		if !s.runs[lifecycle.StatusRequest{Status: run.Status, RequestType: run.RequestType}] {
			t.Errorf("no scenario sends %s in %s", run.RequestType, run.Status)
		}
	}
}

// runScenarios plays every scenario, once for all tests that look at what came of them.
func runScenarios(t testing.TB) []*enginetest.Run {
	t.Helper()
	all, err := played()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var played = sync.OnceValues(func() (all []*enginetest.Run, err error) {
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		return nil, errors.Join(errors.New("no scenarios"), err)
	}
	for _, file := range files {
		s, err := enginetest.ReadScenario(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		p, err := s.Play(s.Options, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, p)
	}
	return all, nil
})

// The engine's statuses are those of package lifecycle, which shares no code with it.
func TestStackStatusesAreLifecycles(t *testing.T) {
	var want []string
	for _, s := range lifecycle.StackStatuses() {
		if s != lifecycle.StackNone {
			want = append(want, string(s))
		}
	}
	got := slices.Clone(engine.StackStatuses)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the engine has %q, and lifecycle %q", got, want)
	}
}
