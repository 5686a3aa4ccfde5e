// Package construct deploys what the construct of module cdk synthesizes, with the local CloudFormation, and compares
// it with the template that is written by hand.
//
// The tests need Node, which the CDK runs under, and are skipped where there is none:
//
//	.ci/run cdk
package construct

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cdk"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const repository = "../../.."

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

// synthesise returns the directory with the template of the stack Notes.
func synthesise(t *testing.T, build func(stack awscdk.Stack)) (dir string) {
	t.Helper()
	if !hasNode() {
		if os.Getenv("CI") != "" || os.Getenv("TEST_CDK") != "" {
			t.Fatal("there is no Node here, which the CDK runs under: install it, with apt-get install nodejs for one")
		}
		t.Skip("SKIPPED: there is no Node here, which the CDK runs under; .ci/run cdk installs it and runs this test")
	}
	dir = t.TempDir()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: &dir})
	build(awscdk.NewStack(app, jsii.String("Notes"), nil))
	app.Synth(nil)
	return dir
}

// program builds the program of docs/getting-started.md for this machine.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc", "-o", file, "./internal/repo/guides/note")
	build.Dir = repository
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// code is an asset whose content nobody reads: the functions run from commands.
func code(t *testing.T) *cdk.ProviderProps {
	t.Helper()
	return &cdk.ProviderProps{Code: awslambda.Code_FromAsset(jsii.String(t.TempDir()), nil)}
}

// planned is what CloudFormation would do with a template, for a stack.
func planned(t *testing.T, file string, body []byte) *template.Plan {
	t.Helper()
	parsed, err := template.Parse(file, body)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := parsed.Resolve(template.Stack{AccountID: "123456789012", Region: "us-east-1", StackID: "stack", StackName: "Notes"})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// The construct makes what examples/subscription writes by hand, and nothing else: the same resources with the same
// properties, and the custom resource depends on the same ones.
func TestTheTemplateIsThatOfSubscription(t *testing.T) {
	dir := synthesise(t, func(stack awscdk.Stack) {
		topic := awscdk.NewCfnParameter(stack, jsii.String("Topic"), &awscdk.CfnParameterProps{Default: "orders"})
		days := awscdk.NewCfnParameter(stack, jsii.String("Days"), &awscdk.CfnParameterProps{Type: jsii.String("Number"), Default: 14})
		props := code(t)
		props.Description = jsii.String("Answers the requests of Custom::Subscription.")
		provider := cdk.NewProvider(stack, jsii.String("Provider"), props)
		provider.Resource(stack, jsii.String("Subscription"), jsii.String("Custom::Subscription"), map[string]any{
			"Topic": topic.ValueAsString(), "Active": true, "Days": days.ValueAsNumber(),
		})
	})
	byHand := filepath.Join(repository, "examples/subscription/template.yaml")
	want := described(t, planned(t, byHand, read(t, byHand)), map[string]string{
		"SubscriptionFunction": "Function", "SubscriptionLogGroup": "LogGroup", "SubscriptionRole": "Role",
		"SubscriptionFunctionEventInvokeConfig": "EventInvokeConfig",
	})
	synthesized := filepath.Join(dir, "Notes.template.json")
	got := described(t, planned(t, synthesized, read(t, synthesized)), nil)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("resources (-examples/subscription +construct):\n%s", diff)
	}
}

// described returns the resources as text by their names, without what must differ: where the code is,
// the second function's description, and names that CDK or SAM make. names are those of resources that the two
// templates name otherwise.
func described(t *testing.T, plan *template.Plan, names map[string]string) map[string]string {
	t.Helper()
	refs := named{names}
	all := map[string]string{}
	for _, r := range plan.Resources {
		properties, err := r.Properties(refs)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"Code", "Tags"} {
			delete(properties, key)
		}
		name := refs.of(r.LogicalID)
		if name == "FailureFunction" {
			delete(properties, "Description")
		}
		text, err := json.MarshalIndent(plain(properties), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		all[r.Type+" "+name] = string(text) + " " + cmp.Or(r.DeletionPolicy, "Delete") + " " + cmp.Or(r.UpdateReplacePolicy, "Delete")
		if engine.IsCustomResource(r.Type) {
			all["needed by "+name] = strings.Join(reached(plan, r.LogicalID, refs), " ")
		}
	}
	return all
}

// reached are the resources that one depends on, directly or not.
func reached(plan *template.Plan, from string, refs named) (all []string) {
	todo := []string{from}
	for len(todo) > 0 {
		i := slices.IndexFunc(plan.Resources, func(r engine.Resource) bool { return r.LogicalID == todo[0] })
		todo = todo[1:]
		for _, id := range plan.Resources[i].DependsOn {
			if name := refs.of(id); !slices.Contains(all, name) {
				all, todo = append(all, name), append(todo, id)
			}
		}
	}
	slices.Sort(all)
	return all
}

// plain returns a value with text for each scalar, and lists of one element as that: IAM takes both.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[key] = plain(value)
		}
		return out
	case []any:
		if len(v) == 1 {
			return plain(v[0])
		}
		out := []any{}
		for _, value := range v {
			out = append(out, plain(value))
		}
		return out
	}
	return fmt.Sprint(v)
}

// named resolves references to the names of resources.
type named struct{ names map[string]string }

var made = regexp.MustCompile("^Provider(.*)[0-9A-F]{8}$")

func (n named) of(id string) string {
	if name, ok := n.names[id]; ok {
		return name
	}
	return made.ReplaceAllString(id, "$1")
}

func (n named) Ref(id string) (string, error)            { return n.of(id), nil }
func (n named) GetAtt(id, attribute string) (any, error) { return n.of(id) + "." + attribute, nil }

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
