package clients

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Another user of the machine orders nothing, even with the key.
func TestOtherUsersOrderNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
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
	program = filepath.Join(dir, "stranger")
	if err := errors.Join(err, os.WriteFile(program, text, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	order := func(as uint32) string {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = []string{strangerVariable + "=" + s.origin, "AWS_ACCESS_KEY_ID=" + s.key.ID, "AWS_SECRET_ACCESS_KEY=" + s.key.Secret}
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: as, Gid: as}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if said := order(nobody); !strings.Contains(said, "StatusCode: 403") {
		t.Errorf("as another user: %s", said)
	}
	s.nothingOrdered()
	if said := order(0); said != "<nil>\n" {
		t.Errorf("as the same user: %s", said)
	}
}
