//go:build unix

package copy

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	startPage      = "docs/getting-started.md"
	accountSection = "## Deploy it" // from here on, it takes an account

	mostCommands = 8
	mostWords    = 900
	patient      = 10 * time.Minute

	runVariable = "TEST_START" // set to follow the page, with all modules in the module cache
)

// local returns the part of the page that needs no account.
func local(t *testing.T) string {
	t.Helper()
	before, _, found := strings.Cut(read(t, root, startPage), accountSection)
	if !found {
		t.Fatalf("%s has no heading %q", startPage, accountSection)
	}
	return before
}

// Getting started takes few commands and few words, all code included: so many
// to the green test, and to the local deployment.
func TestGettingStartedIsShort(t *testing.T) {
	text := local(t)
	commands, words := 0, len(strings.Fields(text))
	for _, step := range steps(text) {
		commands += len(step.commands)
	}
	t.Logf("%d commands, %d words", commands, words)
	if commands == 0 || commands > mostCommands {
		t.Errorf("there are %d commands, want at most %d", commands, mostCommands)
	}
	if words > mostWords {
		t.Errorf("there are %d words, want at most %d", words, mostWords)
	}
}

// The page is a script: its files are written and its commands run, in the order in which they
// stand there, in a folder that is empty at first. What it says that they print, they print.
func TestGettingStartedWorks(t *testing.T) {
	text := local(t)
	r := newPageRunner(t, "note")
	out := r.follow(text)
	for _, line := range expectedOutput(text) {
		if !line.Match(out) {
			t.Errorf("the page says that this is printed: %v", line)
		}
	}
	if left, err := filepath.Glob(filepath.Join(r.temp, "*.note")); err != nil || len(left) > 0 {
		t.Errorf("%v are left, error %v", left, err)
	}
	r.breakDelete()
}

// The page's last commands begin another project, whose tests pass.
func TestGettingStartedGoesOn(t *testing.T) {
	_, text, found := strings.Cut(read(t, root, startPage), "## Go on")
	if !found || len(steps(text)) == 0 {
		t.Fatal("the page ends without commands")
	}
	if out := newPageRunner(t, "empty").follow(text); !bytes.Contains(out, []byte("ok  \texample.com/me/orders")) {
		t.Errorf("the project's tests did not run:\n%s", out)
	}
}

// A pageRunner follows the page's instructions in an empty directory.
type pageRunner struct {
	t         *testing.T
	ctx       context.Context
	dir, temp string
	env       []string
}

func newPageRunner(t *testing.T, folder string) *pageRunner {
	t.Helper()
	if os.Getenv(runVariable) == "" {
		t.Skip("it builds a module of its own, with all that it needs: .ci/run start does")
	}
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &pageRunner{t: t, dir: filepath.Join(t.TempDir(), folder), temp: t.TempDir()}
	t.Setenv("GOPROXY", "off") // what the module cache lacks is not fetched
	r.env = append(append(os.Environ(), publish(t, checkout)...), "TMPDIR="+r.temp)
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeout(t.Context(), patient)
	t.Cleanup(cancel)
	return r
}

// follow writes the files of a text and runs its commands, and returns what they print.
func (r *pageRunner) follow(text string) []byte {
	r.t.Helper()
	var script strings.Builder
	script.WriteString("set -eu\n")
	for _, step := range steps(text) {
		if step.file != "" {
			script.WriteString("cat >" + step.file + " <<'END OF FILE'\n" + step.text + "END OF FILE\n")
		}
		for _, command := range step.commands {
			script.WriteString("echo '$' " + quote([]string{command}) + "\n" + command + "\n")
		}
	}
	began := time.Now()
	out, err := r.run("sh", "-c", script.String())
	if err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	r.t.Logf("after %v:\n%s", time.Since(began).Round(time.Millisecond), out)
	return out
}

// breakDelete has Delete return every error, as the page proposes, and runs the test again.
func (r *pageRunner) breakDelete() {
	r.t.Helper()
	file := filepath.Join(r.dir, "note.go")
	before, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	after := bytes.Replace(before, []byte("errors.Is(err, fs.ErrNotExist)"), []byte("false"), 1)
	if bytes.Equal(before, after) {
		r.t.Fatal("Delete is not as this test knows it")
	}
	if err := os.WriteFile(file, after, 0o600); err != nil {
		r.t.Fatal(err)
	}
	if out, err := r.run("go", "test", "./..."); err == nil || !bytes.Contains(out, []byte("--- FAIL: TestNote/delete-twice")) {
		r.t.Errorf("a Delete that returns every error: %v\n%s", err, out)
	}
}

func (r *pageRunner) run(program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(r.ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.dir, r.env, 10*time.Second
	return cmd.CombinedOutput()
}

// A step is a file that the page has its reader write, or some commands.
type step struct {
	file, text string
	commands   []string
}

var fence = regexp.MustCompile("(?s)(?:<!-- file: (\\S+) -->\n)?```([a-z]+)\n(.*?)```\n")

func steps(text string) (all []step) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] != "":
			all = append(all, step{file: path.Base(m[1]), text: m[3]})
		case m[2] == "sh":
			all = append(all, step{commands: strings.Split(strings.TrimSpace(m[3]), "\n")})
		}
	}
	return all
}

// expectedOutput returns a pattern for each line that the page says is printed, in
// which … is anything.
func expectedOutput(text string) (lines []*regexp.Regexp) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		if m[2] != "text" {
			continue
		}
		for line := range strings.Lines(m[3]) {
			words := strings.Fields(line)
			for i, word := range words {
				words[i] = strings.ReplaceAll(regexp.QuoteMeta(word), "…", `\S*`)
			}
			lines = append(lines, regexp.MustCompile(`(?m)^\s*`+strings.Join(words, `\s+`)))
		}
	}
	return lines
}
