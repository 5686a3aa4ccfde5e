package mapping_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/template/mapping"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

func read(t *testing.T, section string) (mapping.Mappings, error) {
	t.Helper()
	r := &source.Report{File: "t.yaml"}
	root := source.Read([]byte("Mappings: "+section), nil, r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return mapping.Read(root.Get("Mappings"), r), r.Err()
}

func TestRead(t *testing.T) {
	got, err := read(t, `{Regions: {us-east-1: {Image: ami-1, Zones: [a, b], Count: 3}}, Empty: {}}`)
	want := mapping.Mappings{
		"Regions": {"us-east-1": {"Image": "ami-1", "Zones": []any{"a", "b"}, "Count": json.Number("3")}},
		"Empty":   {},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for section, want := range map[string]string{
		`{M: text}`:                  "a mapping is an object of objects",
		`{M: {a: text}}`:             "a mapping has two levels of keys",
		`{M: {a: {b: {c: d}}}}`:      "a literal or a list of literals",
		`{M: {a_b: {c: d}}}`:         "letters, digits, hyphens and periods",
		`{M: {a: {b: {Ref: Name}}}}`: "here is the function Ref",
	} {
		if _, err := read(t, section); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", section, err, want)
		}
	}
}

// Find says which of the keys is not there, and what is near it.
func TestFind(t *testing.T) {
	m, err := read(t, `{Regions: {us-east-1: {Image: ami-1}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for keys, want := range map[string]struct {
		missing int
		hint    string
	}{
		"Regions":                 {-1, ""},
		"Regions us-east-1":       {-1, ""},
		"Regions us-east-1 Image": {-1, ""},
		"Region us-east-1 Image":  {0, "Regions"},
		"Regions us-east-2":       {1, "us-east-1"},
		"Regions us-east-1 Imgae": {2, "Image"},
	} {
		missing, hint := m.Find(strings.Fields(keys))
		if missing != want.missing || !strings.Contains(hint, want.hint) || (hint == "") != (missing < 0) {
			t.Errorf("%s: %d, %q; want %d, %q", keys, missing, hint, want.missing, want.hint)
		}
	}
}
