package cdk

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// The stack of docs/cdk.md: its template, as it was synthesised, and the program of
// docs/getting-started.md live through a creation, an update in place, a replacement and a
// deletion. Where the program dies, the on-failure destination answers.
func TestNote(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "dist", "bootstrap")
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()

	// The template and the program.
	script, err := filepath.Abs("testdata/note.js")
	if err != nil {
		t.Fatal(err)
	}
	node(ctx, t, dir, func() {
		build := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-o", program, "./internal/repo/guides/note")
		build.Dir = "../../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}, script)

	// deploy deploys the template with a program for the handler.
	notes := t.TempDir()
	home, err := local.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = home.Close() })
	deploy := func(stack string, parameters map[string]string, handler string) *engine.Stack {
		d, err := record.Read(filepath.Join(dir, "cdk.out", "Notes.template.json"))
		if err != nil {
			t.Fatal(err)
		}
		d.Parameters, d.Commands, d.Env = parameters, map[string]string{}, map[string]string{"TMPDIR": notes}
		parsed, err := template.Parse(d.File, []byte(d.Body))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range parsed.Code() {
			d.Commands[f.LogicalID] = program
			if strings.HasPrefix(f.LogicalID, "NoteProviderFunction") {
				d.Commands[f.LogicalID] = handler
			}
		}
		w := new(watcher)
		s, err := home.CreateOrUpdate(ctx, stack, local.Change{Revision: d}, strict{t}, local.Settings{Watcher: w})
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(w.lines, "\n"))
		}
		return s
	}

	// Its life.
	var seen []string
	for _, parameters := range []map[string]string{
		{},
		{"Text": "Buy bread"},
		{"Text": "Buy bread", "Board": "office"},
	} {
		s := deploy("Notes", parameters, program)
		text, err := os.ReadFile(s.Outputs[0].Value)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, s.Status+" "+string(text))
	}
	s, err := home.Delete(ctx, "Notes", nil, false, local.Settings{Watcher: new(watcher)})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range s.Requests {
		seen = append(seen, q.RequestType)
	}
	want := []string{
		"CREATE_COMPLETE Buy milk", "UPDATE_COMPLETE Buy bread", "UPDATE_COMPLETE Buy bread",
		"Create", "Update", "Update", "Delete", "Delete",
	}
	if diff := gocmp.Diff(want, seen); diff != "" {
		t.Errorf("the stack's life (-want +got):\n%s", diff)
	}
	if left, err := os.ReadDir(notes); err != nil || len(left) > 0 {
		t.Errorf("%v are left, error %v", left, err)
	}

	// A handler that dies.
	dead := deploy("Dead", nil, "false")
	if answer := dead.Requests[0].Answer; !strings.Contains(answer, "FAILED") || !strings.Contains(answer, "the function ended before it answered") {
		t.Errorf("the Create of a function that dies is answered %s", answer)
	}
}

// node runs a script under Node with the CDK's library, and with arguments, in a
// directory that prepare has filled, or skips the test if they are not here.
func node(ctx context.Context, t *testing.T, dir string, prepare func(), script ...string) {
	modules := os.Getenv("TEST_CDK")
	if modules == "" {
		t.Skip("TEST_CDK names no directory in which aws-cdk-lib is installed; .ci/with-cdk go test -v ./cfnlocal/test/cdk installs it and runs this test")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("there is no Node here (%v); install it, with apt-get install nodejs for one", err)
	}
	prepare()
	cmd := exec.CommandContext(ctx, "node", script...)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(modules, "node_modules"), "CDK_OUTDIR=cdk.out", "HOME="+t.TempDir()) // it keeps a cache at home
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("node %s: %v\n%s", script[0], err, out)
	}
}

// A strict reviewer fails the test for each warning about the template, except about what the CDK adds.
type strict struct{ t *testing.T }

func (s strict) Planned(plan *template.Plan, _ []string) {
	for _, warning := range plan.Warnings {
		text := warning.String()
		ours := !strings.Contains(text, "BootstrapVersion") && !strings.Contains(text, "/Rules")
		if ours && !strings.HasSuffix(text, "give the command that runs it") {
			s.t.Errorf("the template has a warning: %s", text)
		}
	}
}

func (strict) Checked(*local.Checked) {}
