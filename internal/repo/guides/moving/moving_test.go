// Package moving holds what the guides say of handlers that move here from
// another library: the handler of after lives with what that of before made.
package moving

import (
	"context"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/repo/guides/moving/after"
	"github.com/cfnresource/sdk-go/internal/repo/guides/moving/before"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// The handler of after holds by itself.
func TestAfter(t *testing.T) {
	cfntest.TestHandler(t, cfntest.Contract{
		New: func(testing.TB) cfntest.Service {
			f := newFake()
			return cfntest.Service{Function: f.after, State: f.state, List: f.names, Before: f.made}
		},
		Properties: ada(100),
		InPlace:    ada(200),
		Replacing:  grace,
		Refused:    ada(-1),
	})
}

// What was there keeps its physical ID: no request comes when the program
// changes, an update is made in place, and the last Delete names the old ID.
func TestOldResourcesKeepTheirIDs(t *testing.T) {
	move(t, func(t *testing.T, stack *cfntest.Stack, f *fake) {
		asked := len(stack.Requests())
		if status := stack.Deploy(cfntest.Template{"Mailbox": {Properties: ada(200)}}); status != "UPDATE_COMPLETE" {
			t.Fatal(stack.Story())
		}
		if got := stack.Requests()[asked:]; len(got) != 1 || got[0].Type != "Update" {
			t.Errorf("there were %d requests, after\n%s", len(got), stack.Story())
		}
		if id := stack.PhysicalID("Mailbox"); id != "mailbox-ada" {
			t.Errorf("the ID became %s", id)
		}
		if diff := cmp.Diff(map[string]int{"mailbox-ada": 200}, f.boxes); diff != "" {
			t.Errorf("mailboxes (-want +got):\n%s", diff)
		}
		if status := stack.Destroy(); status != "DELETE_COMPLETE" || len(f.boxes) > 0 {
			t.Errorf("%v are left, after\n%s", f.boxes, stack.Story())
		}
	})
}

// Another owner of an old mailbox is refused, and the rollback succeeds.
func TestOldResourcesAreNotReplaced(t *testing.T) {
	move(t, func(t *testing.T, stack *cfntest.Stack, f *fake) {
		status := stack.Deploy(cfntest.Template{"Mailbox": {Properties: grace}})
		if status != "UPDATE_ROLLBACK_COMPLETE" || !strings.Contains(stack.Story(), "mailbox-ada is from before the move") {
			t.Error(stack.Story())
		}
		if diff := cmp.Diff(map[string]int{"mailbox-ada": 100}, f.boxes); diff != "" {
			t.Errorf("mailboxes (-want +got):\n%s", diff)
		}
	})
}

// A resource that is renamed in the template is a new one.
func TestARenamedResourceIsANewOne(t *testing.T) {
	move(t, func(t *testing.T, stack *cfntest.Stack, f *fake) {
		status := stack.Deploy(cfntest.Template{"Mailbox2": {Properties: grace}})
		if status != "UPDATE_COMPLETE" {
			t.Error(stack.Story())
		}
		if got := f.names(); len(got) != 1 || got[0] != stack.PhysicalID("Mailbox2") || !strings.HasPrefix(got[0], "my-stack-mailbox2-") {
			t.Errorf("there are %v, after\n%s", got, stack.Story())
		}
	})
}

// The way back to the old program replaces what the new one made.
func TestTheOldProgramReplacesWhatTheNewOneMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		function := f.after
		stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return function() }})
		stack.Deploy(cfntest.Template{"Mailbox": {Properties: ada(100)}})
		first := stack.PhysicalID("Mailbox")
		function = f.before
		stack.Deploy(cfntest.Template{"Mailbox": {Properties: ada(200)}})
		if got := f.names(); first == "mailbox-ada" || !slices.Equal(got, []string{"mailbox-ada"}) {
			t.Errorf("%s became %v, after\n%s", first, got, stack.Story())
		}
	})
}

// IDs that name nothing lead to the mailbox of the properties, and not to that of another.
func TestIDsThatNameNothing(t *testing.T) {
	for name, id := range map[string]string{
		"aws-lambda-go":        "f7e10ca7-4acf-40b9-b948-f67f5486ba1e",
		"aws-lambda-go, older": "2025/07/01/[$LATEST]0d2b4abba39e3d73baef00c8a1e7f10c",
		"crhelper":             "my-stack_MyResource_Q3ZK81PA",
		"the logical ID":       "MyResource",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.boxes["mailbox-ada"] = 100
			updated := cfntest.Invoke(t, f.after(), cfntest.UpdateEvent(id, ada(200), ada(100)))
			if updated.Status != "SUCCESS" || updated.PhysicalResourceID != id || f.boxes["mailbox-ada"] != 200 {
				t.Errorf("Update answered %+v, and there are %v", updated, f.boxes)
			}
			f.boxes["mailbox-grace"] = 1
			for phase, want := range map[lifecycle.Phase]string{lifecycle.PhaseUpdating: "FAILED", lifecycle.PhaseUpdateRollback: "SUCCESS"} {
				event := cfntest.UpdateEvent(id, grace, ada(200))
				if phase == lifecycle.PhaseUpdateRollback {
					event = cfntest.UpdateEvent(id, ada(200), grace)
				}
				got := cfntest.InvokeContext(cfntest.WithPhase(t.Context(), phase), t, f.after(), event)
				if got.Status != want || f.boxes["mailbox-grace"] != 1 {
					t.Errorf("%s: to and from another's mailbox answered %+v, and there are %v", phase, got, f.boxes)
				}
			}
			deleted := cfntest.Invoke(t, f.after(), cfntest.DeleteEvent(id, ada(200)))
			if deleted.Status != "SUCCESS" || !slices.Equal(f.names(), []string{"mailbox-grace"}) {
				t.Errorf("Delete answered %+v, and there are %v", deleted, f.boxes)
			}
		})
	}
}

// The Python of the guide is Python.
func TestPythonParses(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import ast; ast.parse(open('crhelper/handler.py').read())").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// move has the old program create a stack with a mailbox, and plays on with the new one.
func move(t *testing.T, play func(t *testing.T, stack *cfntest.Stack, f *fake)) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		function := f.before
		stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return function() }})
		if status := stack.Deploy(cfntest.Template{"Mailbox": {Properties: ada(100)}}); status != "CREATE_COMPLETE" || stack.PhysicalID("Mailbox") != "mailbox-ada" {
			t.Fatal(stack.Story())
		}
		function = f.after
		play(t, stack, f)
	})
}

var grace = after.Props{Owner: "grace", Quota: 100}

func ada(quota int) after.Props { return after.Props{Owner: "ada", Quota: quota} }

// A fake is the service in memory: quotas by name.
type fake struct {
	mu    sync.Mutex
	boxes map[string]int
}

func newFake() *fake { return &fake{boxes: map[string]int{}} }

// made makes a mailbox as the program of before did.
func (f *fake) made(props any) string {
	p := props.(after.Props)
	f.boxes["mailbox-"+p.Owner] = p.Quota
	return "mailbox-" + p.Owner
}

func (f *fake) after() cfntest.Function { return cfnresource.New(&after.Mailboxes{API: f}) }
func (f *fake) before() cfntest.Function {
	return cfntest.Legacy((&before.Mailboxes{API: f}).Handle)
}

func (f *fake) Open(ctx context.Context, name, _ string) error {
	return f.do(ctx, func() error {
		if _, there := f.boxes[name]; there {
			return mail.ErrExists
		}
		f.boxes[name] = 0
		return nil
	})
}

func (f *fake) SetQuota(ctx context.Context, name string, megabytes int) error {
	return f.do(ctx, func() error {
		if _, there := f.boxes[name]; !there || megabytes < 0 {
			return mail.ErrNotFound
		}
		f.boxes[name] = megabytes
		return nil
	})
}

func (f *fake) Close(ctx context.Context, name string) error {
	return f.do(ctx, func() error {
		if _, there := f.boxes[name]; !there {
			return mail.ErrNotFound
		}
		delete(f.boxes, name)
		return nil
	})
}

func (f *fake) do(ctx context.Context, effect func() error) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	err := effect()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return cfntest.Step(ctx)
}

func (f *fake) state(name string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if quota, there := f.boxes[name]; there {
		return quota
	}
	return nil
}

func (f *fake) names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.boxes))
}
