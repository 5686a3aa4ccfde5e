package cfnresource

import (
	"reflect"
	"strings"
	"testing"
)

type misnamed interface {
	Find(*Request) (string, error)
}

type (
	forgets   struct{}
	returns   struct{}
	unrelated struct{}
	none      struct{}
)

func (forgets) Find(Request) string { return "" }
func (returns) Find() *Request      { return nil }
func (unrelated) Find(string) bool  { return false }

// A method that is meant to implement the interface and does not is told; one
// that has nothing to do with it is not.
func TestMissed(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{forgets{}, "it is func(cfnresource.Request) string, make it func(*cfnresource.Request) (string, error)"},
		{returns{}, "it is func() *cfnresource.Request, make"},
		{unrelated{}, ""},
		{none{}, ""},
	} {
		err := checkFind(reflect.TypeOf(tt.v), reflect.TypeFor[misnamed]())
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: %v, want one that says %q", tt.v, err, tt.want)
		}
	}
}
