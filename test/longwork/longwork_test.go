// Package longwork plays what takes longer than one invocation: a function's process goes on by
// invoking itself through the local CloudFormation's Lambda, with the AWS SDK's clients. A second
// stands for a minute: the function's timeout is 5 s in place of 300, and CloudFormation waits for
// 75 s. What it cannot show is how late Lambda invokes, and the limit of its queue.
package longwork

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/local"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// TestMain: as a function of the local CloudFormation, the tests' program is the handler.
func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		startHandler()
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait, and need hardly a processor
		panic(err)
	}
	os.Exit(m.Run())
}

// A scene is one stack with a function.
type scene struct {
	*local.Home
	t             *testing.T
	things, calls string // what the handler makes, and which calls it gets

	mu    sync.Mutex
	links int
	log   []string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	home, err := local.Open(filepath.Join(t.TempDir(), "stacks"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = home.Close() })
	return &scene{Home: home, t: t, things: t.TempDir(), calls: filepath.Join(t.TempDir(), "calls")}
}

func (s *scene) Event(engine.Row) {}

func (s *scene) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "Fn invokes itself, asynchronously" {
		s.links++
	}
}

func (s *scene) Log(_, line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, line)
}

// deploy deploys things, each "ID PROPERTIES", at once.
func (s *scene) deploy(want string, things ...string) {
	s.t.Helper()
	var b strings.Builder
	b.WriteString("Resources:\n  Fn: {Type: AWS::Lambda::Function, Properties: {Handler: x, Runtime: provided.al2023, Role: r, Timeout: 5, Code: {S3Bucket: b, S3Key: k}}}\n")
	for _, thing := range things {
		id, properties, _ := strings.Cut(thing, " ")
		fmt.Fprintf(&b, "  %s: {Type: Custom::Thing, Properties: {ServiceToken: !GetAtt Fn.Arn, ServiceTimeout: 75, %s}}\n", id, properties)
	}
	d := &record.Deployment{File: filepath.Join(s.t.TempDir(), "t.yaml"), Body: b.String(), Dir: s.t.TempDir(),
		Commands: map[string]string{"Fn": "'" + os.Args[0] + "'"}, Env: map[string]string{"THINGS": s.things, "CALLS": s.calls}}
	stack, err := s.Deploy(s.t.Context(), "shop", d, local.Change{}, s.settings())
	s.expectStatus(want, stack, err)
}

func (s *scene) settings() local.Settings {
	return local.Settings{Options: engine.Options{Seed: 1}, Watcher: s, ExactTimeouts: true}
}

func (s *scene) expectStatus(want string, stack *engine.Stack, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	if stack.Status != want {
		s.t.Fatalf("the stack is in %s, want %s: %s\n%s", stack.Status, want, stack.StatusReason, strings.Join(s.log, "\n"))
	}
	for _, line := range s.log {
		if strings.Contains(line, "X-Amz-Signature") {
			s.t.Errorf("the signed URL is in the log: %s", line)
		}
	}
}

// takeCalls returns how often each call came about a resource, and forgets them.
func (s *scene) takeCalls(resource string) map[string]int {
	s.t.Helper()
	text, err := os.ReadFile(s.calls)
	if err != nil {
		s.t.Fatal(err)
	}
	n := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); words[1] == resource {
			n[strings.Join(slices.Delete(words, 1, 2), " ")]++
		}
	}
	if err := os.Remove(s.calls); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *scene) expectThings(want int) {
	s.t.Helper()
	entries, err := os.ReadDir(s.things)
	if err != nil || len(entries) != want {
		s.t.Errorf("%d things are there, want %d: %v", len(entries), want, err)
	}
}

// A Create that takes 37 of the 75 seconds, or 5 by default, needs several invocations,
// and has one answer. How many depends on how fast processes start here.
func TestCreateContinues(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.deploy("CREATE_COMPLETE", fmt.Sprintf("A Name: a, Ready: %d", testrun.Share(5, 37)))
	s.expectThings(1)
	if calls := s.takeCalls("A"); s.links < testrun.Share(1, 2) || calls["Create"] != 1 || calls["Update adopted true"] != s.links {
		t.Errorf("%d links, %v", s.links, calls)
	}
	stack, err := s.Delete(t.Context(), "shop", nil, false, s.settings())
	s.expectStatus("DELETE_COMPLETE", stack, err)
	s.expectThings(0)
}

// An Update in place that takes 12 seconds, or 5 by default, continues the same way.
func TestUpdateContinues(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.deploy("CREATE_COMPLETE", "A Name: a, Ready: 0")
	_ = s.takeCalls("A")
	s.links = 0
	s.deploy("UPDATE_COMPLETE", fmt.Sprintf("A Name: a, Ready: %d, Note: new", testrun.Share(5, 12)))
	// One whose process is slow to start may be tried again.
	if calls := s.takeCalls("A"); s.links < testrun.Share(1, 2) || calls["Update adopted false"] <= s.links || calls["Create"] != 0 {
		t.Errorf("%d links, %v", s.links, calls)
	}
	s.expectThings(1)
}

// A sibling fails while the third invocation waits. It sees the stack turn round,
// or the fourth one does, which does none of the work. Nothing is left.
func TestCancelledCreation(t *testing.T) {
	testrun.OnlyThorough(t, "it takes 15 seconds")
	t.Parallel()
	s := newScene(t)
	s.deploy("ROLLBACK_COMPLETE", "A Name: a, Ready: 60", "B Name: b, Ready: 60, Fail: 11")
	s.expectThings(0)
	calls := s.takeCalls("A")
	if calls["Create"] != 1 || calls["Update adopted true"] > 2 || calls["Delete"] == 0 {
		t.Errorf("%v", calls)
	}
}

// The same in an update: of what is changed in place, and of a replacement.
func TestCancelledUpdate(t *testing.T) {
	testrun.OnlyThorough(t, "it takes most of a minute")
	t.Parallel()
	for name, change := range map[string]string{"in place": "A Name: a, Ready: 60, Note: new", "replacement": "A Name: other, Ready: 60"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.deploy("CREATE_COMPLETE", "A Name: a, Ready: 0")
			before, err := os.ReadDir(s.things)
			if err != nil {
				t.Fatal(err)
			}
			_ = s.takeCalls("A")
			s.deploy("UPDATE_ROLLBACK_COMPLETE", change, "B Name: b, Ready: 60, Fail: 11")
			after, err := os.ReadDir(s.things)
			if err != nil || len(before) != 1 {
				t.Fatal(err)
			}
			if diff := cmp.Diff(names(before), names(after)); diff != "" {
				t.Errorf("what is there after it is not what was (-before +after):\n%s", diff)
			}
		})
	}
}

func names(entries []os.DirEntry) (all []string) {
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
