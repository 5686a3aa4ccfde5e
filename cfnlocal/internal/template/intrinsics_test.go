package template

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// TestIntrinsics holds each row against what its own example comes to: it compiles in one section
// at least, gives what the row says, and stands in a list or in a text only where that can be.
func TestIntrinsics(t *testing.T) {
	for name, row := range intrinsics {
		if _, ok := row.function.(elsewhere); ok {
			continue // it gives nothing here
		}
		for example := range strings.SplitSeq(row.example, " or ") {
			t.Run(example, func(t *testing.T) {
				if tag := "!" + strings.TrimPrefix(name, "Fn::"); !strings.HasPrefix(example, tag+" ") {
					t.Errorf("the example does not begin with %s", tag)
				}
				example = strings.ReplaceAll(example, "[condition", "[!Equals [a, a]")
				example = strings.ReplaceAll(example, ", condition", ", !Equals [a, a]")
				c, n := exampleIn(t, example)
				if name == "Fn::Contains" { // of one value; the others take a list of them
					c.settled.parameters["Parameter"] = "value"
				}
				e := c.expr(n)
				v, err := e.eval(&evaluation{decisions: c.settled, refs: fakeRefs{}, rules: true})
				if err != nil || len(c.Errors) > 0 {
					t.Fatal(err, c.Errors)
				}
				if is := resultOf(v); is != row.gives && is != anything && row.gives != anything {
					t.Errorf("it comes to %v, which is %d; the row says %d", v, is, row.gives)
				}
				c.listed(n, "this", "[a]")
				if refused := len(c.Errors) > 0; refused != (row.gives == aString || row.gives == aBoolean) {
					t.Errorf("refused as a list: %t", refused)
				}
				c.Errors = nil
				c.textual(n, "this")
				if refused := len(c.Errors) > 0; refused != (row.gives == aList) {
					t.Errorf("refused as a text: %t", refused)
				}
			})
		}
	}
}

// exampleIn is an example in the first section that has its function.
func exampleIn(t *testing.T, example string) (*compiler, *source.Node) {
	t.Helper()
	parsed, err := Parse("t.yaml", []byte(`
Parameters: {Parameter: {Type: CommaDelimitedList, Default: "value,other"}}
Mappings: {MapName: {TopLevelKey: {SecondLevelKey: value}}}
Conditions: {Name: !Equals [a, b], ConditionName: !Equals [a, b]}
Resources: {LogicalID: {Type: Test::Any::Queue}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []section{inConditions, inRules, inResources} {
		r := &source.Report{File: "t.yaml"}
		d := &decisions{
			report:     r,
			parameters: map[string]any{"Parameter": []any{"value", "other"}},
			pseudo:     testStack.pseudo(),
			conditions: map[string]bool{"Name": true},
			budget:     new(budget),
			stack:      Stack{Exports: map[string]string{"name": "value", "name.Name": "value"}},
		}
		c := &compiler{Report: r, names: parsed.names, section: s, budget: d.budget, settled: d}
		n := source.Read([]byte("Value: "+example), tags, r).Get("Value")
		if c.expr(n); len(r.Errors) == 0 {
			return c, n
		}
		if s == inResources {
			t.Fatal(r.Errors)
		}
	}
	panic("unreachable")
}

func resultOf(v any) result {
	if v == any(unknown{}) {
		return anything
	}
	if _, ok := source.Slice(v); ok {
		return aList
	}
	if _, ok := v.(bool); ok {
		return aBoolean
	}
	if _, ok := source.Text(v); ok {
		return aString
	}
	return anObject
}

// TestIntrinsicsAreTested: a template that uses a function, and one that misuses it, are in
// testdata.
func TestIntrinsicsAreTested(t *testing.T) {
	for pattern, isMissing := range map[string]func(intrinsic) bool{
		"testdata/bad/*.txtar":  func(intrinsic) bool { return true },
		"testdata/good/*.txtar": func(row intrinsic) bool { return row.example != "" },
	} {
		var all strings.Builder
		for _, file := range archives(t, pattern) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(body)
		}
		for name, row := range intrinsics {
			used := regexp.MustCompile(`(!|Fn::|{)` + strings.TrimPrefix(name, "Fn::") + `\b`)
			if isMissing(row) && !used.MatchString(all.String()) {
				t.Errorf("no template of %s has %s", pattern, name)
			}
		}
	}
}

// TestEvaluationErrors: what only shows when values are known is an error at the place of the
// function, without the value; it is told before anything starts, unless the value is a resource's.
func TestEvaluationErrors(t *testing.T) {
	const head = `Parameters:
  List: {Type: CommaDelimitedList, Default: "private,secret"}
  Text: {Type: String, Default: private}
  Two: {Type: String, Default: "2"}
  Hidden: {Type: String, Default: private, NoEcho: true}
Mappings: {M: {a: {b: c, list: [d]}}}
Resources:
  Q: {Type: Test::Any::Queue}
  T:
    Type: Test::Any::Thing
    Properties:
      A: `
	for _, tc := range []struct{ expression, want string }{
		{`!Sub "${List}"`, "${List} must be a string, not a list"},
		{`!Sub ["${X}", {X: !GetAtt Q.Object}]`, "${X} must be a string, not an object"},
		{`!Sub ["${X}", {X: !Ref AWS::NoValue}]`, "${X} must be a string, not AWS::NoValue"},
		{`!Join [",", !Ref Text]`, "the second argument of Fn::Join must be a list, not a single value"},
		{`!Join [",", [!Ref List]]`, "Fn::Join joins strings, and value 0 is a list"},
		{`!Select [!Ref Two, !Ref List]`, "Fn::Select takes item 2, and the list has 2; the first item is 0"},
		{`!Select [!Ref Text, !Ref List]`, "the index of Fn::Select must be a whole number from 0"},
		{`!Select [0, !Ref Text]`, "the second argument of Fn::Select must be a list, not a single value"},
		{`!Split [",", !Ref List]`, "the second argument of Fn::Split must be a string, not a list"},
		{`!Base64 {Ref: List}`, "the argument of Fn::Base64 must be a string, not a list"},
		{`!FindInMap [M, !Ref Two, b]`, "the mapping M has no key 2, the default of the parameter Two; did you mean a?"},
		{`!FindInMap [M, a, !Ref AWS::Region]`, "the key a of the mapping M has no key eu-west-1, which is AWS::Region; choose from b, list"},
		{`!FindInMap [M, !Ref Hidden, b]`, "Fn::FindInMap finds no entry in the mapping M for the value of key 2, which is hidden; add the entry, or allow only existing keys with AllowedValues"},
		{`!FindInMap [M, !Ref List, b]`, "a key of Fn::FindInMap must be a string, not a list"},
		{`!GetAtt [Q, !Ref List]`, "the attribute's name must be a string, not a list"},
		{`!GetAtt Q.Missing`, "the fake has no such attribute"},
	} {
		t.Run(tc.expression, func(t *testing.T) {
			parsed, err := Parse("template", []byte(head+tc.expression+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			plan, err := parsed.Resolve(testStack)
			if waits := strings.Contains(tc.expression, "GetAtt"); waits != (err == nil) {
				t.Errorf("refused before the start is %t, want %t", err != nil, !waits)
			}
			if err == nil {
				_, err = plan.Resources[1].Properties(fakeRefs{})
			}
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error(); !strings.HasPrefix(got, "template:12:") || !strings.HasSuffix(got, ": "+tc.want) {
				t.Errorf("error is\n%s, want one at line 12 that ends\n%s", got, tc.want)
			}
			if strings.Contains(err.Error(), "private") {
				t.Errorf("the error holds a value: %v", err)
			}
		})
	}
}

// TestCustomResourceResolved: ServiceToken and ServiceTimeout are checked again once references are
// resolved.
func TestCustomResourceResolved(t *testing.T) {
	const head = "Parameters: {Empty: {Type: String, Default: ''}, Long: {Type: Number, Default: 3601}, Arn: {Type: String, Default: 'arn:x'}}\nResources:\n  Hook:\n    Type: Custom::Hook\n    Properties: "
	for _, tc := range []struct{ properties, want string }{
		{"{ServiceToken: !Ref Empty}", "template:5:32: /Resources/Hook/Properties/ServiceToken: ServiceToken must be an ARN, not a single value"},
		{"{ServiceToken: !Ref Arn, ServiceTimeout: !Ref Long}", "template:5:58: /Resources/Hook/Properties/ServiceTimeout: ServiceTimeout must be a whole number of seconds from 1 to 3600"},
		{"{ServiceToken: !Ref Arn, ServiceTimeout: '3600'}", ""},
	} {
		_, err := mustPlan(t, head+tc.properties+"\n").Resources[0].Properties(fakeRefs{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.properties, got, tc.want)
		}
	}
}

// TestOutputErrors: an output is text.
func TestOutputErrors(t *testing.T) {
	plan := mustPlan(t, "Resources:\n  Q: {Type: Test::Any::Queue}\nOutputs:\n  A: {Value: !GetAtt Q.List}\n")
	_, err := plan.Outputs[0].Value(fakeRefs{})
	if want := `template:4:6: /Outputs/A: Template format error: Every Value member must be a string.`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// TestByteOrderMark: editors on Windows write one, and it is no part of the template.
func TestByteOrderMark(t *testing.T) {
	for _, body := range []string{
		"Description: 😀\n" + oneTopic,
		`{"Description": "\ud83d\ude00", "Resources": {"Topic": {"Type": "Test::Any::Thing"}}}`, // which YAML would read otherwise
	} {
		if got := mustPlan(t, "\ufeff"+strings.ReplaceAll(body, "\n", "\r\n")).Description; got != "😀" {
			t.Errorf("description is %q", got)
		}
	}
}

// TestPseudoParameters: partition and suffix follow the region.
func TestPseudoParameters(t *testing.T) {
	for region, want := range map[string]string{
		"eu-west-1": "aws amazonaws.com", "cn-north-1": "aws-cn amazonaws.com.cn", "us-gov-west-1": "aws-us-gov amazonaws.com",
		"us-iso-east-1": "aws-iso c2s.ic.gov", "eusc-de-east-1": "aws-eusc amazonaws.eu",
	} {
		pseudo := Stack{Region: region}.pseudo()
		if got := pseudo["AWS::Partition"].(string) + " " + pseudo["AWS::URLSuffix"].(string); got != want {
			t.Errorf("%s: %s, want %s", region, got, want)
		}
	}
}
