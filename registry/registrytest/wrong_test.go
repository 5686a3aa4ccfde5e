package registrytest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

const typeName = "Example::Depot::Crate"

func process[R registry.Resource[props, data]](r func() R) Process {
	return func() *registry.Dispatcher { return registry.New(typeName, r()) }
}

// Right resources are not flagged: at once done, or after an hour, with IDs of the
// service's, or named.
func TestRightResources(t *testing.T) {
	t.Run("at once", func(t *testing.T) {
		TestContract(t, inputs, func(*testing.T) Process {
			d := newDepot(0)
			return process(func() right { return right{d} })
		})
	})
	t.Run("after an hour", func(t *testing.T) {
		TestContract(t, inputs, func(*testing.T) Process {
			d := newDepot(time.Hour)
			return process(func() right { return right{d} })
		})
	})
	t.Run("named", func(t *testing.T) {
		TestContract(t, inputs, func(*testing.T) Process {
			d := newDepot(0)
			return process(func() named { return named{d} })
		})
	})
}

type wrong struct {
	check   string
	process func() Process
}

// wrongs has a wrong resource for each check.
var wrongs = []wrong{
	{"contract_create_create", func() Process {
		d := newDepot(0)
		return process(func() overwrites { return overwrites{right{d}} })
	}},
	{"contract_create_read", func() Process {
		d := newDepot(0)
		return process(func() forgetful { return forgetful{right{d}} })
	}},
	{"contract_create_delete", func() Process {
		d := newDepot(0)
		return process(func() sticky { return sticky{right{d}} })
	}},
	{"contract_create_list", func() Process {
		d := newDepot(0)
		return process(func() unlisted { return unlisted{right{d}} })
	}},
	{"contract_update_read", func() Process {
		d := newDepot(0)
		return process(func() unmoved { return unmoved{right{d}} })
	}},
	{"contract_update_list", func() Process {
		d := newDepot(0)
		return process(func() hidden { return hidden{right{d}} })
	}},
	{"contract_update_without_create", func() Process {
		d := newDepot(0)
		return process(func() everywhere { return everywhere{right{d}} })
	}},
	{"contract_delete_create", func() Process {
		d := newDepot(0)
		return process(func() reserving { return reserving{right{d}} })
	}},
	{"contract_delete_update", func() Process {
		d := newDepot(0)
		return process(func() *haunted { return &haunted{right: right{d}} })
	}},
	{"contract_delete_delete", func() Process {
		d := newDepot(0)
		return process(func() *haunted { return &haunted{right: right{d}} })
	}},
	{"contract_delete_read", func() Process {
		d := newDepot(0)
		return process(func() tombstones { return tombstones{right{d}} })
	}},
	{"contract_delete_list", func() Process {
		d := newDepot(0)
		return process(func() recalling { return recalling{right{d}} })
	}},
	{"between_calls_process_dies", func() Process {
		d := newDepot(5 * time.Minute)
		return process(func() *remembering { return &remembering{right{d}, map[string]bool{}} })
	}},
	{"between_calls_callback_twice", func() Process {
		d := newDepot(5 * time.Minute)
		return process(func() counting { return counting{right{d}} })
	}},
	{"between_calls_create_answer_lost", func() Process {
		d := newDepot(0)
		return process(func() careless { return careless{named{d}} })
	}},
	{"between_calls_throttled", func() Process {
		d := newDepot(0)
		return process(func() brittle { return brittle{right{d}} })
	}},
}

// Each wrong resource fails the check that is named for what it does, and each
// check that is not skipped has one.
func TestWrongResources(t *testing.T) {
	for _, c := range checks {
		if c.run != nil && !slices.ContainsFunc(wrongs, func(w wrong) bool { return w.check == c.name }) {
			t.Errorf("no wrong resource fails %s", c.name)
		}
	}
	for _, test := range wrongs {
		t.Run(test.check, func(t *testing.T) {
			w, err := wireOf(inputs)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(checks, func(c check) bool { return c.name == test.check })
			synctest.Test(t, func(t *testing.T) {
				if err := checks[i].run(newClient(t.Context(), w, test.process())); err == nil {
					t.Error("the resource is not flagged")
				} else {
					t.Log(err)
				}
			})
		})
	}
}

// overwrites takes what has the name for its own.
type overwrites struct{ right }

func (r overwrites) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	for id, c := range r.crates {
		if c.Name == req.Properties.Name {
			c.props = req.Properties
			req.Created(id)
			return data{}, nil
		}
	}
	return r.right.Create(ctx, req)
}

// forgetful reads a part of the properties.
type forgetful struct{ right }

func (r forgetful) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	m, err := r.right.Read(ctx, req)
	m.Properties.Rest = 0
	return m, err
}

// sticky fails to delete.
type sticky struct{ right }

func (sticky) Delete(context.Context, *cfnresource.DeleteRequest[props]) error {
	return errors.New("it does not come off")
}

// unlisted lists nothing.
type unlisted struct{ right }

func (unlisted) List(context.Context, *registry.ListRequest) ([]string, string, error) {
	return nil, "", nil
}

// unmoved updates nothing.
type unmoved struct{ right }

func (unmoved) Update(context.Context, *cfnresource.UpdateRequest[props]) (data, error) {
	return data{}, nil
}

// hidden lists only what was never updated.
type hidden struct{ right }

func (r hidden) List(context.Context, *registry.ListRequest) (ids []string, _ string, _ error) {
	for id, c := range r.crates {
		if c.Size == inputs.Create.Size {
			ids = append(ids, id)
		}
	}
	return ids, "", nil
}

// everywhere reads what is not there, and makes it in an Update.
type everywhere struct{ right }

func (r everywhere) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	m, err := r.right.Read(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		err = nil
	}
	return m, err
}

func (r everywhere) Update(_ context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	r.crates[req.PhysicalID] = &crate{props: req.Properties}
	return data{}, nil
}

// reserving keeps the name of what is deleted.
type reserving struct{ right }

func (r reserving) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	name := r.crates[req.PhysicalID].Name
	err := r.right.Delete(ctx, req)
	r.names[name] = true
	return err
}

// tombstones can be read after their end.
type tombstones struct{ right }

func (r tombstones) Delete(_ context.Context, req *cfnresource.DeleteRequest[props]) error {
	delete(r.names, r.crates[req.PhysicalID].Name)
	return nil
}

// haunted has what is deleted come back after it was not there for one Read.
type haunted struct {
	right
	ghost *crate
	seen  bool
}

func (r *haunted) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	r.ghost = r.crates[req.PhysicalID]
	return r.right.Delete(ctx, req)
}

func (r *haunted) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	if r.ghost != nil && r.seen {
		r.crates[req.PhysicalID] = &crate{props: r.ghost.props}
	}
	r.seen = r.ghost != nil
	return r.right.Read(ctx, req)
}

// recalling lists all that ever was.
type recalling struct{ right }

func (r recalling) List(context.Context, *registry.ListRequest) (ids []string, _ string, _ error) {
	if r.made > 0 {
		ids = append(ids, "c-1")
	}
	return ids, "", nil
}

// remembering keeps in memory what it has made.
type remembering struct {
	right
	mine map[string]bool
}

func (r *remembering) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	d, err := r.right.Create(ctx, req)
	r.mine[req.CreatedID()] = true
	return d, err
}

func (r *remembering) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if !r.mine[req.PhysicalID] {
		return data{}, errors.New("I know of no such crate")
	}
	return r.right.Update(ctx, req)
}

// counting adds to what there is with each Update.
type counting struct{ right }

func (r counting) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if !req.Adopted {
		req.Properties.Size += r.crates[req.PhysicalID].Size - 1
	}
	return r.right.Update(ctx, req)
}

// careless makes a crate in each Create, and has no Find.
type careless struct{ named }

func (r careless) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	req.Created(r.make(req.Properties, ""))
	return data{}, nil
}

// brittle deletes nothing twice.
type brittle struct{ right }

func (r brittle) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	if r.at(req.PhysicalID) == nil {
		return errors.New("there is nothing to delete")
	}
	return r.right.Delete(ctx, req)
}
