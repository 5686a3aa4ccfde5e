package sam_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/template/sam"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// rewrite returns the resources that SAM makes of a template: their types by name.
func rewrite(t *testing.T, body string, asked bool) (resources *source.Node, types, references map[string]string, r *source.Report) {
	t.Helper()
	r = &source.Report{File: "t.yaml"}
	root := source.Read([]byte(body), nil, r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	resources, references = sam.Rewrite(root, asked, r)
	types = map[string]string{}
	for _, f := range resources.Entries() {
		types[f.Name()], _ = f.Value.Get("Type").Text()
	}
	return resources, types, references, r
}

// Each row is a resource F of SAM's, and what there is instead, by name and type.
func TestRewrite(t *testing.T) {
	const function, role = "AWS::Lambda::Function", "AWS::IAM::Role"
	for name, tt := range map[string]struct {
		resource string
		want     map[string]string
	}{
		"a function":             {`{Type: AWS::Serverless::Function, Properties: {Handler: x}}`, map[string]string{"F": function, "FRole": role}},
		"with a role of its own": {`{Type: AWS::Serverless::Function, Properties: {Role: arn}}`, map[string]string{"F": function}},
		"with an alias": {`{Type: AWS::Serverless::Function, Properties: {Role: arn, AutoPublishAlias: live}}`, map[string]string{
			"F": function, "FVersion": "AWS::Lambda::Version", "FAliaslive": "AWS::Lambda::Alias",
		}},
		"with a URL": {`{Type: AWS::Serverless::Function, Properties: {Role: arn, FunctionUrlConfig: {AuthType: NONE}}}`, map[string]string{
			"F": function, "FUrl": "AWS::Lambda::Url",
		}},
		"another type":   {`{Type: AWS::Serverless::SimpleTable}`, map[string]string{"F": "AWS::DynamoDB::Table"}},
		"not one of SAM": {`{Type: AWS::SNS::Topic}`, map[string]string{"F": "AWS::SNS::Topic"}},
	} {
		_, got, _, r := rewrite(t, "Resources: {F: "+tt.resource+"}", true)
		if diff := cmp.Diff(tt.want, got); diff != "" || r.Err() != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, r.Err(), diff)
		}
	}
	if known := slices.Collect(sam.Types()); !slices.Contains(known, sam.Function) || !slices.Contains(known, sam.Application) {
		t.Errorf("known are %q", known)
	}
}

// A function has what Globals say, unless it says otherwise itself.
func TestGlobals(t *testing.T) {
	resources, _, _, r := rewrite(t, `
Globals: {Function: {Timeout: 10, Runtime: provided.al2023, Environment: {Variables: {A: a, B: b}}}}
Resources:
  F: {Type: AWS::Serverless::Function, IgnoreGlobals: [Runtime], Properties: {Role: arn, Timeout: 20, Environment: {Variables: {B: own}}}}
`, true)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	p := resources.Get("F").Get("Properties")
	variables := p.Get("Environment").Get("Variables")
	timeout, a, b := p.Get("Timeout").Value, variables.Get("A").Value, variables.Get("B").Value
	if fmt.Sprintf("%v %v %v", timeout, a, b) != "20 a own" || p.Get("Runtime") != nil {
		t.Errorf("the timeout is %v, the runtime %v, and the variables are %v and %v", timeout, p.Get("Runtime"), a, b)
	}
}

// Function.Alias and Function.Version stand for what SAM makes.
func TestReferences(t *testing.T) {
	_, _, got, r := rewrite(t, `Resources: {F: {Type: AWS::Serverless::Function, Properties: {Role: arn, AutoPublishAlias: live}}}`, true)
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"F.Version": "FVersion", "F.Alias": "FAliaslive"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		body  string
		asked bool
		want  string
	}{
		"a type without the transform":  {`Resources: {F: {Type: AWS::Serverless::Function}}`, false, "add Transform: " + sam.Transform},
		"Globals without the transform": {"Globals: {}\nResources: {F: {Type: AWS::SNS::Topic}}", false, "Globals belong to SAM"},
		"a name that SAM makes too":     {`Resources: {FRole: {Type: AWS::SNS::Topic}, F: {Type: AWS::Serverless::Function}}`, true, "SAM makes a resource of the name FRole for F"},
		"properties that are no object": {`Resources: {F: {Type: AWS::Serverless::Function, Properties: [a]}}`, true, "must be an object of named properties"},
	} {
		if _, _, _, r := rewrite(t, tt.body, tt.asked); r.Err() == nil || !strings.Contains(r.Err().Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, r.Err(), tt.want)
		}
	}
}
