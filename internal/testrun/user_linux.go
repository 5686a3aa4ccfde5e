package testrun

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Nobody is the ID of a user who is not this process's.
const Nobody = 65534

// As returns what runs this test's program anew as a user of the machine, in an environment, and
// returns what it prints. It skips the test if this process can be nobody else.
func As(t *testing.T) func(user uint32, environment ...string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	dir, err := os.MkdirTemp("", "") //nolint:usetesting // nobody but us may enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	program = filepath.Join(dir, "program")
	if err := errors.Join(err, os.WriteFile(program, text, 0o755), os.Chmod(dir, 0o755)); err != nil { //nolint:gosec // others are to run it
		t.Fatal(err)
	}
	return func(user uint32, environment ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env, cmd.Dir = environment, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
}
