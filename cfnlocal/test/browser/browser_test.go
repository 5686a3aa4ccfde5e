// Package browser looks at the pages of cfnlocal serve and cfnlocal story in a real
// browser: what it shows of real stacks, by the browser's own report.
//
// The tests need Debian's Chromium, Node and npm, and are skipped without them:
//
//	.ci/with-chromium go test -v ./cfnlocal/test/browser
//
// installs playwright-core and axe-core into a directory of their own and runs the
// tests with them. With SHOTS=DIR, what was seen is in that directory as pictures.
package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// pageReport is what look.mjs reports of one page in one way.
type pageReport struct {
	Page, View             string
	Console, Requests, Ran []string
	Violations             []string
	Rules                  int
	Paint, Load            float64 // milliseconds
	Wide                   bool    // it has to be scrolled sideways
	Opened, Followed       *bool
}

// A pageToView is a page for the browser.
type pageToView struct {
	Name   string   `json:"name"`
	URL    string   `json:"url"`
	Large  bool     `json:"large"`  // only a part of it is checked by axe-core, and seen
	Follow string   `json:"follow"` // what it comes to show while it is open
	Run    []string `json:"run"`    // what leads to that
}

// viewPages opens pages in Chromium and returns its reports.
func viewPages(t *testing.T, subjects ...pageToView) (all []pageReport) {
	t.Helper()
	out := runLook(t, map[string]any{"pages": subjects, "shots": os.Getenv("SHOTS")})
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// runLook runs look.mjs.
func runLook(t *testing.T, what map[string]any) []byte {
	t.Helper()
	asked, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "look.mjs")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(asked), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A fixture has the programs and the directory that the stacks are made with.
type fixture struct {
	t                 *testing.T
	dir               string
	cfnlocal, handler string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	if os.Getenv("TEST_CHROMIUM") == "" {
		t.Skip("there is no TEST_CHROMIUM: run .ci/with-chromium go test ./cfnlocal/test/browser")
	}
	dir := t.TempDir()
	b := &fixture{t, dir, filepath.Join(dir, "cfnlocal"), os.Args[0]}
	b.run("go", "build", "-o", b.cfnlocal, "../..")
	return b
}

// run runs a command, which may end with any of cfnlocal's exit codes but those that
// say that nothing was started.
func (b *fixture) run(args ...string) string {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+b.dir)
	out, err := cmd.CombinedOutput()
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || args[0] == "go") {
		b.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// deploy deploys one of the templates in testdata.
func (b *fixture) deploy(stack, template string, args ...string) {
	b.t.Helper()
	b.run(append([]string{b.cfnlocal, "--dir", b.stacks(), "deploy", "testdata/stacks/" + template, "--stack", stack}, args...)...)
}

func (b *fixture) stacks() string { return filepath.Join(b.dir, "stacks") }

// storyPage writes the page of a stack.
func (b *fixture) storyPage(dir, stack string) pageToView {
	b.t.Helper()
	name := filepath.Join(b.dir, stack+".html")
	b.run(b.cfnlocal, "--dir", dir, "story", stack, "--html", name)
	return pageToView{Name: stack, URL: "file://" + name}
}

// runDemo plays the demo, and returns the directory of its stacks.
func (b *fixture) runDemo() string {
	b.t.Helper()
	b.run(b.cfnlocal, "demo", "--keep")
	found, err := filepath.Glob(filepath.Join(b.dir, "cfnlocal-demo-*", "stacks"))
	if err != nil || len(found) != 1 {
		b.t.Fatalf("the demo's stacks are in %v: %v", found, err)
	}
	return found[0]
}

// deployStacks makes the stacks of testdata: a replacement that is cancelled, an answer that is
// lost, a chain, nested stacks of which one fails, and one whose texts are scripts.
func (b *fixture) deployStacks() (all []pageToView) {
	b.t.Helper()
	fn := "Fn=" + b.handler
	b.deploy("things", "things.yaml", "--function", fn)
	b.deploy("things", "things.yaml", "--parameter", "Id=queue-2", "--fault", "cancel-while-running@Queue.Update")
	b.deploy("things", "things.yaml", "--parameter", "Value=large", "--fault", "lose-answer@Queue.Update", "--fault", "die-before@Index.Update")
	b.deploy("outer", "nested/outer.yaml", "--function", "Orders."+fn, "--function", "Returns."+fn)
	b.deploy("outer", "nested/outer.yaml", "--parameter", "Fail=Update")
	b.deploy("hostile", "hostile.yaml", "--function", fn)
	for _, stack := range []string{"things", "outer", "hostile"} {
		all = append(all, b.storyPage(b.stacks(), stack))
	}
	return all
}

// largeStack is the page of a stack of 500 resources, each of which was created, and updated
// in vain.
func (b *fixture) largeStack() pageToView {
	b.t.Helper()
	// The stack, and a function that fails one Update of many.
	template := func(value string) *engine.Template {
		var all []engine.Resource
		for i := range engine.MaxResources {
			all = append(all, engine.Resource{LogicalID: fmt.Sprintf("Queue%03d", i), Type: "Custom::Queue", Properties: func(engine.Refs) (map[string]any, error) {
				return map[string]any{"ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:queues", "Name": fmt.Sprintf("queue-%d", i), "Value": value}, nil
			}})
		}
		return &engine.Template{Resources: all}
	}
	p := &enginetest.Player{Machine: engine.New("large", engine.Options{Seed: 1}), Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Handler: func(q *engine.Request) []byte {
			status := "SUCCESS"
			if q.LogicalID == "Queue400" && q.RequestType == "Update" && strings.Contains(string(q.Properties), "large") {
				status = "FAILED"
			}
			answer, _ := json.Marshal(map[string]string{"Status": status, "Reason": "no", "PhysicalResourceId": "id-of-" + q.LogicalID,
				"StackId": q.StackID, "RequestId": q.RequestID, "LogicalResourceId": q.LogicalID})
			return answer
		}}

	// Its life.
	if err := p.Machine.Create(p.Now, engine.Deployment{Template: template("small")}); err != nil {
		b.t.Fatal(err)
	}
	if err := p.Drain(); err != nil {
		b.t.Fatal(err)
	}
	if err := p.Machine.Update(p.Now, engine.Deployment{Template: template("large")}); err != nil {
		b.t.Fatal(err)
	}
	if err := p.Drain(); err != nil {
		b.t.Fatal(err)
	}

	// Its page.
	name := filepath.Join(b.dir, "large.html")
	f, err := os.Create(name)
	if err != nil {
		b.t.Fatal(err)
	}
	story := &page.Story{Stacks: []*engine.Stack{p.Machine.Stack()}}
	if err := story.View().Write(f); err != nil {
		b.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.t.Fatal(err)
	}
	return pageToView{Name: "large", URL: "file://" + name, Large: true}
}

// checkReports checks what must hold for each page.
func checkReports(t *testing.T, all []pageReport, views int) {
	t.Helper()
	if len(all) != views {
		t.Errorf("%d views, want %d", len(all), views)
	}
	for _, s := range all {
		for what, found := range map[string][]string{"the console": s.Console, "the network": s.Requests, "a script that is not the page's": s.Ran, "axe-core": s.Violations} {
			if len(found) > 0 {
				t.Errorf("%s, %s: %s:\n%s", s.Page, s.View, what, strings.Join(found, "\n"))
			}
		}
		if s.Wide {
			t.Errorf("%s, %s: it has to be scrolled sideways", s.Page, s.View)
		}
		if s.Opened != nil && !*s.Opened {
			t.Errorf("%s, %s: the keyboard does not lead from a mark to its request", s.Page, s.View)
		}
		t.Logf("%-8s %-7s first paint after %4.0f ms, loaded after %4.0f ms, %d rules of axe-core hold", s.Page, s.View, s.Paint, s.Load, s.Rules)
	}
}

// TestStoryPages: the pages that story writes are whole without a network, readable by the
// keyboard and by axe-core's rules, in light, dark and at a phone's width; and no text
// in them does anything.
func TestStoryPages(t *testing.T) {
	b := newFixture(t)
	subjects := b.deployStacks()
	demo := b.runDemo()
	subjects = append(subjects, b.storyPage(demo, "demo"), b.storyPage(demo, "second"), b.largeStack())
	checkReports(t, viewPages(t, subjects...), 3*len(subjects))
}

// TestServedPages: the pages that serve has are the same, and one that is open while its
// stack is updated comes to show it, without being asked for again.
func TestServedPages(t *testing.T) {
	b := newFixture(t)
	b.deploy("things", "things.yaml", "--function", "Fn="+b.handler)
	b.deploy("hostile", "hostile.yaml", "--function", "Fn="+b.handler)
	ctx, cancel := context.WithCancel(t.Context())
	serve := exec.CommandContext(ctx, b.cfnlocal, "--dir", b.stacks(), "--json", "serve")
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = serve.Wait() }()
	var said struct{ Endpoint string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatal(err)
	}
	subjects := []pageToView{{Name: "list", URL: said.Endpoint + "/"}, {Name: "served", URL: said.Endpoint + "/stacks/hostile"}, {Name: "missing", URL: said.Endpoint + "/stacks/nothing"}}
	checkReports(t, viewPages(t, subjects...), 3*len(subjects))

	all := viewPages(t, pageToView{Name: "followed", URL: said.Endpoint + "/stacks/things", Follow: "UPDATE_COMPLETE", Run: []string{b.cfnlocal, "--dir", b.stacks(),
		"deploy", "testdata/stacks/things.yaml", "--stack", "things", "--parameter", "Value=larger"}})
	checkReports(t, all, 3)
	for _, s := range all {
		if s.Followed == nil || !*s.Followed {
			t.Errorf("%s: it does not come to show the update", s.View)
		}
	}
}
