package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

var (
	ada    = Props{Server: "one.example.com", Kind: "user", Name: "ada", Login: "admin", Password: "first"}
	grace  = Props{Server: "one.example.com", Kind: "user", Name: "grace", Login: "admin", Password: "first"}
	orders = Props{Server: "two.example.com", Kind: "schema", Name: "orders", Login: "admin", Owner: "ada"}
)

func with(p Props, change func(*Props)) Props { change(&p); return p }

var contract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		f := newFake()
		return cfntest.Service{Function: f.function, State: f.state, List: f.list, Occupy: f.occupy}
	},
	Properties: ada,
	InPlace:    with(ada, func(p *Props) { p.Password = "second" }),
	Replacing:  orders,
	Refused:    with(orders, func(p *Props) { p.Owner = "" }),
	Fixed:      []string{"Login", "Kind"},
	Skip:       map[string]string{"delete-undecodable-properties": "without a Login, nobody knows whether the object is gone"},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}

// Each kind requires what is its own.
func TestRequired(t *testing.T) {
	for property, p := range map[string]Props{
		"Password": with(ada, func(p *Props) { p.Password = "" }),
		"Owner":    with(orders, func(p *Props) { p.Owner = "" }),
		"Kind":     with(orders, func(p *Props) { p.Kind = "table" }),
	} {
		answer := cfntest.Invoke(t, newFake().function(), cfntest.CreateEvent(p))
		if answer.Status != "FAILED" || !strings.Contains(answer.Reason, property) {
			t.Errorf("%+v is answered %s %s", p, answer.Status, answer.Reason)
		}
	}
}

// A Delete whose login is gone fails, since the object is still there.
func TestADeleteWithoutALoginFails(t *testing.T) {
	f := newFake()
	created := cfntest.Invoke(t, f.function(), cfntest.CreateEvent(ada))
	delete(f.secrets, "admin")
	answer := cfntest.Invoke(t, f.function(), cfntest.DeleteEvent(created.PhysicalResourceID, ada))
	if answer.Status != "FAILED" || len(f.list()) != 1 {
		t.Errorf("the Delete was answered %s %s, and there are %v", answer.Status, answer.Reason, f.list())
	}
}

// An Update marks what the program before made. From then on another object is told from it.
func TestWhatBearsNoMark(t *testing.T) {
	for name, marked := range map[string]bool{"before an update in place": false, "after an update in place": true} {
		for _, id := range []string{"done", ada.id()} {
			t.Run(name+"/"+id, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f, now := newFake(), ada
					f.objects[grace.id()] = object{mark: "another's"}
					program := cfntest.Legacy(func(ctx context.Context, _ struct{}) (string, map[string]any, error) {
						return id, nil, f.Create(ctx, ada.id(), "", "", "1")
					})
					stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return program }})
					deploy := func(p Props, want string) {
						t.Helper()
						if status := stack.Deploy(cfntest.Template{"User": {Properties: p}}); status != want || stack.PhysicalID("User") != id {
							t.Fatalf("%s, want %s, after\n%s", status, want, stack.Story())
						}
					}
					deploy(now, "CREATE_COMPLETE")
					program = f.function()
					if marked {
						now.Password = "second"
						deploy(now, "UPDATE_COMPLETE")
					}
					if mark := f.objects[ada.id()].mark; (mark != "") != marked {
						t.Errorf("the mark is %q", mark)
					}
					if marked || id != "done" { // else the rollback fails as well, and harms nothing
						deploy(grace, "UPDATE_ROLLBACK_COMPLETE")
					}
					status := stack.Destroy()
					if diff := cmp.Diff(map[string]object{grace.id(): {mark: "another's"}}, f.objects, cmp.AllowUnexported(object{})); diff != "" || status != "DELETE_COMPLETE" {
						t.Errorf("%s, and objects (-want +got):\n%s\nafter\n%s", status, diff, stack.Story())
					}
				})
			})
		}
	}
}

// A fake is all servers in memory, and the store of secrets.
type fake struct {
	mu      sync.Mutex
	objects map[string]object
	secrets map[string]string
}

type object struct{ mark, owner, password string }

func newFake() *fake {
	return &fake{objects: map[string]object{}, secrets: map[string]string{"admin": "0000", "first": "1", "second": "2"}}
}

func (f *fake) function() cfntest.Function {
	return cfnresource.New(&Objects{secret: f.secret, login: func(string, string) Server { return f }})
}

func (f *fake) secret(_ context.Context, arn string) (string, error) {
	if value, there := f.secrets[arn]; there {
		return value, nil
	}
	return "", cfnresource.Errorf(cfnresource.CodeNotFound, "there is no secret %s", arn)
}

func (f *fake) Mark(ctx context.Context, id string) (mark string, err error) {
	return mark, f.do(ctx, id, true, func(o object) { mark = o.mark })
}

func (f *fake) Create(ctx context.Context, id, mark, owner, password string) error {
	return f.do(ctx, id, false, func(object) { f.objects[id] = object{mark, owner, password} })
}

func (f *fake) Alter(ctx context.Context, id, mark, owner, password string) error {
	return f.do(ctx, id, true, func(object) { f.objects[id] = object{mark, owner, password} })
}

func (f *fake) Drop(ctx context.Context, id string) error {
	return f.do(ctx, id, true, func(object) { delete(f.objects, id) })
}

// do works on an object, or on the place for one, with a step before it and after it.
func (f *fake) do(ctx context.Context, id string, exists bool, work func(object)) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	o, there := f.objects[id]
	if there == exists {
		work(o)
	}
	f.mu.Unlock()
	if there && !exists {
		return cfnresource.Errorf(cfnresource.CodeAlreadyExists, "there is an object %s", id)
	} else if !there && exists {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no object %s", id)
	}
	return cfntest.Step(ctx)
}

func (f *fake) state(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, there := f.objects[id]; there {
		return [2]string{o.owner, o.password}
	}
	return nil
}

func (f *fake) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.objects))
}

func (f *fake) occupy(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects[id] = object{"another's", "somebody", "secret"}
}
