package registrytest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/registry"
)

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
