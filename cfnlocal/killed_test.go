package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// nestedResource has child.yaml, whose resource has an ID, in a nested stack.
const nestedResource = `
Parameters: {Id: {Type: String}}
Resources:
  Child: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: child.yaml, Parameters: {Id: !Ref Id}}}
Outputs:
  Id: {Value: !GetAtt Child.Outputs.Id}
`

// If a deployment is killed at any moment, the same command resumes it. It ends as
// if it had not been interrupted, and no request stays pending.
func TestKilledAtAnyMoment(t *testing.T) {
	linkPrograms(t)
	one, err := os.ReadFile("testdata/t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("flat", func(t *testing.T) { killAtAnyMoment(t, "Fn=handler", map[string]string{"t.yaml": string(one)}) })
	t.Run("nested", func(t *testing.T) {
		killAtAnyMoment(t, "Child.Fn=handler", map[string]string{"t.yaml": nestedResource, "child.yaml": string(one)})
	})
}

func killAtAnyMoment(t *testing.T, function string, files map[string]string) {
	dir := t.TempDir()
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	cfnlocal := func(ctx context.Context, args ...string) (out []byte, err error) {
		cmd := exec.CommandContext(ctx, "cfnlocal", args...) // killed with SIGKILL when ctx ends
		cmd.Dir = dir
		out, err = cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
			err = fmt.Errorf("exit code %d: %s", exit.ExitCode(), exit.Stderr)
		}
		return out, err
	}
	killed := 0
	for i := range testrun.Share(4, 15) {
		id := fmt.Sprintf("id-%d", i)
		deploy := []string{"deploy", "t.yaml", "--stack", "shop", "--function", function, "--parameter", "Id=" + id}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(120))*time.Millisecond)
		if _, err := cfnlocal(ctx, deploy...); err != nil {
			killed++
		}
		cancel()
		if out, err := cfnlocal(t.Context(), deploy...); err != nil {
			t.Fatalf("seed %d, round %d: the same command again: %v\n%s", seed, i, err, out)
		}
		out, err := cfnlocal(t.Context(), "--json", "describe", "shop")
		var described struct {
			StackStatus string
			AtRest      bool
			Outputs     map[string]string
		}
		if err = errors.Join(err, json.Unmarshal(out, &described)); err != nil || !described.AtRest || !succeeded(described.StackStatus) || described.Outputs["Id"] != id {
			t.Fatalf("seed %d, round %d: %v, %+v", seed, i, err, described)
		}
	}
	if out, err := cfnlocal(t.Context(), "requests", "shop"); err != nil || strings.Contains(string(out), `"Pending"`) {
		t.Errorf("seed %d: %v\n%s", seed, err, out)
	}
	if out, err := cfnlocal(t.Context(), "delete", "shop"); err != nil || !strings.Contains(string(out), "no answer named anything that is left") {
		t.Errorf("seed %d: %v\n%s", seed, err, out)
	}
	if killed == 0 && testrun.Thorough() { // in few rounds every command may end before it is killed
		t.Error("no command was killed: the test has tested nothing")
	}
}
