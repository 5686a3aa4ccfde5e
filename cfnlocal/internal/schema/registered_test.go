package schema

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const crate = `{"typeName": "Example::Depot::Crate", "description": "A crate.", "additionalProperties": false,
  "properties": {"Id": {"type": "string"}, "Name": {"type": "string", "pattern": "^[a-z]+$"}, "Size": {"type": "integer", "minimum": 1}, "Weight": {"type": "number"},
    "Open": {"type": "boolean"}, "Labels": {"type": "array", "items": {"$ref": "#/definitions/Label"}}, "Password": {"type": "string"}, "Any": {}},
  "definitions": {"Label": {"type": "object", "additionalProperties": false, "properties": {"Text": {"type": "string"}, "Bold": {"type": "boolean"}}, "required": ["Text"]}},
  "required": ["Name"], "readOnlyProperties": ["/properties/Id"], "writeOnlyProperties": ["/properties/Password"],
  "createOnlyProperties": ["/properties/Name"], "primaryIdentifier": ["/properties/Id"],
  "handlers": {"create": {"permissions": [], "timeoutInMinutes": 5}, "read": {"permissions": []}, "update": {"permissions": []}, "delete": {"permissions": []}}}`

func read(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRegistered(t *testing.T) {
	r, err := read(t, crate).Registered()
	if err != nil {
		t.Fatal(err)
	}
	got := []any{r.Name, r.PrimaryIdentifier, r.CreateOnly, r.ReadOnly, r.Timeouts["Create"], r.Timeouts["Delete"]}
	if diff := cmp.Diff([]any{"Example::Depot::Crate", []string{"Id"}, []string{"Name"}, []string{"Id"}, 5 * time.Minute, time.Duration(0)}, got); diff != "" {
		t.Error(diff)
	}
}

// TestNotRegistered: what CloudFormation could not play is refused with a reason.
func TestNotRegistered(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`"primaryIdentifier"`, `"x"`}:                          "no primaryIdentifier",
		{`"delete": {"permissions"`, `"remove": {"x"`}:          "no delete among",
		{`"timeoutInMinutes": 5`, `"timeoutInMinutes": 100000`}: "not from 2 to 2160",
	} {
		if _, err := read(t, strings.Replace(crate, change[0], change[1], 1)).Registered(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", change[1], err, want)
		}
	}
}

// TestAccept: a template's values get the types that the schema has, since a
// parameter's is a string.
func TestAccept(t *testing.T) {
	s := read(t, crate)
	got, err := s.accept(map[string]any{"Name": "a", "Size": "3", "Weight": "+.5", "Open": "True", "Any": []any{"1", true},
		"Labels": []any{map[string]any{"Text": json.Number("5"), "Bold": false}}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"Name": "a", "Size": json.Number("3"), "Weight": 0.5, "Open": true, "Any": []any{"1", true},
		"Labels": []any{map[string]any{"Text": "5", "Bold": false}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOtherMembers: which objects may have members that the schema does not name.
func TestOtherMembers(t *testing.T) {
	const named = `"properties":{"A":{}},`
	for text, want := range map[string]bool{
		`{"type":"object"}`: true, `{"additionalProperties":false}`: false,
		`{` + named + `"type":"object"}`: false, `{` + named + `"additionalProperties":true}`: true,
	} {
		p := new(Property)
		if err := json.Unmarshal([]byte(text), p); err != nil {
			t.Fatal(err)
		}
		_, open := exactly(p, "B")
		if _, known := lookup(p, "B"); open != want || known != want {
			t.Errorf("%s: %t and %t, want %t", text, open, known, want)
		}
	}
}

// TestAcceptRefuses: what is wrong is named with its place and without its value.
func TestAcceptRefuses(t *testing.T) {
	s := read(t, crate)
	for _, test := range []struct {
		values map[string]any
		want   string
	}{
		{map[string]any{}, "#: required key [Name] not found"},
		{map[string]any{"Name": "a", "Nmae": "hush"}, "#: extraneous key [Nmae] is not permitted"},
		{map[string]any{"Name": "a", "Id": "hush"}, "#: extraneous key [Id] is not permitted: it is an attribute"},
		{map[string]any{"Name": "a", "Size": "hush"}, "#/Size: the value is not a whole number"},
		{map[string]any{"Name": "a", "Size": "0"}, "#/Size: the number is less than 1"},
		{map[string]any{"Name": "hush!"}, "#/Name: the value does not match"},
		{map[string]any{"Name": "a", "Labels": "hush"}, "#/Labels: expected a list"},
		{map[string]any{"Name": "a", "Labels": []any{map[string]any{"Bold": "hush"}}}, "#/Labels/0/Bold: the value is not true or false"},
		{map[string]any{"Name": "a", "Labels": []any{map[string]any{}}}, "#/Labels/0: required key [Text] not found"},
		{map[string]any{"Name": map[string]any{"a": "hush"}}, "#/Name: expected a string, found an object"},
		{map[string]any{"Name": []any{"hush"}}, "#/Name: expected a string, found a list"},
		{map[string]any{"Name": nil}, "#/Name: expected a value"},
	} {
		_, err := s.accept(test.values)
		switch {
		case err == nil || !strings.Contains(err.Error(), test.want):
			t.Errorf("%v: %v, want %s", test.values, err, test.want)
		case strings.Contains(err.Error(), "hush"):
			t.Errorf("the error has a value: %v", err)
		}
	}
}
