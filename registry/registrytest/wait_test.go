package registrytest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/registry"
)

// renew renews a token for as long as the process lives.
func renew() {
	for range time.Tick(10 * time.Minute) { // nothing to renew here
	}
}

// What cannot be set up is told once, and not again by each check or history.
func TestASetUpThatFailsIsToldOnce(t *testing.T) {
	in := beside
	in.Beside.Name = ""
	w, err := wireOf(in)
	if err != nil {
		t.Fatal(err)
	}
	delete(w.beside, "Name") // which is required
	log := capture.Start()
	defer log.Release()
	service := func(*testing.T) Process { return with(0, func(d *depot) right { return right{d} })() }
	c := newClient(w)
	if report := checks[0].play(t, c, service, log); c.ready || !strings.Contains(report, "Inputs.Beside cannot be made") {
		t.Errorf("ready: %v, the report:\n%s", c.ready, report)
	}
	if wrong, _ := explore(t, w, service, log); len(wrong) != 1 {
		t.Errorf("it is told %d times", len(wrong))
	}
}

// wraps wraps the error of Poll in a format.
type wraps struct {
	right
	format string
}

func (r wraps) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	_, err := r.right.Create(ctx, req)
	if err != nil {
		err = fmt.Errorf(r.format, err)
	}
	return data{}, err
}

// swallows does not look at the error of Poll.
type swallows struct {
	right
	every time.Duration
}

func (r swallows) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	id := r.make(req.Properties, req.StableID())
	req.Created(id)
	_ = cfnresource.Poll(ctx, r.every, func(context.Context) (bool, error) { return !time.Now().Before(r.at(id).ready), nil })
	return data{}, nil
}

// updatesLater updates in a goroutine, and answers at once.
type updatesLater struct{ right }

func (r updatesLater) Update(_ context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	time.AfterFunc(time.Second, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.crates[req.PhysicalID].props = req.Properties
	})
	return data{}, nil
}

// slow is of a service whose calls take two seconds each.
type slow struct{ right }

func pause(ctx context.Context) error {
	select {
	case <-time.After(2 * time.Second):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r slow) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	if err := pause(ctx); err != nil {
		return data{}, err
	}
	return r.right.Create(ctx, req)
}

func (r slow) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	if err := pause(ctx); err != nil {
		return registry.Model[props, data]{}, err
	}
	return r.right.Read(ctx, req)
}

// measured sends its metrics after it has answered.
type measured struct{ right }

func (r measured) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	time.AfterFunc(90*time.Second, func() {})
	return r.right.Update(ctx, req)
}

// waitsForMetrics answers after its metrics were sent, in vain: the call is over by then.
type waitsForMetrics struct{ measured }

func (r waitsForMetrics) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	d, err := r.measured.Update(ctx, req)
	<-time.After(90 * time.Second)
	return d, err
}

// lingers waits for its metrics while its call lasts.
type lingers struct{ right }

func (r lingers) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	d, err := r.right.Update(ctx, req)
	_ = pause(ctx)
	return d, err
}

// passesToken has the service start each change once: it knows the token of the last.
type passesToken struct{ right }

func (r passesToken) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	id := r.make(req.Properties, req.StableID())
	r.crates[id].token = req.IdempotencyToken()
	req.Created(id)
	return data{}, r.ready(ctx, id)
}

func (r passesToken) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if !r.modify(req.PhysicalID, req.Properties, req.IdempotencyToken()) {
		return data{}, absent(req.PhysicalID)
	}
	return data{}, r.ready(ctx, req.PhysicalID)
}

// heedless is of a client that takes no context, and two seconds for a call.
type heedless struct{ right }

func (r heedless) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	d, err := r.right.Update(ctx, req)
	<-time.After(2 * time.Second)
	return d, err
}

// restarts has each Update start the change, also one that goes on.
type restarts struct{ right }

func (r restarts) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if !r.modify(req.PhysicalID, req.Properties, "") {
		return data{}, absent(req.PhysicalID)
	}
	return data{}, r.ready(ctx, req.PhysicalID)
}

// idComesLate waits for the ID that the service assigns, and then names it.
type idComesLate struct{ right }

func (r idComesLate) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	id, _ := r.right.Find(ctx, &cfnresource.FindRequest[props]{Request: req.Request, Properties: req.Properties})
	if id == "" {
		id = r.make(req.Properties, req.StableID())
	}
	if err := r.ready(ctx, id); err != nil {
		return data{}, err
	}
	req.Created(id)
	return data{}, nil
}

func (r idComesLate) Find(context.Context, *cfnresource.FindRequest[props]) (string, error) {
	return "", nil
}

// marked has the StableID as its ID, with which it marks its crate. The crate's own ID is nobody's business.
type marked struct{ *depot }

// own returns the service's ID of the crate with a mark, or "".
func (r marked) own(mark string) string {
	for _, id := range r.ids() {
		if r.crates[id].mark == mark {
			return id
		}
	}
	return ""
}

func (r marked) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	mark := req.StableID()
	if r.own(mark) != "" {
		return data{}, cfnresource.AlreadyExists(mark)
	}
	id := r.make(req.Properties, mark)
	req.Created(mark)
	return data{}, right(r).ready(ctx, id)
}

func (r marked) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	req.PhysicalID = r.own(req.PhysicalID)
	return right(r).Update(ctx, req)
}

func (r marked) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	req.PhysicalID = r.own(req.PhysicalID)
	return right(r).Delete(ctx, req)
}

func (r marked) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	return right(r).Read(ctx, &registry.ReadRequest{Request: req.Request, PhysicalID: r.own(req.PhysicalID)})
}

func (r marked) List(ctx context.Context, req *registry.ListRequest) ([]string, string, error) {
	var marks []string
	for _, id := range r.ids() {
		marks = append(marks, r.crates[id].mark)
	}
	return page(marks, req.NextToken)
}

// unread names an ID that Read does not know, as if that of a mark were the service's.
type unread struct{ right }

func (r unread) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	d, err := r.right.Create(ctx, req)
	req.Created("g-" + req.StableID())
	return d, err
}

type login struct {
	User     string
	Password string `cfn:"secret"`
}

// labels are a set.
type labels []string

func (labels) DescribeProperty(p *schema.Property) { p.InsertionOrder = new(bool) }

type lockerProps struct {
	Size   int
	Labels labels
	Login  login
	Logins []login
}

// lockers bear their StableIDs.
type lockers map[string]lockerProps

func (l lockers) Create(_ context.Context, req *cfnresource.CreateRequest[lockerProps]) (none struct{}, err error) {
	if _, taken := l[req.StableID()]; taken {
		return none, cfnresource.AlreadyExists(req.StableID())
	}
	l[req.StableID()] = req.Properties
	return none, nil
}

func (l lockers) Update(_ context.Context, req *cfnresource.UpdateRequest[lockerProps]) (none struct{}, err error) {
	l[req.PhysicalID] = req.Properties
	return none, nil
}

func (l lockers) Delete(_ context.Context, req *cfnresource.DeleteRequest[lockerProps]) error {
	delete(l, req.PhysicalID)
	return nil
}

func (l lockers) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[lockerProps, struct{}], err error) {
	p, there := l[req.PhysicalID]
	if !there {
		return m, absent(req.PhysicalID)
	}
	m.Properties = p
	m.Properties.Labels = slices.Sorted(slices.Values(p.Labels)) // in the order of the service
	return m, nil
}

func (l lockers) List(_ context.Context, req *registry.ListRequest) ([]string, string, error) {
	return page(slices.Sorted(maps.Keys(l)), req.NextToken)
}

var lockerInputs = Inputs[lockerProps]{
	Create: lockerProps{Size: 1, Labels: labels{"b", "a"}, Login: login{"u", "hush-hush"}, Logins: []login{{"v", "hush"}}},
	Update: lockerProps{Size: 2, Labels: labels{"c", "b"}, Login: login{"u", "hush-hush"}, Logins: []login{{"v", "hush"}, {"w", "hush"}}},
}

// A set may come back in another order, and with no other elements.
func TestSets(t *testing.T) {
	w, err := wireOf(lockerInputs)
	if err != nil {
		t.Fatal(err)
	}
	for labels, same := range map[string]bool{"a b": true, "b a": true, "a c": false, "a": false} {
		got := maps.Clone(w.create)
		delete(got, "Login")
		delete(got, "Logins")
		want := maps.Clone(got)
		var list []any
		for l := range strings.FieldsSeq(labels) {
			list = append(list, l)
		}
		got["Labels"] = list
		if err := w.compare("it", want, got); (err == nil) != same {
			t.Errorf("%s for b a: %v", labels, err)
		}
	}
}

// A type with secrets within objects and lists keeps the contract: the checks compare
// the rest of these.
func TestSecretsWithin(t *testing.T) {
	TestContract(t, lockerInputs, func(*testing.T) Process {
		l := lockers{}
		return func() *registry.Dispatcher { return registry.New("Example::Depot::Locker", l) }
	})
}

// An object of which all members are secret is shown without them.
func TestAnObjectOfSecretsAlone(t *testing.T) {
	in := lockerInputs
	in.Create.Login, in.Update.Login = login{Password: "hush-hush"}, login{Password: "hush-hush"}
	TestContract(t, in, func(*testing.T) Process {
		l := lockers{}
		return func() *registry.Dispatcher { return registry.New("Example::Depot::Locker", l) }
	})
}

// An answer that shows such secrets breaks it.
func TestAnswersThatHoldSecretsWithin(t *testing.T) {
	w, err := wireOf(lockerInputs)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{wire: w}
	a := answer{Status: "SUCCESS", ResourceModel: w.create.with("l-1")}
	if err := c.checkSecrets(request{action: "READ"}, a); err == nil || !strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %v", err)
	}
	if err := w.compare("it", w.create, model{"Size": 1.0, "Login": map[string]any{"User": "x"}}); err == nil {
		t.Error("another Login is taken for the same")
	}
}
