package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/sigv4"
)

// strangerVariable is the environment variable that makes this program one that orders a
// stack of the server of that origin.
const strangerVariable = "CLIENTS_STRANGER"

func init() {
	origin := os.Getenv(strangerVariable)
	if origin == "" {
		return
	}
	_, err := clientOf(origin, sigv4.Key{ID: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY")}).CreateStack(context.Background(), creation)
	fmt.Println(err)
	os.Exit(0)
}

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
