package template

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// declareOne reads one parameter P.
func declareOne(t *testing.T, declaration string) ([]*Parameter, *source.Report) {
	t.Helper()
	r := &source.Report{File: "t.yaml"}
	root := source.Read([]byte("Parameters: {P: "+declaration+"}"), nil, r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	_, declared := readParameters(root.Get("Parameters"), r, new(budget))
	return declared, r
}

// Each row is a declaration, the value given, and what Ref gives.
func TestParameterValues(t *testing.T) {
	store := map[string]string{"/name": "a, b"}
	for name, tt := range map[string]struct {
		declaration string
		given       string // "-" is none
		want        any
		shown       string
	}{
		"given":                    {`{Type: String, Default: a}`, "b", "b", "b"},
		"the default":              {`{Type: String, Default: a}`, "-", "a", "a"},
		"empty":                    {`{Type: String, Default: a}`, "", "", ""},
		"a number":                 {`{Type: Number}`, "-1.5e3", "-1.5e3", "-1.5e3"},
		"a list":                   {`{Type: CommaDelimitedList}`, "a, b", []any{"a", "b"}, "a, b"},
		"a list of numbers":        {`{Type: List<Number>}`, "1,2", []any{"1", "2"}, "1,2"},
		"never shown":              {`{Type: String, NoEcho: true}`, "pw", "pw", "****"},
		"from Parameter Store":     {`{Type: AWS::SSM::Parameter::Value<String>}`, "/name", "a, b", "/name"},
		"a list from it":           {`{Type: AWS::SSM::Parameter::Value<List<String>>}`, "/name", []any{"a", "b"}, "/name"},
		"not known in it":          {`{Type: AWS::SSM::Parameter::Value<String>}`, "/other", nil, "/other"},
		"within its limits":        {`{Type: String, MinLength: 2, MaxLength: 3, AllowedPattern: "[a-z]+"}`, "abc", "abc", "abc"},
		"characters are no bytes":  {`{Type: String, MaxLength: 2}`, "äö", "äö", "äö"},
		"the bounds of a number":   {`{Type: Number, MinValue: 1, MaxValue: 2}`, "2", "2", "2"},
		"one of those allowed":     {`{Type: String, AllowedValues: [a, b]}`, "b", "b", "b"},
		"each of a list's allowed": {`{Type: CommaDelimitedList, AllowedValues: [a, b]}`, "b,a", []any{"b", "a"}, "b,a"},
	} {
		t.Run(name, func(t *testing.T) {
			declared, r := declareOne(t, tt.declaration)
			given := map[string]string{"P": tt.given}
			if tt.given == "-" {
				given = nil
			}
			values, shown, _ := settleParameters(declared, Stack{Parameters: given, Store: store}, r, new(budget))
			if diff := cmp.Diff(tt.want, values["P"]); diff != "" || r.Err() != nil {
				t.Errorf("%v (-want +got):\n%s", r.Err(), diff)
			}
			if len(shown) != 1 || shown[0].Value != tt.shown || shown[0].Default != (given == nil) {
				t.Errorf("shown as %+v, want %s", shown, tt.shown)
			}
		})
	}
}

// A value that is refused may be a secret: no error holds it.
func TestParameterValuesRefused(t *testing.T) {
	for declaration, want := range map[string]string{
		`{Type: Number}`:                                                    "must be a number",
		`{Type: List<Number>}`:                                              "must be a number",
		`{Type: Number, MinValue: 1}`:                                       "must be a number",
		`{Type: String, MinLength: 20}`:                                     "at least 20 characters",
		`{Type: String, MaxLength: 2}`:                                      "at most 2 characters",
		`{Type: String, AllowedPattern: "[0-9]+"}`:                          "match the pattern [0-9]+",
		`{Type: String, AllowedPattern: "hunt|er"}`:                         "match the pattern",
		`{Type: String, AllowedValues: [a, b]}`:                             "one of a, b",
		`{Type: String, NoEcho: true, AllowedValues: [secret-a]}`:           "one of AllowedValues",
		`{Type: String, MaxLength: 1, ConstraintDescription: "one letter"}`: "one letter (",
	} {
		declared, r := declareOne(t, declaration)
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		values, shown, _ := settleParameters(declared, Stack{Parameters: map[string]string{"P": "hunter2"}}, r, new(budget))
		switch err := r.Err(); {
		case err == nil || !strings.Contains(err.Error(), want) || len(values)+len(shown) > 0:
			t.Errorf("%s: %v, %v, want %s", declaration, values, err, want)
		case strings.Contains(err.Error(), "hunter2"), strings.Contains(err.Error(), "secret-a"):
			t.Errorf("%s: the value is in the error: %v", declaration, err)
		}
	}
	declared, r := declareOne(t, `{Type: String}`)
	settleParameters(declared, Stack{Parameters: map[string]string{"Q": "hunter2"}}, r, new(budget))
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "no value and no default") || !strings.Contains(err.Error(), "parameter Q, which the template does not have") {
		t.Errorf("one without a value, and a value without one: %v", err)
	}
}

// What is wrong with a declaration is said before any value is given.
func TestParameterDeclarations(t *testing.T) {
	for declaration, want := range map[string]string{
		`text`:                       "a parameter must be an object",
		`{Default: a}`:               "a parameter needs a Type",
		`{Type: Strin}`:              "String",
		`{Type: String, Defalt: a}`:  "Default",
		`{Type: Number, Default: a}`: "the default does not satisfy",
		`{Type: String, MaxLength: 1, Default: ab}`: "the default does not satisfy",
		`{Type: Number, MaxValue: NaN}`:             "MaxValue must be a number",
		`{Type: String, MinLength: -1}`:             "MinLength must be a whole number from 0",
	} {
		if _, r := declareOne(t, declaration); r.Err() == nil || !strings.Contains(r.Err().Error(), want) {
			t.Errorf("%s: %v, want %s", declaration, r.Err(), want)
		}
	}
}

func TestParameterStore(t *testing.T) {
	always := func(int) bool { return true }
	store := ParameterStore{"/a": "1", "/a:2": "two"}
	for written, want := range map[string]struct{ resolved, missing string }{
		"plain":              {"plain", ""},
		"{{resolve:ssm:/a}}": {"1", ""},
		"<{{resolve:ssm:/a:2}}|{{resolve:ssm:/a:3}}>": {"<two|1>", ""},
		"{{resolve:ssm:/b}}{{resolve:ssm:/c}}":        {"{{resolve:ssm:/b}}{{resolve:ssm:/c}}", "/b"},
		"{{resolve:secretsmanager:/a}}":               {"{{resolve:secretsmanager:/a}}", ""},
	} {
		if got, missing := store.resolve(written, always); got != want.resolved || missing != want.missing {
			t.Errorf("%s: %v, %q; want %+v", written, got, missing, want)
		}
	}

	// Below lists and objects, without a change of what was given. Of those that are
	// missing, the first by name is named.
	given, want := map[string]any{"L": []any{"{{resolve:ssm:/a}}", true}}, map[string]any{"L": []any{"1", true}}
	for name := range strings.SplitSeq("bcdefgh", "") {
		given[name], want[name] = "{{resolve:ssm:/"+name+"}}", "{{resolve:ssm:/"+name+"}}"
	}
	before := maps.Clone(given)
	got, missing := store.resolve(given, always)
	if diff := cmp.Diff(any(want), got); diff != "" || missing != "/b" || !cmp.Equal(before, given) {
		t.Errorf("missing %q, given %v (-want +got):\n%s", missing, given, diff)
	}
}
