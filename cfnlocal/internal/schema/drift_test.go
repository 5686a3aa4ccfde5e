package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDifferences: only what the template sets is compared, and neither secrets nor attributes are.
func TestDifferences(t *testing.T) {
	s := read(t, strings.Replace(crate, `"array", `, `"array", "insertionOrder": false, `, 1))
	for _, test := range []struct {
		name, template, resource string
		want                     []Difference
	}{
		{"the same", `{"Name":"a","Size":1}`, `{"Name":"a","Size":1}`, nil},
		{"what the template does not set", `{"Name":"a"}`, `{"Name":"a","Size":1,"Id":"c-1"}`, nil},
		{"what cannot be read", `{"Name":"a","Password":"hush"}`, `{"Name":"a"}`, nil},
		{"nor if it is there", `{"Password":"hush"}`, `{"Password":"other"}`, nil},
		{"attributes", `{"Id":"c-1"}`, `{"Id":"c-2"}`, nil},
		{"another value", `{"Size":1}`, `{"Size":2}`, []Difference{{"/Size", "1", "2"}}},
		{"no value", `{"Size":1}`, `{}`, []Difference{{"/Size", "1", ""}}},
		{"null", `{"Size":1}`, `{"Size":null}`, []Difference{{"/Size", "1", ""}}},
		{"another form of a number", `{"Weight":1.50}`, `{"Weight":15e-1}`, nil},
		{"a number is not its text", `{"Any":1}`, `{"Any":"1"}`, []Difference{{"/Any", "1", `"1"`}}},
		{"a list in another order", `{"Labels":[{"Text":"a"},{"Text":"b"}]}`, `{"Labels":[{"Text":"b"},{"Text":"a"}]}`, nil},
		{"a longer list", `{"Labels":[{"Text":"a"}]}`, `{"Labels":[{"Text":"a"},{"Text":"b"}]}`, []Difference{{"/Labels/1", "", `{"Text":"b"}`}}},
		{"within a list", `{"Labels":[{"Text":"a"}]}`, `{"Labels":[{"Text":"<b>"}]}`, []Difference{{"/Labels/0/Text", `"a"`, `"<b>"`}}},
		{"another form", `{"Labels":[{"Text":"a"}]}`, `{"Labels":"a"}`, []Difference{{"/Labels", `[{"Text":"a"}]`, `"a"`}}},
		{"a name with a slash", `{"Any":{"a/b":1}}`, `{"Any":{"a/b":2}}`, []Difference{{"/Any/a~1b", "1", "2"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var template, resource map[string]any
			if err := decode([]byte(test.template), &template); err != nil {
				t.Fatal(err)
			}
			if err := decode([]byte(test.resource), &resource); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, s.Differences(template, resource)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDifferenceTypes(t *testing.T) {
	for want, d := range map[string]Difference{"NOT_EQUAL": {Expected: "1", Actual: "2"}, "ADD": {Actual: "2"}, "REMOVE": {Expected: "1"}} {
		if d.Type() != want {
			t.Errorf("%+v is %s, want %s", d, d.Type(), want)
		}
	}
}

// TestDifferencesHoldNoSecret: what is writeOnly within an object, a list or a map
// is neither compared nor shown, also where what it is in differs.
func TestDifferencesHoldNoSecret(t *testing.T) {
	for _, pointer := range []string{"/properties/Logins/*/Password", "/properties/Logins/Password"} {
		s := read(t, `{"typeName":"Example::A::B","properties":{"Login":{"type":"object"},"Logins":{"type":"array","insertionOrder":false},"Doors":{"type":"object"},"a/b":{"type":"string"}},
			"writeOnlyProperties":["/properties/Login/Password","`+pointer+`","/properties/Doors/*/Pin","/properties/a~1b"],"primaryIdentifier":["/properties/Login"]}`)
		const template = `{"Login":{"User":"u","Password":"hush"},"Logins":[{"User":"v","Password":"hush"}],"Doors":{"front":{"Pin":"hush"}},"a/b":"hush"}`
		for resource, want := range map[string][]Difference{
			`{"Login":{"User":"u"},"Logins":[{"User":"v"}],"Doors":{"front":{}}}`:                     nil,
			`{"Login":{"User":"u"},"Logins":[{"User":"v"}]}`:                                          nil,
			`{"Login":{"User":"u"},"Logins":[{"User":"x","Password":"hush-2"}],"Doors":{"front":{}}}`: {{"/Logins/0/User", `"v"`, `"x"`}},
			`{"Logins":[],"Doors":{}}`: {{"/Login", `{"User":"u"}`, ""}, {"/Logins/0", `{"User":"v"}`, ""}},
		} {
			var is, should map[string]any
			if err := errors.Join(decode([]byte(template), &should), decode([]byte(resource), &is)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, s.Differences(should, is)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", resource, diff)
			}
		}
	}
}
