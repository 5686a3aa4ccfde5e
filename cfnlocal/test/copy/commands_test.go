//go:build unix

package copy

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The commands of the READMEs that need no account work in a fresh clone: in
// TEST_CLONE, as .ci/run commands makes it.
func TestCommands(t *testing.T) {
	clone := os.Getenv("TEST_CLONE")
	if clone == "" {
		t.Skip("TEST_CLONE names no clone to run the READMEs' commands in: .ci/run commands makes one")
	}
	t.Run("README", func(t *testing.T) {
		text := read(t, clone, "README.md")
		commands := readmeCommands(text)
		for _, promised := range []string{"go run ./cfnlocal demo", "go test work"} {
			if !strings.Contains(strings.Join(commands, "\n"), promised) {
				t.Errorf("README.md has not the command %s: %q", promised, commands)
			}
		}
		// That one is the first step of .ci/run, and takes minutes.
		commands = slices.DeleteFunc(commands, func(c string) bool { return strings.HasPrefix(c, "go test work") })
		shell(t, clone, 10*time.Minute, commands)
	})
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(clone, "examples", name)
			commands := parse(read(t, dir, "README.md")).commands(func(section string) bool {
				return section != "Deploy" && section != "Copy it"
			})
			if len(commands) < 2 {
				t.Errorf("the README has hardly a command: %q", commands)
			}
			shell(t, dir, 10*time.Minute, commands)
		})
	}
}

// readmeCommands returns the commands of the project's README for a clone of it: its
// blocks that begin with the go command, but not those for a module of one's own.
func readmeCommands(text string) []string {
	return goCommands(text, func(block string) bool { return !strings.Contains(block, placeholder) })
}

// placeholder is where the README has the directory of a clone.
const placeholder = "=DIR"

// goCommands returns the commands of the blocks that begin with the go command and are wanted.
func goCommands(text string, accept func(block string) bool) []string {
	var d document
	for _, c := range parse(text).code {
		if c.language == "" && strings.HasPrefix(c.text, "go ") && accept(c.text) {
			c.language = "sh"
		}
		d.code = append(d.code, c)
	}
	return d.commands(func(string) bool { return true })
}

// shell runs commands in one shell until the first one fails, and ends what they leave running.
func shell(t *testing.T, dir string, limit time.Duration, commands []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-eux", "-c", strings.Join(commands, "\n"))
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = end
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("the commands took more than %v:\n%s", limit, strings.Join(commands, "\n"))
	}
	if err != nil {
		t.Errorf("the commands failed: %v; the last one that is shown with a + is the one", err)
	}
	if cmd.Process != nil && end() == nil {
		t.Error("the commands left something running, which is ended now")
	}
}
