package registrytest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

type props struct {
	Name     string `cfn:"createOnly,required"`
	Size     int
	Rest     time.Duration
	Note     string
	Password string `cfn:"secret"`
}

type data struct {
	Bytes int
	Label string
}

var inputs = Inputs[props]{
	Create: props{Name: "a", Size: 1, Rest: time.Hour, Note: "n", Password: "hush-hush"},
	Update: props{Name: "a", Size: 2, Rest: time.Hour, Password: "hush-hush-hush"},
}

type crate struct {
	props
	mark  string
	token string // of the last change
	ready time.Time
	gone  time.Time // zero while nobody deletes it
}

// A depot is the service: it keeps crates under IDs of its own.
type depot struct {
	mu     sync.Mutex
	crates map[string]*crate
	names  map[string]bool // taken
	made   int
	takes  time.Duration // to make, change or delete a crate
}

func newDepot(takes time.Duration) *depot {
	return &depot{crates: map[string]*crate{}, names: map[string]bool{}, takes: takes}
}

// at returns the crate with an ID, or nil if it is gone.
func (d *depot) at(id string) *crate {
	c := d.crates[id]
	if c != nil && !c.gone.IsZero() && !time.Now().Before(c.gone) {
		delete(d.crates, id)
		delete(d.names, c.Name)
		return nil
	}
	return c
}

// ids returns the IDs of the crates that exist.
func (d *depot) ids() (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(d.crates)) {
		if d.at(id) != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// make makes a crate, even if its name is taken.
func (d *depot) make(p props, mark string) string {
	d.made++
	id := fmt.Sprintf("c-%d", d.made)
	d.crates[id] = &crate{props: p, mark: mark, ready: time.Now().Add(d.takes)}
	d.names[p.Name] = true
	return id
}

// modify starts the change of a crate, unless it has started with the same token. It
// reports whether there is such a crate.
func (d *depot) modify(id string, p props, token string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.at(id)
	if c != nil && (token == "" || token != c.token) {
		c.props, c.token, c.ready = p, token, time.Now().Add(d.takes)
	}
	return c != nil
}

// A right resource keeps the contract.
type right struct{ *depot }

func (r right) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	r.mu.Lock()
	r.ids()
	if r.names[req.Properties.Name] {
		r.mu.Unlock()
		return data{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the name is taken")
	}
	id := r.make(req.Properties, req.StableID())
	r.mu.Unlock()
	req.Created(id)
	return data{}, r.ready(ctx, id)
}

func (r right) ready(ctx context.Context, id string) error {
	return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		c := r.at(id)
		return c != nil && !time.Now().Before(c.ready), nil
	})
}

func absent(id string) error {
	return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no crate %s", id)
}

func (r right) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	r.mu.Lock()
	c := r.at(req.PhysicalID)
	if c != nil && c.props != req.Properties {
		c.props, c.ready = req.Properties, time.Now().Add(r.takes)
	}
	r.mu.Unlock()
	if c == nil {
		return data{}, absent(req.PhysicalID)
	}
	return data{}, r.ready(ctx, req.PhysicalID)
}

func (r right) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	r.mu.Lock()
	if c := r.at(req.PhysicalID); c != nil && c.gone.IsZero() {
		c.gone = time.Now().Add(r.takes)
	}
	r.mu.Unlock()
	return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.at(req.PhysicalID) == nil, nil
	})
}

func (r right) Find(_ context.Context, req *cfnresource.FindRequest[props]) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range r.ids() {
		if r.crates[id].mark == req.StableID() {
			return id, nil
		}
	}
	return "", nil
}

func (r right) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[props, data], err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.at(req.PhysicalID)
	if c == nil {
		return m, absent(req.PhysicalID)
	}
	return registry.Model[props, data]{Properties: c.props, Data: data{c.Size * 1024, "crate " + c.Name}}, nil
}

func (r right) List(_ context.Context, req *registry.ListRequest) (ids []string, next string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return page(r.ids(), req.NextToken)
}

// page returns one ID at a time.
func page(ids []string, after string) ([]string, string, error) {
	i := slices.Index(ids, after) + 1
	if i >= len(ids) {
		return nil, "", nil
	}
	return ids[i : i+1], ids[i], nil
}

// A named resource has its StableID as its name, and no Find.
type named struct{ *depot }

func (n named) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.crates[req.StableID()] != nil {
		return data{}, cfnresource.AlreadyExists(req.StableID())
	}
	n.crates[req.StableID()] = &crate{props: req.Properties}
	return data{}, nil
}

func (n named) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	return right(n).Update(ctx, req)
}

func (n named) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	return right(n).Delete(ctx, req)
}

func (n named) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	return right(n).Read(ctx, req)
}

func (n named) List(ctx context.Context, req *registry.ListRequest) ([]string, string, error) {
	return right(n).List(ctx, req)
}

// A user-named resource has the name that its user gave as its ID, and no Find. It
// cannot tell its own from another's.
type userNamed struct{ named }

func (n userNamed) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := "crate-" + req.Properties.Name
	if n.crates[id] != nil {
		return data{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "there is a crate %s", id)
	}
	n.crates[id] = &crate{props: req.Properties}
	req.Created(id)
	return data{}, nil
}
