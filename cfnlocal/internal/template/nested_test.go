package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const nesting = `{
  "Transform": "AWS::Serverless-2016-10-31",
  "Parameters": {"Zones": {"Type": "CommaDelimitedList", "Default": "a, b"}},
  "Resources": {
    "Path": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": "./sub/child.yaml",
      "Parameters": {"Zones": {"Ref": "Zones"}, "Size": "3", "Gone": {"Ref": "AWS::NoValue"}}}},
    "Asset": {"Type": "AWS::CloudFormation::Stack", "Metadata": {"aws:asset:path": "Child.nested.template.json", "aws:asset:property": "TemplateURL"},
      "Properties": {"TemplateURL": {"Fn::Join": ["", ["https://s3.", {"Ref": "AWS::Region"}, "/cdk-assets/0123abcd.json"]]}}},
    "Application": {"Type": "AWS::Serverless::Application", "Properties": {"Location": "app.yaml"}},
    "Bad": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": "bad.yaml", "Parameters": {"Map": {"A": "b"}}}}
  }
}`

// TestNestedStacks: the files of their templates, as paths and as the CDK's
// assets, and the parameters that they are given: lists are joined.
func TestNestedStacks(t *testing.T) {
	parsed, err := Parse("t.json", []byte(nesting))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, n := range parsed.Nested() {
		files[n.LogicalID] = n.File
	}
	want := map[string]string{"Path": "./sub/child.yaml", "Asset": "Child.nested.template.json", "Application": "app.yaml", "Bad": "bad.yaml"}
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
		if r.LogicalID == "Bad" {
			if err == nil || !strings.Contains(err.Error(), "t.json:10:") || !strings.Contains(err.Error(), "the parameter Map") {
				t.Errorf("a map as parameter: %v", err)
			}
			continue
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
