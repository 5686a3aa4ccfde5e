// Package registrytest tests a resource type of the registry against the contract
// that CloudFormation asks of it, before anything is registered:
//
//	func TestContract(t *testing.T) {
//		registrytest.TestContract(t, registrytest.Inputs[Props]{
//			Create: Props{Name: "a", Size: 1},
//			Update: Props{Name: "a", Size: 2},
//		}, func(t *testing.T) registrytest.Process {
//			service := fake.New()
//			return func() *registry.Dispatcher {
//				return registry.New("Example::Shelf::Thing", &Things{service})
//			}
//		})
//	}
//
// The checks named contract_ are those of AWS's own suite (package contract of the CloudFormation
// CLI), with its assertions on every answer. Those named between_calls_ test what breaks between
// two calls, which that suite does not try. Each plays the calls and callbacks of CloudFormation
// against the Dispatcher, in virtual time.
//
// [Explore] takes the same arguments, and plays each step of a life with each
// fault.
//
// AWS's two checks of tags are left out, as its suite skips them: the schema of a
// [registry.Resource] says that it is not taggable. AWS's contract_create_create asks for
// AlreadyExists, and contract_delete_create for a second resource, only where a template names the
// identifier. Here the identifier is the SDK's: the second CREATE may also make another resource,
// and what was deleted can be made again.
package registrytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/registry"
)

// A Process starts the function anew, as Lambda does after a process died: what
// it kept in memory is lost, and the service is the same.
type Process func() *registry.Dispatcher

// Inputs are the properties that are created and updated.
type Inputs[P any] struct {
	// Create are the properties of a resource, and Update those of its update: they differ in at
	// least one property, and in none tagged createOnly. Let the service take some seconds for
	// both: one check makes its calls shorter than that, and so finds a method that restarts its
	// work in each.
	Create, Update P
	// Beside are the properties of another resource, which is made first, and must be as it was at
	// the end. If it is the zero value, there is none.
	Beside P
	// Timeout is how long a request may be in progress. If zero, it is two hours,
	// as in a schema that says nothing.
	Timeout time.Duration
	// RealTime plays the checks in real time: for services behind a network.
	RealTime bool
}

// TestContract runs each check as a subtest, and those of what breaks between two calls only if the
// others pass. service is called for each: it makes a service without resources, and returns a
// Process that works with it.
func TestContract[P any](t *testing.T, in Inputs[P], service func(t *testing.T) Process) {
	t.Helper()
	w, err := wireOf(in)
	if err != nil {
		t.Fatal(err)
	}
	log := capture.Start()
	defer log.Release()
	isRight := true
	for _, k := range checks {
		if !isRight && strings.HasPrefix(k.name, betweenCalls) { // what is wrong without a fault is wrong with one
			return
		}
		c := newClient(w)
		right := t.Run(k.name, func(t *testing.T) {
			if report := k.play(t, c, service, log); report != "" {
				t.Error(report)
			}
		})
		isRight = isRight && right
		if !right && !c.ready { // each further check would say the same
			return
		}
	}
}

// A model is a resource on the wire.
type model map[string]any

func (m model) id() string {
	id, _ := m[registry.Identifier].(string)
	return id
}

// with returns the resource with an identifier.
func (m model) with(id string) model {
	w := maps.Clone(m)
	w[registry.Identifier] = id
	return w
}

// wire are the inputs on the wire.
type wire struct {
	create, update model
	beside         model            // nil if there is none
	secrets        *redact.Redactor // of the inputs
	cleared        []string         // the names of properties that the UPDATE leaves out
	sets           []string         // the names of lists whose order means nothing
	timeout        time.Duration
	realTime       bool
	// shown returns what an answer may show of a member of a resource. It is not ok if
	// an answer may show nothing: the member is secret, or empty.
	shown func(name string, value any) (_ any, ok bool)
}

func wireOf[P any](in Inputs[P]) (w wire, err error) {
	s, err := properties.SchemaOf(reflect.TypeFor[P]())
	if err != nil {
		return w, err
	}

	// Update must be an update of Create in place.
	if s.Identity(&in.Create) != s.Identity(&in.Update) {
		return w, fmt.Errorf("Inputs.Update changes a createOnly property, which is no update: change another property")
	}
	if reflect.DeepEqual(in.Create, in.Update) {
		return w, fmt.Errorf("Inputs.Update is the same as Inputs.Create: change a property that is not createOnly")
	}
	w.timeout, w.realTime, w.secrets = cmp.Or(in.Timeout, 2*time.Hour), in.RealTime, new(redact.Redactor)
	if w.sets, err = setsOf[P](); err != nil {
		return w, err
	}
	for _, p := range []struct {
		from *P
		to   *model
	}{{&in.Create, &w.create}, {&in.Update, &w.update}, {&in.Beside, &w.beside}} {
		if p.to == &w.beside && reflect.ValueOf(in.Beside).IsZero() {
			continue
		}
		whole, err := s.Whole(p.from)
		if err != nil {
			return w, err
		}
		w.secrets.Add(s.Secrets(nil, p.from)...)
		*p.to = model{}
		for name, raw := range whole {
			var value any
			if err := json.Unmarshal(raw, &value); err != nil {
				return w, err
			}
			(*p.to)[name] = value
		}
	}
	// read is a resource as a handler answers it: in the SDK's writing, and without secrets.
	read := func(m model) model {
		p, out := new(P), model{}
		raw, _ := json.Marshal(m) // it came as JSON
		s.Decode(raw, p)
		open, _ := s.Model(p) // nil if it cannot be written
		raw, _ = json.Marshal(open)
		_ = json.Unmarshal(raw, &out)
		return out
	}
	w.shown = func(name string, value any) (any, bool) {
		if !slices.Contains(s.Names(), name) { // an attribute
			return value, true
		}
		shown, ok := read(model{name: value})[name]
		return shown, ok
	}
	// A property that the UPDATE leaves out is read as its default, or not at all.
	before, after := read(w.create), read(w.update)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[name]; !there {
			w.cleared = append(w.cleared, name)
		}
	}
	return w, nil
}

// setsOf returns the names of the properties whose type says that its order means nothing.
func setsOf[P any]() (names []string, err error) {
	raw, err := schema.Of[P, struct{}]("Example::Any::Type")
	if err != nil {
		return nil, err
	}
	var s struct{ Properties map[string]schema.Property }
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	for name, p := range s.Properties {
		if p.InsertionOrder != nil && !*p.InsertionOrder {
			names = append(names, name)
		}
	}
	return names, nil
}
