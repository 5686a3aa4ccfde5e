//go:build unix

package copy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const program = `package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct{ Name string }

type Data struct{ Name string }

type Thing struct{}

func (Thing) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	return Data(req.Properties), nil
}

func (Thing) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return Data(req.Properties), nil
}

func (Thing) Delete(context.Context, *cfnresource.DeleteRequest[Props]) error { return nil }

func main() { lambda.Start(cfnresource.New(Thing{})) }
`

// What a user does before a version is published, as the README says it: in a
// folder with nothing but a module, and in one with a program that uses the SDK.
func TestFromAClone(t *testing.T) {
	checkout := setUp(t)
	commands := goCommands(read(t, root, "README.md"), func(block string) bool { return strings.Contains(block, placeholder) })
	if len(commands) != 1 {
		t.Fatalf("the README does not say in one command how to use a clone: %q", commands)
	}
	steps := []string{"go mod init example.com/me/mine", strings.ReplaceAll(commands[0], placeholder, "="+checkout), "go tool cfnlocal list"}

	t.Run("an empty folder", func(t *testing.T) { shell(t, t.TempDir(), 5*time.Minute, steps) })
	t.Run("a program", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		shell(t, dir, 5*time.Minute, append(steps, "go vet ./...", "go mod tidy -diff"))
	})
}
