package construct

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cdk"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const testTimeout = 4 * time.Minute // far more than any of this takes

// newNotes makes a stack with a note, whose function may read a bucket. The grant comes last.
func newNotes(stack awscdk.Stack, props *cdk.ProviderProps) {
	parameter := func(name, usual string) *string {
		return awscdk.NewCfnParameter(stack, &name, &awscdk.CfnParameterProps{Default: usual}).ValueAsString()
	}
	provider := cdk.NewProvider(stack, jsii.String("Provider"), props)
	note := provider.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), map[string]any{
		"Board": parameter("Board", "kitchen"), "Text": parameter("Text", "Buy milk"),
	})
	awscdk.NewCfnOutput(stack, jsii.String("Path"), &awscdk.CfnOutputProps{Value: note.GetAttString(jsii.String("Path"))})
	awss3.NewBucket(stack, jsii.String("Bucket"), nil).GrantRead(provider, nil)
}

// A stage is a local CloudFormation with a synthesized template.
type stage struct {
	file, program, notes string
	function             string // its logical ID
	home                 *local.Home
	warnings             []string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir := synthesise(t, func(stack awscdk.Stack) { newNotes(stack, code(t)) })
	home, err := local.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = home.Close() })
	return &stage{file: filepath.Join(dir, "Notes.template.json"), program: program(t), notes: t.TempDir(), home: home}
}

// deploy deploys the template with parameters, and with a command for the function. The second
// function always has the program. change, if it is not nil, changes the template.
func (s *stage) deploy(t *testing.T, parameters map[string]string, function string, change func(string) string) *engine.Stack {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	d, err := record.Read(s.file)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		d.Body = change(d.Body)
	}
	d.Parameters, d.Commands, d.Env = parameters, map[string]string{}, map[string]string{"TMPDIR": s.notes}
	parsed, err := template.Parse(d.File, []byte(d.Body))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range parsed.Code() {
		d.Commands[f.LogicalID] = s.program
		if strings.HasPrefix(f.LogicalID, "ProviderFunction") {
			s.function, d.Commands[f.LogicalID] = f.LogicalID, function
		}
	}
	w := new(watcher)
	after, err := s.home.CreateOrUpdate(ctx, "Notes", local.Change{Revision: d}, s, local.Settings{Watcher: w})
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(w.lines, "\n"))
	}
	return after
}

// Planned keeps the warnings about the template, but for the CDK's own parts and for code that is not here.
func (s *stage) Planned(plan *template.Plan, _ []string) {
	s.warnings = append(s.warnings, warningsOf(plan)...)
}

// Checked is not called: the functions are not asked for their schemas.
func (*stage) Checked(*local.Checked) {}

// repair gives the function another program, as aws lambda update-function-code does.
func (s *stage) repair(t *testing.T, program string) {
	t.Helper()
	if _, _, err := s.home.UpdateCode(t.Context(), "Notes", map[string]string{s.function: program}, local.Settings{Watcher: new(watcher)}); err != nil {
		t.Fatal(err)
	}
}

func (s *stage) delete(t *testing.T) *engine.Stack {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	after, err := s.home.Delete(ctx, "Notes", nil, false, local.Settings{Watcher: new(watcher)})
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// texts are those of the notes that there are.
func (s *stage) texts(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.notes, "*.note"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		all = append(all, string(read(t, file)))
	}
	return all
}

// The construct's template and the real program live through all that can become of a resource. If the process
// dies for good, the second function answers, and the stack goes back to what it was.
func TestLife(t *testing.T) {
	s := newStage(t)
	const dies = "false"
	sent := 0
	for _, step := range []struct {
		name       string
		parameters map[string]string // nil is a delete
		function   string
		status     string
		requests   []string
		texts      []string
	}{
		{"create", map[string]string{}, s.program, "CREATE_COMPLETE", []string{"Create"}, []string{"Buy milk"}},
		{"update", map[string]string{"Text": "Buy bread"}, s.program, "UPDATE_COMPLETE", []string{"Update"}, []string{"Buy bread"}},
		{"replacement", map[string]string{"Text": "Buy bread", "Board": "office"}, s.program, "UPDATE_COMPLETE", []string{"Update", "Delete"}, []string{"Buy bread"}},
		{"rollback", map[string]string{"Text": "Buy tea", "Board": "office"}, dies, "UPDATE_ROLLBACK_COMPLETE", []string{"Update", "Update"}, []string{"Buy bread"}},
		{"delete", nil, s.program, "DELETE_COMPLETE", []string{"Delete"}, nil},
		{"create that dies", map[string]string{}, dies, "ROLLBACK_FAILED", []string{"Create", "Delete"}, nil},
		{"delete with new code", nil, s.program, "DELETE_COMPLETE", []string{"Delete"}, nil},
	} {
		var after *engine.Stack
		if step.parameters == nil {
			s.repair(t, step.function)
			after = s.delete(t)
		} else {
			after = s.deploy(t, step.parameters, step.function, nil)
		}
		if step.name == "create that dies" {
			sent = 0 // it is another stack
		}
		var requests []string
		all := after.Sent()[sent:]
		for _, q := range all {
			requests = append(requests, q.RequestType)
		}
		sent = len(after.Sent())
		if first := all[0].Answer; step.function == dies {
			for _, says := range []string{"FAILED", "the function ended before it answered"} {
				if !strings.Contains(first, says) {
					t.Errorf("%s: the function that dies is answered for with %s", step.name, first)
				}
			}
		}
		if after.Status != step.status {
			t.Errorf("%s: the stack is in %s, want %s", step.name, after.Status, step.status)
		}
		if diff := gocmp.Diff(step.requests, requests); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", step.name, diff)
		}
		if diff := gocmp.Diff(step.texts, s.texts(t)); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", step.name, diff)
		}
	}
	for _, warning := range s.warnings {
		t.Errorf("the template has a warning: %s", warning)
	}
}

// A permission that was granted after the resource was made is there until its Delete is answered, and so are the
// settings for a process that dies. Without DependsOn they would be gone before.
func TestADeleteHasWhatWasGrantedLater(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		name   string
		change func(string) string
		kept   bool
	}{
		{"as synthesized", nil, true},
		{"without DependsOn", withoutDependsOn, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.warnings = nil
			s.deploy(t, map[string]string{}, s.program, c.change)
			after := s.delete(t)
			for _, what := range []string{"ProviderRoleDefaultPolicy", "ProviderEventInvokeConfig"} {
				begins := rowOf(t, after, what, "DELETE_IN_PROGRESS")
				if kept := begins > rowOf(t, after, "Note", "DELETE_COMPLETE"); kept != c.kept {
					t.Errorf("%s is kept for the Delete: %t", what, kept)
				}
			}
			if warned := len(s.warnings) > 0; warned == c.kept {
				t.Errorf("warnings: %q", s.warnings)
			}
		})
	}
}

// rowOf is the place of an event in a stack's history.
func rowOf(t *testing.T, stack *engine.Stack, resource, status string) int {
	t.Helper()
	i := slices.IndexFunc(stack.Rows(nil), func(r engine.Row) bool {
		return strings.HasPrefix(r.LogicalResourceId, resource) && r.ResourceStatus == status
	})
	if i < 0 {
		t.Fatalf("%s has never been in %s", resource, status)
	}
	return i
}

// A watcher keeps what the functions write.
type watcher struct{ lines []string }

func (*watcher) Event(engine.Row)     {}
func (*watcher) Note(string)          {}
func (w *watcher) Log(_, line string) { w.lines = append(w.lines, line) }
