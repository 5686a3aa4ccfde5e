package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

const question = `{"cfnresource":"describe"}`

// TestDescribe: a function that has its schema gives it to who asks, and one that
// has none takes the question for a request that it does not know.
func TestDescribe(t *testing.T) {
	schema := `{"typeName":"Example::Paper::Note"}`
	for _, test := range []struct {
		name string
		opts []func(*registry.Options)
		want string
		err  string
	}{
		{"with a schema", []func(*registry.Options){func(o *registry.Options) { o.Schema = func() ([]byte, error) { return []byte(schema), nil } }}, `"schema":` + schema, ""},
		{"without", nil, `"errorCode":"InvalidRequest"`, ""},
		{"with one that fails", []func(*registry.Options){func(o *registry.Options) {
			o.Schema = func() ([]byte, error) { return nil, errors.New("no luck") }
		}}, "", "the schema: no luck"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := registry.New(typeName, newShelf(), test.opts...)
			got, err := d.Invoke(t.Context(), []byte(question))
			switch {
			case test.err != "" && (err == nil || err.Error() != test.err), test.err == "" && err != nil:
				t.Errorf("the error is %v, want %q", err, test.err)
			case !strings.Contains(string(got), test.want), test.err == "" && !json.Valid(got):
				t.Errorf("the answer is %s, want %s in it", got, test.want)
			}
		})
	}
}

// Lazy opens the resource once, and tries again at the next request if that
// failed. The failure says nothing of the resource, whatever its code.
func TestLazy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, opened := newShelf(), 0
		d := registry.New(typeName, registry.Lazy(func(context.Context) (*shelf, error) {
			if opened++; opened <= 6 {
				return nil, cfnresource.Errorf(cfnresource.CodeNotFound, "no vault")
			}
			return s, nil
		}))
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
		for _, action := range []string{"READ", "LIST", "UPDATE", "DELETE"} {
			a := invoke(t, d, event{action: action, properties: `{"Name":"a","PhysicalResourceId":"t-1"}`}.json())
			if a.ErrorCode != "InternalFailure" || !strings.Contains(a.Message, "no vault") {
				t.Errorf("%s is answered %+v", action, a)
			}
		}
		opened = 6
		for range 2 {
			if a := invoke(t, d, event{action: "LIST"}.json()); a.Status != "SUCCESS" {
				t.Errorf("the answer is %+v", a)
			}
		}
		if opened != 7 {
			t.Errorf("the resource was opened %d times", opened)
		}
	})
}

// What Lazy opens keeps all that it is: its methods, and a Find only if it has one.
func TestLazyKeepsWhatTheResourceIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		d := registry.New(typeName, registry.Lazy(func(context.Context) (*shelf, error) { return s, nil }))
		if a := invoke(t, d, event{action: "CREATE", properties: asked}.json()); a.Status != "SUCCESS" {
			t.Errorf("CREATE is answered %+v", a)
		}
		const there = `{"PhysicalResourceId":"t-1","Name":"a","Size":4}`
		for _, action := range []string{"UPDATE", "READ", "DELETE"} {
			if a := invoke(t, d, event{action: action, token: action, properties: there}.json()); a.Status != "SUCCESS" {
				t.Errorf("%s is answered %+v", action, a)
			}
		}
	})
	if _, ok := registry.Lazy(func(context.Context) (*shelf, error) { return newShelf(), nil }).(cfnresource.Finder[props]); !ok {
		t.Error("the shelf's Find is lost")
	}
	if _, ok := registry.Lazy(func(context.Context) (*findless, error) { return nil, nil }).(cfnresource.Finder[props]); ok { //nolint:nilnil // it is not called
		t.Error("what has no Find has one")
	}
}

// findless is a shelf without Find.
type findless struct{ registry.Resource[props, data] }

// What is wrong with a call of Lazy is said by Err.
func TestLazyOfWhatCannotBeOpened(t *testing.T) {
	var none func(context.Context) (*shelf, error)
	for name, d := range map[string]*registry.Dispatcher{
		"nil": registry.New(typeName, registry.Lazy(none)),
		"an interface": registry.New(typeName, registry.Lazy(func(context.Context) (registry.Resource[props, data], error) {
			return nil, errors.New("never called")
		})),
	} {
		if d.Err() == nil || !strings.Contains(d.Err().Error(), "passed to Lazy") {
			t.Errorf("%s: %v", name, d.Err())
		}
	}
	d := registry.New(typeName, registry.Lazy(func(context.Context) (*shelf, error) { return nil, nil })) //nolint:nilnil // the mistake
	if a := invoke(t, d, event{action: "LIST"}.json()); a.ErrorCode != "InternalFailure" {
		t.Errorf("a resource that is nil: %+v", a)
	}
}
