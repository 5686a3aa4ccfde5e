package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A function as its author writes it.
const function = `package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	IMPORT
)

type props struct{ Name string }

func main() {
	lambda.Start(cfnresource.New(cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[props]) (struct{}, error) {
		return struct{}{}, nil
	})OPTION))
}
`

// TestWithoutTheOptionNoClientIsLinked: a function without stackphase and selfinvoke links nothing
// of the AWS SDK. A function with one of them links it, which shows that the test detects it.
func TestWithoutTheOptionNoClientIsLinked(t *testing.T) {
	for _, tt := range []struct {
		name, imports, option string
		linked                bool
	}{
		{"without", "", "", false},
		{"with", `"github.com/cfnresource/sdk-go/cfnresource/stackphase"`, ", stackphase.FromEnvironment", true},
		{"with another one", `"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"`, ", selfinvoke.FromEnvironment", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			text := strings.NewReplacer("IMPORT", tt.imports, "OPTION", tt.option).Replace(function)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", file)
			cmd.Dir = root
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(out), "github.com/aws/aws-sdk-go-v2/") || strings.Contains(string(out), "github.com/aws/smithy-go"); got != tt.linked {
				t.Errorf("links the AWS SDK: %t, want %t", got, tt.linked)
			}
			if strings.Contains(string(out), "github.com/aws/aws-sdk-go-v2/config") {
				t.Error("links the AWS SDK's configuration")
			}
		})
	}
}
