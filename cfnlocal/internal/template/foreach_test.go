package template

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// writeNode is a node as JSON, with the fields of objects in their order.
func writeNode(n *source.Node) string {
	var parts []string
	switch n.Kind {
	case source.List:
		for _, item := range n.Items {
			parts = append(parts, writeNode(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case source.Object:
		for _, f := range n.Fields {
			parts = append(parts, f.Name()+":"+writeNode(f.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	text, err := json.Marshal(n.Value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// writtenItems is the collection as it is written.
func writtenItems(n *source.Node) (all []string) {
	for _, item := range n.Items {
		text, _ := item.Text()
		all = append(all, text)
	}
	return all
}

// Each row is the Resources section of a template, and what its loops come to.
func TestLoops(t *testing.T) {
	for name, tt := range map[string]struct{ written, want, refused string }{
		"no loop":                        {written: `{A: {Type: T}}`, want: `{A:{Type:"T"}}`},
		"an item in keys and values":     {written: `{Fn::ForEach::L: [N, [a, b], {"X${N}": {Is: "${N}!"}}]}`, want: `{Xa:{Is:"a!"},Xb:{Is:"b!"}}`},
		"Ref of the identifier":          {written: `{Fn::ForEach::L: [N, [a], {X: {Is: {Ref: N}, Other: {Ref: M}}}]}`, want: `{X:{Is:"a",Other:{Ref:"M"}}}`},
		"letters and digits":             {written: `{Fn::ForEach::L: [N, ["a.b-1"], {"X&{N}": "${N}"}]}`, want: `{Xab1:"a.b-1"}`},
		"beside what is no loop":         {written: `{A: 1, Fn::ForEach::L: [N, [b], {"${N}": 2}], C: 3}`, want: `{A:1,b:2,C:3}`},
		"a loop in a loop":               {written: `{Fn::ForEach::L: [N, [a, b], {Fn::ForEach::M: [O, [x, y], {"${N}${O}": 1}]}]}`, want: `{ax:1,ay:1,bx:1,by:1}`},
		"a collection of the outer loop": {written: `{Fn::ForEach::L: [N, [a], {Fn::ForEach::M: [O, ["${N}1"], {"${O}": 1}]}]}`, want: `{a1:1}`},
		"an empty collection":            {written: `{Fn::ForEach::L: [N, [], {X: 1}], Y: 1}`, want: `{Y:1}`},
		"another identifier stays":       {written: `{Fn::ForEach::L: [N, [a], {X: "${M} ${N}"}]}`, want: `{X:"${M} a"}`},

		"a key twice":              {written: `{Fn::ForEach::L: [N, [a, b], {X: 1}]}`, refused: "the loops make the key X twice"},
		"two of three":             {written: `{Fn::ForEach::L: [N, [a]]}`, refused: "an identifier, a collection and an object"},
		"no object":                {written: `{Fn::ForEach::L: [N, [a], X]}`, refused: "an identifier, a collection and an object"},
		"an identifier of symbols": {written: `{Fn::ForEach::L: ["N-1", [a], {X: 1}]}`, refused: "a word of letters and digits"},
		"too deep":                 {written: strings.Repeat(`{Fn::ForEach::L: [N, [a], `, 6) + "{X: 1}" + strings.Repeat("]}", 6), refused: "at most 5 loops"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &source.Report{File: "t.yaml"}
			root := source.Read([]byte("Resources: "+tt.written), nil, r)
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			got := expandLoops(root, r, writtenItems)
			switch err := r.Err(); {
			case tt.refused != "":
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("%v, want %s", err, tt.refused)
				}
			case err != nil:
				t.Error(err)
			case writeNode(got.Get("Resources")) != tt.want:
				t.Errorf("%s, want %s", writeNode(got.Get("Resources")), tt.want)
			}
		})
	}
}

// Loops stand in three sections. In others, nothing is written out.
func TestLoopsStandInThreeSections(t *testing.T) {
	const loop = `: {Fn::ForEach::L: [N, [a], {"${N}": 1}]}` + "\n"
	r := &source.Report{File: "t.yaml"}
	root := source.Read([]byte("Conditions"+loop+"Resources"+loop+"Outputs"+loop+"Metadata"+loop), nil, r)
	const want = `{Conditions:{a:1},Resources:{a:1},Outputs:{a:1},Metadata:{Fn::ForEach::L:["N",["a"],{${N}:1}]}}`
	if got := writeNode(expandLoops(root, r, writtenItems)); got != want || r.Err() != nil {
		t.Errorf("%s and %v, want %s", got, r.Err(), want)
	}
}

// What an expression comes to keeps the expression's place, all the way down.
func TestComputedValuesKeepTheirPlace(t *testing.T) {
	at := source.Position{File: "t.yaml", Line: 3, Column: 5}
	place := Value{Position: at, Path: "/P"}
	scalar := func(path, text string) Value {
		return Value{Position: at, Path: path, Form: Scalar, Text: text}
	}
	for name, tt := range map[string]struct {
		computed any
		want     Value
	}{
		"text":                {"a", scalar("/P", "a")},
		"empty text":          {"", scalar("/P", "")},
		"a number":            {json.Number("1.50"), scalar("/P", "1.50")},
		"a boolean":           {true, scalar("/P", "true")},
		"a dynamic reference": {"{{resolve:ssm:/a}}", place},
		"nothing":             {nil, place},
		"a list": {[]any{"a", "x{{resolve:ssm:/a}}"}, Value{
			Position: at, Path: "/P", Form: List, Items: []Value{scalar("/P/0", "a"), {Position: at, Path: "/P/1"}},
		}},
		"an object": {map[string]any{"B": "b", "A": []any{}}, Value{
			Position: at, Path: "/P", Form: Object, Members: []Member{
				{Position: at, Path: "/P/A", Name: "A", Value: Value{Position: at, Path: "/P/A", Form: List}},
				{Position: at, Path: "/P/B", Name: "B", Value: scalar("/P/B", "b")},
			},
		}},
	} {
		if diff := cmp.Diff(tt.want, place.withComputed(tt.computed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSecretValues(t *testing.T) {
	properties := map[string]any{
		"Password": "p", "Pin": json.Number("1234"), "On": true,
		"Users": []any{map[string]any{"Name": "ada", "Key": "k0"}, map[string]any{"Name": "bob", "Key": "k1"}},
	}
	for name, tt := range map[string]struct {
		path SecretPath
		want []string
	}{
		"text":                      {SecretPath{"Password"}, []string{"p"}},
		"a number":                  {SecretPath{"Pin"}, []string{"1234"}},
		"a boolean hides nothing":   {SecretPath{"On"}, nil},
		"an item":                   {SecretPath{"Users", "1", "Key"}, []string{"k1"}},
		"all that is below":         {SecretPath{"Users"}, []string{"ada", "bob", "k0", "k1"}},
		"nothing there":             {SecretPath{"Token"}, nil},
		"past the end of a list":    {SecretPath{"Users", "2", "Key"}, nil},
		"before a list":             {SecretPath{"Users", "-1", "Key"}, nil},
		"a name in a list":          {SecretPath{"Users", "Key"}, nil},
		"below a value":             {SecretPath{"Password", "0"}, nil},
		"the properties as a whole": {SecretPath{}, []string{"1234", "ada", "bob", "k0", "k1", "p"}},
	} {
		if diff := cmp.Diff(tt.want, slices.Sorted(slices.Values(SecretValues(properties, []SecretPath{tt.path})))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestQualifiersAgree: a function that is invoked by its ARN has not what is
// configured for its alias, so that nobody answers for it when it dies.
func TestQualifiersAgree(t *testing.T) {
	for _, test := range []struct{ token, qualifier, want string }{
		{"!GetAtt Fn.Arn", "$LATEST", ""},
		{"!Ref Live", "live", ""},
		{`!Sub "${Fn.Arn}:live"`, "live", ""},
		{"!GetAtt Fn.Arn", "live", "is for live, and this invokes $LATEST"},
		{"!Ref Live", "$LATEST", "is for $LATEST, and this invokes live"},
		{`!Sub "${Fn.Arn}:blue"`, "live", "is for live, and this invokes blue"},
		{"!Ref One", "live", ""},
		{`!Sub "${Fn.Arn}:${Other}"`, "live", ""},
		{"!GetAtt Fn.Arn", "!GetAtt One.Version", ""},
	} {
		got := ""
		for _, w := range mustPlan(t, `
Resources:
  Thing:
    Type: Custom::Thing
    Properties: {ServiceToken: `+test.token+`}
  Fn:
    Type: AWS::Lambda::Function
    Properties: {Handler: x, Runtime: provided.al2023, Role: r, Code: {S3Bucket: b, S3Key: k}}
  Live: {Type: AWS::Lambda::Alias, Properties: {FunctionName: !Ref Fn, FunctionVersion: $LATEST, Name: live}}
  One: {Type: AWS::Lambda::Version, Properties: {FunctionName: !Ref Fn}}
  Other: {Type: AWS::SNS::Topic}
  Config:
    Type: AWS::Lambda::EventInvokeConfig
    Properties: {FunctionName: !Ref Fn, Qualifier: `+test.qualifier+`, DestinationConfig: {OnFailure: {Destination: "arn:aws:lambda:us-east-1:123456789012:function:f"}}}
`).Warnings {
			if strings.Contains(w.Text, "EventInvokeConfig of") {
				got += w.Text
			}
		}
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s, and a configuration for %s: %q, want %q", test.token, test.qualifier, got, test.want)
		}
	}
}

// TestServiceTokensThatMayBeFunctions: only what certainly is none is refused.
func TestServiceTokensThatMayBeFunctions(t *testing.T) {
	for _, token := range []string{
		"!Ref Given", "!GetAtt Stored.Value", "!GetAtt Nested.Outputs.Arn", "!GetAtt Maker.Arn", "!GetAtt Module.Arn",
		"!GetAtt Table.Arn", "!Ref Topic", "!Ref Version", "arn:aws:lambda:eu-west-1:123456789012:function:other",
	} {
		parsed, err := Parse("t.yaml", []byte(`
Parameters:
  Given: {Type: String, Default: "arn:aws:lambda:eu-west-1:123456789012:function:other"}
Resources:
  Thing: {Type: "Custom::Thing", Properties: {ServiceToken: `+token+`}}
  Maker: {Type: "Custom::Maker", Properties: {ServiceToken: !Ref Given}}
  Stored: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !Ref Given}}
  Nested: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: "https://s3.amazonaws.com/b/t.yaml"}}
  Module: {Type: "Example::Function::Maker"}
  Table: {Type: AWS::DynamoDB::Table, Properties: {KeySchema: [{AttributeName: a, KeyType: HASH}]}}
  Topic: {Type: AWS::SNS::Topic}
  Version: {Type: AWS::Lambda::Version, Properties: {FunctionName: !Ref Given}}
`))
		if err != nil {
			t.Fatal(err)
		}
		stack := testStack
		stack.Attributes = map[string]string{"Table.Arn": "arn:aws:lambda:eu-west-1:123456789012:function:other"}
		stack.Nested = map[string]string{"Nested": StandIn}
		if _, err := parsed.Resolve(stack); err != nil {
			t.Errorf("%s: %v", token, err)
		}
	}
}

const nesting = `{
  "Transform": "AWS::Serverless-2016-10-31",
  "Parameters": {"Zones": {"Type": "CommaDelimitedList", "Default": "a, b"}},
  "Resources": {
    "Path": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": "./sub/child.yaml",
      "Parameters": {"Zones": {"Fn::Join": [",", {"Ref": "Zones"}]}, "Size": "3", "Gone": {"Ref": "AWS::NoValue"}}}},
    "Asset": {"Type": "AWS::CloudFormation::Stack", "Metadata": {"aws:asset:path": "Child.nested.template.json", "aws:asset:property": "TemplateURL"},
      "Properties": {"TemplateURL": {"Fn::Join": ["", ["https://s3.", {"Ref": "AWS::Region"}, "/cdk-assets/0123abcd.json"]]}}},
    "Application": {"Type": "AWS::Serverless::Application", "Properties": {"Location": "app.yaml"}}
  }
}`

// TestNestedStacks: the files of their templates, as paths and as the CDK's
// assets, and the parameters that they are given: text alone, also where only a resource gives it.
func TestNestedStacks(t *testing.T) {
	parsed, err := Parse("t.json", []byte(nesting))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, n := range parsed.Nested() {
		files[n.LogicalID] = n.File
	}
	want := map[string]string{"Path": "./sub/child.yaml", "Asset": "Child.nested.template.json", "Application": "app.yaml"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	stack := testStack
	stack.Open = func(path string) (engine.Source, bool) { return engine.Source{File: "/" + path, Revision: 7}, true }
	plan, err := parsed.Resolve(stack)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]engine.Source{}
	for _, r := range plan.Resources {
		properties, err := r.Properties(nil)
		if err != nil {
			t.Fatal(err)
		}
		given := engine.Properties(encode(t, properties))
		source, err := r.Nested(given)
		if _, err := r.Nested(`{"Parameters": {"List": ["a"]}}`); err == nil || !strings.Contains(err.Error(), "List is none") {
			t.Errorf("%s: a list from a resource: %v", r.LogicalID, err)
		}
		if err != nil {
			t.Fatal(err)
		}
		sources[r.LogicalID] = source
	}
	none := map[string]string{}
	wantSources := map[string]engine.Source{
		"Path":        {File: "/./sub/child.yaml", Revision: 7, Parameters: map[string]string{"Zones": "a,b", "Size": "3"}},
		"Asset":       {File: "/Child.nested.template.json", Revision: 7, Parameters: none},
		"Application": {File: "/app.yaml", Revision: 7, Parameters: none},
	}
	if diff := cmp.Diff(wantSources, sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

// Of a template whose loops wait for its parameters, what is written out is known,
// and a loop is no resource.
func TestNestedStacksOfALanguageExtension(t *testing.T) {
	parsed, err := Parse("t.yaml", []byte(`
Transform: AWS::LanguageExtensions
Resources:
  Child: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: child.yaml}}
  Fn::ForEach::Queues: [Name, [A, B], {"Queue${Name}": {Type: Test::Any::Queue}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if all := parsed.Nested(); len(all) != 1 || all[0].LogicalID != "Child" || all[0].File != "child.yaml" || all[0].Line != 4 {
		t.Errorf("%+v", all)
	}
}
