package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"
)

// The app synthesizes a note with the properties that its handler reads. A mistake in them would be a panic here.
func TestTheAppSynthesizesANote(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no Node here, which the CDK runs under")
		}
		t.Skip("SKIPPED: there is no Node here, which the CDK runs under")
	}
	program := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "lambda.norpc", "-o", program, "./function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	defer jsii.Close()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir())})
	newStack(app, filepath.Dir(program))
	stack := app.Node().FindChild(jsii.String("Notes")).(awscdk.Stack)
	assertions.Template_FromStack(stack, nil).HasResourceProperties(jsii.String("Custom::Note"), map[string]any{
		"Board":          "kitchen",
		"Text":           map[string]any{"Ref": "Text"},
		"ServiceTimeout": "480",
	})
}
