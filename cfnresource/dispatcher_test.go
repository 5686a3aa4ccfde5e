package cfnresource_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

const question = `{"cfnresource":"describe"}`

// The types of every handler are described, and no method is called.
func TestDescribe(t *testing.T) {
	h := &fake{}
	got := map[string]string{}
	d := cfnresource.NewDispatcher(func(o *cfnresource.Options) {
		o.Describe = func(types []cfnresource.ResourceType) ([]byte, error) {
			for _, t := range types {
				got[t.Name] = t.Properties.String() + " " + t.Data.String()
			}
			return []byte("described"), nil
		}
	})
	cfnresource.Handle(d, "Custom::B", h)
	cfnresource.Handle(d, "", h)
	const of = "cfnresource_test.props map[string]interface {}"
	answer, err := d.Invoke(t.Context(), []byte(question))
	if diff := cmp.Diff(map[string]string{"": of, "Custom::B": of}, got); diff != "" || string(answer) != "described" || err != nil || len(h.calls) > 0 {
		t.Errorf("%s, %v, calls %q, types (-want +got):\n%s", answer, err, h.calls, diff)
	}
}

// What cannot be described is an error, and so is the question to a function
// that cannot describe itself: the asker gets it, and nobody is answered.
func TestDescribeFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		option func(*cfnresource.Options)
		want   string
	}{
		{"no option", nil, "no ResponseURL"},
		{"an error", func(o *cfnresource.Options) {
			o.Describe = func([]cfnresource.ResourceType) ([]byte, error) { return nil, errors.New("no words") }
		}, "no words"},
		{"a wrong configuration", func(o *cfnresource.Options) {
			o.FindLag = -1
			o.Describe = func([]cfnresource.ResourceType) ([]byte, error) { return []byte("{}"), nil }
		}, "FindLag"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := new(recorder)
			answers, err := send(t, dispatcher(&fake{}, tt.option), func() []byte { return []byte(question) }, rec)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(answers) > 0 {
				t.Errorf("%v, %v; want the error %q", answers, err, tt.want)
			}
		})
	}
}
