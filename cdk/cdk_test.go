package cdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cdk"
	"github.com/cfnresource/sdk-go/cfnresource"
)

// The CDK's library is JavaScript, and runs under Node, beside the tests.
func TestMain(m *testing.M) {
	status := m.Run()
	if hasNode() {
		jsii.Close()
	}
	os.Exit(status)
}

func hasNode() bool {
	_, err := exec.LookPath("node")
	return err == nil
}

// A handler and its properties.
type (
	Props struct {
		Board  string `cfn:"createOnly,required"`
		Text   string
		Days   int `cfn:"default=14"`
		Active bool
		Rules  []Rule
		Wait   time.Duration
	}
	Rule struct {
		Port int `cfn:"required"`
		Name string
	}
	Data struct{ Path string }
	Note struct{}
)

func (*Note) Create(context.Context, *cfnresource.CreateRequest[Props]) (d Data, err error) {
	return d, nil
}

func (*Note) Update(context.Context, *cfnresource.UpdateRequest[Props]) (d Data, err error) {
	return d, nil
}
func (*Note) Delete(context.Context, *cfnresource.DeleteRequest[Props]) error { return nil }

// handler has one type, Custom::Note.
func handler() *cfnresource.Dispatcher {
	d := cfnresource.NewDispatcher()
	cfnresource.Handle(d, "Custom::Note", &Note{})
	return d
}

// program returns a directory with a program for Lambda.
func program(t *testing.T, goarch string) *string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "dist", "bootstrap"), filepath.Join(dir, "main.go"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch, "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dist := filepath.Join(dir, "dist")
	return &dist
}

// A template is what is synthesized.
type template struct {
	Resources map[string]resource
}

type resource struct {
	Type       string
	Properties map[string]any
	DependsOn  []string
}

// of returns the resources of a type, by logical ID.
func (s template) of(typ string) map[string]resource {
	all := map[string]resource{}
	for id, r := range s.Resources {
		if r.Type == typ {
			all[id] = r
		}
	}
	return all
}

// one returns the resource whose logical ID begins with name.
func (s template) one(t *testing.T, name string) (id string, r resource) {
	t.Helper()
	for known := range s.Resources {
		if regexp.MustCompile("^" + name + "[0-9A-F]{8}$|^" + name + "$").MatchString(known) {
			return known, s.Resources[known]
		}
	}
	t.Fatalf("there is no resource %s", name)
	return "", r
}

// synthesise returns the template of the stack Notes, or what is wrong with it.
func synthesise(t *testing.T, build func(stack awscdk.Stack)) (s template, mistakes string) {
	t.Helper()
	if !hasNode() {
		if os.Getenv("CI") != "" || os.Getenv("TEST_CDK") != "" {
			t.Fatal("there is no Node here, which the CDK runs under: install it, with apt-get install nodejs for one")
		}
		t.Skip("SKIPPED: there is no Node here, which the CDK runs under; .ci/run cdk installs it and runs this test")
	}
	dir := t.TempDir()
	defer func() {
		if refused := recover(); refused != nil {
			mistakes = fmt.Sprint(refused)
		}
	}()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: &dir, AnalyticsReporting: jsii.Bool(false)})
	build(awscdk.NewStack(app, jsii.String("Notes"), nil))
	app.Synth(nil)
	raw, err := os.ReadFile(filepath.Join(dir, "Notes.template.json"))
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, ""
}

// accepted is synthesise of what is not refused.
func accepted(t *testing.T, build func(stack awscdk.Stack)) template {
	t.Helper()
	s, mistakes := synthesise(t, build)
	if mistakes != "" {
		t.Fatal(mistakes)
	}
	return s
}

// The whole provider, for the record: what is not here is not asked for.
func TestAProviderIsThis(t *testing.T) {
	dist := program(t, "arm64")
	s := accepted(t, func(stack awscdk.Stack) {
		p := cdk.NewProvider(stack, jsii.String("Provider"), &cdk.ProviderProps{Program: dist, Handler: handler()})
		p.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), Props{Board: "kitchen"})
	})
	counts := map[string]int{}
	for _, r := range s.Resources {
		counts[r.Type]++
	}
	want := map[string]int{
		"AWS::IAM::Role": 2, "AWS::Logs::LogGroup": 2, "AWS::Lambda::Function": 2, "AWS::Lambda::EventInvokeConfig": 1, "Custom::Note": 1,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("resources by type (-want +got):\n%s", diff)
	}
}

// A permission that is granted after the resource is made is kept for its Delete, and so is one
// that is granted by another construct.
func TestAResourceDependsOnWhatIsGrantedLater(t *testing.T) {
	dist := program(t, "arm64")
	s := accepted(t, func(stack awscdk.Stack) {
		p := cdk.NewProvider(stack, jsii.String("Provider"), &cdk.ProviderProps{Program: dist})
		p.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), Props{Board: "kitchen"})
		awss3.NewBucket(stack, jsii.String("Bucket"), nil).GrantRead(p, nil)
		p.AddToRolePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Actions: jsii.Strings("sqs:DeleteMessage"), Resources: jsii.Strings("*"),
		}))
	})
	policy, granted := s.one(t, "ProviderRoleDefaultPolicy")
	_, note := s.one(t, "Note")
	if !strings.Contains(strings.Join(note.DependsOn, " "), policy) {
		t.Errorf("the note depends on %q, and not on %s", note.DependsOn, policy)
	}
	if text := fmt.Sprint(granted.Properties); !strings.Contains(text, "s3:GetObject") || !strings.Contains(text, "sqs:DeleteMessage") {
		t.Errorf("the policy is %s", text)
	}
}

// A value that is known only when the stack is deployed passes, wherever it stands, and comes into the template as
// what it stands for.
func TestTokensPass(t *testing.T) {
	dist := program(t, "arm64")
	s := accepted(t, func(stack awscdk.Stack) {
		days := awscdk.NewCfnParameter(stack, jsii.String("Days"), &awscdk.CfnParameterProps{Type: jsii.String("Number")})
		board := awscdk.NewCfnParameter(stack, jsii.String("Board"), nil)
		p := cdk.NewProvider(stack, jsii.String("Provider"), &cdk.ProviderProps{Program: dist, Handler: handler()})
		p.Resource(stack, jsii.String("Struct"), jsii.String("Custom::Note"), Props{Board: *board.ValueAsString()})
		p.Resource(stack, jsii.String("Map"), jsii.String("Custom::Note"), map[string]any{
			"Board":  board.ValueAsString(),
			"Days":   days.ValueAsNumber(),
			"Active": awscdk.Fn_ConditionEquals("a", days.ValueAsString()),
			"Rules": []any{map[string]any{
				"Port": days.ValueAsString(),
				"Name": awscdk.Fn_GetAtt(jsii.String("ProviderFunction"), jsii.String("Arn")),
			}},
			"Wait": board.ValueAsString(),
		})
	})
	_, fromStruct := s.one(t, "Struct")
	_, fromMap := s.one(t, "Map")
	ref := func(id string) any { return map[string]any{"Ref": id} }
	want := []map[string]any{{"Board": ref("Board")}, {
		"Board": ref("Board"), "Days": ref("Days"), "Wait": ref("Board"),
		"Active": map[string]any{"Fn::Equals": []any{"a", ref("Days")}},
		"Rules":  []any{map[string]any{"Port": ref("Days"), "Name": map[string]any{"Fn::GetAtt": []any{"ProviderFunction", "Arn"}}}},
	}}
	if diff := cmp.Diff(want, []map[string]any{fromStruct.own(), fromMap.own()}); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
}

// own are the properties that the handler reads.
func (r resource) own() map[string]any {
	delete(r.Properties, "ServiceToken")
	delete(r.Properties, "ServiceTimeout")
	return r.Properties
}

// A struct's properties have the names that the handler reads. A zero value is left out, so that a property
// that the app does not mention has its default. One that is required is there.
func TestAStructsPropertiesAreWhatTheHandlerReads(t *testing.T) {
	type Common struct {
		Team string `json:"team"`
	}
	type properties struct {
		Common

		Size  int `cfn:"required"`
		Days  int `cfn:"default=14"`
		Named string
		Wait  time.Duration
		Tags  map[string]string
		Flag  *bool
	}
	dist := program(t, "arm64")
	s := accepted(t, func(stack awscdk.Stack) {
		p := cdk.NewProvider(stack, jsii.String("Provider"), &cdk.ProviderProps{Program: dist})
		p.Resource(stack, jsii.String("Zero"), jsii.String("Custom::Thing"), properties{})
		p.Resource(stack, jsii.String("Full"), jsii.String("Custom::Thing"), properties{
			Common: Common{"a"}, Size: 1, Days: 2, Named: "b", Wait: 90 * time.Minute, Tags: map[string]string{"c": ""}, Flag: new(false),
		})
	})
	_, zero := s.one(t, "Zero")
	_, full := s.one(t, "Full")
	want := []map[string]any{{"Size": 0.0}, {
		"team": "a", "Size": 1.0, "Days": 2.0, "Named": "b", "Wait": "1h30m", "Tags": map[string]any{"c": ""}, "Flag": false,
	}}
	if diff := cmp.Diff(want, []map[string]any{zero.own(), full.own()}); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
}

// The role may do what was asked for, on this stack and this function alone.
func TestPermissions(t *testing.T) {
	dist := program(t, "arm64")
	s := accepted(t, func(stack awscdk.Stack) {
		cdk.NewProvider(stack, jsii.String("Plain"), &cdk.ProviderProps{Program: dist})
		cdk.NewProvider(stack, jsii.String("Phases"), &cdk.ProviderProps{Program: dist, Phases: jsii.Bool(true)})
		cdk.NewProvider(stack, jsii.String("Long"), &cdk.ProviderProps{Program: dist, Continues: jsii.Bool(true)})
		cdk.NewProvider(stack, jsii.String("Inside"), &cdk.ProviderProps{Program: dist, Vpc: awsec2.NewVpc(stack, jsii.String("Vpc"), nil)})
	})
	for name, want := range map[string][]string{
		"PlainFailureRole":  {"logs:CreateLogStream,logs:PutLogEvents PlainFailureLogGroup"},
		"PlainRole":         {"logs:CreateLogStream,logs:PutLogEvents PlainLogGroup", "lambda:InvokeFunction PlainFailureFunction"},
		"PhasesRole":        {"logs:CreateLogStream,logs:PutLogEvents PhasesLogGroup", "lambda:InvokeFunction PhasesFailureFunction", "cloudformation:DescribeStacks,cloudformation:DescribeStackResource AWS::StackId"},
		"LongRole":          {"logs:CreateLogStream,logs:PutLogEvents LongLogGroup", "lambda:InvokeFunction LongFailureFunction", "cloudformation:DescribeStacks,cloudformation:DescribeStackResource AWS::StackId"},
		"LongInvokesItself": {"lambda:InvokeFunction LongFunction"},
		"InsideRole": {
			"logs:CreateLogStream,logs:PutLogEvents InsideLogGroup", "lambda:InvokeFunction InsideFailureFunction",
			"ec2:AssignPrivateIpAddresses,ec2:CreateNetworkInterface,ec2:DeleteNetworkInterface,ec2:DescribeNetworkInterfaces,ec2:DescribeSubnets,ec2:UnassignPrivateIpAddresses *",
		},
		"InsideFailureRole": {"logs:CreateLogStream,logs:PutLogEvents InsideFailureLogGroup"},
	} {
		_, r := s.one(t, name)
		if diff := cmp.Diff(want, statements(r.Properties)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if _, managed := r.Properties["ManagedPolicyArns"]; managed {
			t.Errorf("%s has managed policies", name)
		}
	}
	for id, f := range s.of("AWS::Lambda::Function") {
		if _, inside := f.Properties["VpcConfig"]; inside != strings.HasPrefix(id, "InsideFunction") {
			t.Errorf("%s is in a network: %t", id, inside)
		}
	}
}

// statements are those of a role or a policy, as "ACTION,ACTION ON".
func statements(properties map[string]any) (all []string) {
	documents := []any{properties["PolicyDocument"]}
	if policies, ok := properties["Policies"].([]any); ok {
		documents = nil
		for _, p := range policies {
			documents = append(documents, p.(map[string]any)["PolicyDocument"])
		}
	}
	hash := regexp.MustCompile(`[0-9A-F]{8}$`)
	for _, d := range documents {
		for _, s := range d.(map[string]any)["Statement"].([]any) {
			statement := s.(map[string]any)
			actions := strings.ReplaceAll(strings.Trim(fmt.Sprint(statement["Action"]), "[]"), " ", ",")
			on := fmt.Sprint(statement["Resource"])
			if target, ok := statement["Resource"].(map[string]any); ok {
				if ref, ok := target["Ref"]; ok {
					on = ref.(string)
				} else {
					on = target["Fn::GetAtt"].([]any)[0].(string)
				}
			}
			all = append(all, actions+" "+hash.ReplaceAllString(on, ""))
		}
	}
	return all
}

// A function in a network needs its way to S3 until its resources' Deletes are answered.
func TestAResourceDependsOnTheNetwork(t *testing.T) {
	dist := program(t, "arm64")
	s := accepted(t, func(stack awscdk.Stack) {
		vpc := awsec2.NewVpc(stack, jsii.String("Vpc"), nil)
		p := cdk.NewProvider(stack, jsii.String("Provider"), &cdk.ProviderProps{Program: dist, Vpc: vpc})
		p.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), Props{Board: "kitchen"})
		vpc.AddGatewayEndpoint(jsii.String("ToS3"), &awsec2.GatewayVpcEndpointOptions{Service: awsec2.GatewayVpcEndpointAwsService_S3()})
	})
	_, note := s.one(t, "Note")
	for _, typ := range []string{"AWS::EC2::Route", "AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::VPCEndpoint", "AWS::EC2::NatGateway"} {
		all := s.of(typ)
		for id := range all {
			if !slices.Contains(note.DependsOn, id) {
				t.Errorf("the note does not depend on %s", id)
			}
		}
		if len(all) == 0 {
			t.Errorf("there is no %s", typ)
		}
	}
}

// Settings that are given are those of the template.
func TestSettings(t *testing.T) {
	dist := program(t, "amd64")
	s := accepted(t, func(stack awscdk.Stack) {
		p := cdk.NewProvider(stack, jsii.String("Provider"), &cdk.ProviderProps{
			Code: awslambda.Code_FromAsset(dist, nil), Architecture: awslambda.Architecture_X86_64(),
			Timeout: seconds(60), MemorySize: jsii.Number(256), Environment: &map[string]*string{"BOARD": jsii.String("b")},
			Description: jsii.String("Notes."), LogRetention: awslogs.RetentionDays_ONE_WEEK, MaxEventAge: seconds(120), RetryAttempts: jsii.Number(1),
			ReservedConcurrentExecutions: jsii.Number(5), ServiceTimeout: seconds(600),
		})
		p.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), Props{Board: "kitchen"})
	})
	for name, want := range map[string]map[string]any{
		"ProviderFunction": {
			"Architectures": []any{"x86_64"}, "Timeout": 60.0, "MemorySize": 256.0, "Description": "Notes.",
			"Environment": map[string]any{"Variables": map[string]any{"BOARD": "b"}}, "ReservedConcurrentExecutions": 5.0,
		},
		"ProviderFailureFunction": {
			"Architectures": []any{"x86_64"}, "Timeout": 30.0, "MemorySize": 256.0,
			"Environment": map[string]any{"Variables": map[string]any{"BOARD": "b"}}, "ReservedConcurrentExecutions": nil,
		},
		"ProviderLogGroup":          {"RetentionInDays": 7.0},
		"ProviderFailureLogGroup":   {"RetentionInDays": 7.0},
		"ProviderEventInvokeConfig": {"MaximumEventAgeInSeconds": 120.0, "MaximumRetryAttempts": 1.0, "Qualifier": "$LATEST"},
		"Note":                      {"ServiceTimeout": "600"},
	} {
		_, r := s.one(t, name)
		got := map[string]any{}
		for key := range want {
			got[key] = r.Properties[key]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The logical IDs of what a provider makes: another ID of the function is another service token, which CloudFormation
// refuses for a resource that exists.
func TestTheIDsNeverChange(t *testing.T) {
	dist := program(t, "arm64")
	s := accepted(t, func(stack awscdk.Stack) {
		p := cdk.NewProvider(stack, jsii.String("Provider"), &cdk.ProviderProps{Program: dist, Continues: jsii.Bool(true)})
		p.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), Props{Board: "kitchen"})
	})
	want := []string{
		"Note", "ProviderEventInvokeConfig8FC71579", "ProviderFailureFunctionB518527E", "ProviderFailureLogGroupB6A16B6C",
		"ProviderFailureRole91C38CCB", "ProviderFunction30350776", "ProviderInvokesItselfA18338BF", "ProviderLogGroupFD264F08",
		"ProviderRole1DE8EC3B",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(s.Resources))); diff != "" {
		t.Errorf("logical IDs (-want +got):\n%s", diff)
	}
}

// The documentation of the package begins with a program that compiles.
func TestTheDocumentedProgramCompiles(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var parsed comment.Parser
	for _, block := range parsed.Parse(file.Doc.Text()).Content {
		code, ok := block.(*comment.Code)
		if !ok {
			continue
		}
		main := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(main, []byte(code.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "go", "vet", main).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	t.Error("the documentation has no program")
}
