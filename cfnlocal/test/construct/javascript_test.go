package construct

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cdk"
)

// The class of docs/cdk.md for apps in other languages makes what the construct makes, with the same settings and the
// same IDs.
func TestTheJavaScriptMakesTheSame(t *testing.T) {
	library := os.Getenv("TEST_CDK")
	if library == "" {
		t.Skip("SKIPPED: TEST_CDK names no directory in which aws-cdk-lib is installed; .ci/run cdk installs it and runs this test")
	}
	dir, empty := t.TempDir(), t.TempDir()
	node := exec.CommandContext(t.Context(), "node", "testdata/both.js", dir, empty)
	node.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(library, "node_modules"), "HOME="+t.TempDir())
	if out, err := node.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seconds := func(n float64) awscdk.Duration { return awscdk.Duration_Seconds(&n) }
	for name, props := range map[string]func(awscdk.Stack) cdk.ProviderProps{
		"Plain": func(awscdk.Stack) cdk.ProviderProps { return cdk.ProviderProps{} },
		"Long":  func(awscdk.Stack) cdk.ProviderProps { return cdk.ProviderProps{Continues: jsii.Bool(true)} },
		"Set": func(stack awscdk.Stack) cdk.ProviderProps {
			return cdk.ProviderProps{
				Architecture: awslambda.Architecture_X86_64(), Timeout: seconds(60), MemorySize: jsii.Number(256),
				Environment: &map[string]*string{"BOARD": jsii.String("b")}, Description: jsii.String("Notes."),
				LogRetention: awslogs.RetentionDays_ONE_WEEK, Vpc: awsec2.NewVpc(stack, jsii.String("Vpc"), nil), Phases: jsii.Bool(true),
				MaxEventAge: seconds(120), RetryAttempts: jsii.Number(1), ReservedConcurrentExecutions: jsii.Number(5), ServiceTimeout: seconds(600),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := t.TempDir()
			app := awscdk.NewApp(&awscdk.AppProps{Outdir: &in})
			stack := awscdk.NewStack(app, &name, nil)
			settings := props(stack)
			settings.Code = awslambda.Code_FromAsset(&empty, nil)
			provider := cdk.NewProvider(stack, jsii.String("Provider"), &settings)
			provider.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), map[string]any{"Board": "kitchen"})
			app.Synth(nil)
			of := func(dir string) map[string]string {
				file := filepath.Join(dir, name+".template.json")
				return described(t, planned(t, file, read(t, file)), nil)
			}
			if diff := gocmp.Diff(of(dir), of(in)); diff != "" {
				t.Errorf("resources (-JavaScript +construct):\n%s", diff)
			}
		})
	}
}
