package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
)

// Output runs a command, which may have several parts, and returns what it writes to
// its standard output. It is killed, with all that it has started, when the context
// is done. An error has the last line of what it wrote to its standard error.
func Output(ctx context.Context, command, dir string, env []string) ([]byte, error) {
	args := script(command)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	ownGroup(cmd)
	cmd.Cancel = func() error { signalGroup(cmd, syscall.SIGKILL); return nil }
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errors.Join(err, context.Cause(ctx)), LastLine(failed.String()))
	}
	return out, nil
}

// LastLine is the end of what a program wrote, for an error.
func LastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return fmt.Sprintf("%.300s", mask.Signatures(lines[len(lines)-1]))
}
