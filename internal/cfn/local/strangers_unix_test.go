//go:build unix

package local

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
)

// A state that names another stack, or none that there can be, leads to no file that is
// not its own.
func TestStateOfAnotherName(t *testing.T) {
	h := home(t)
	for _, other := range []string{"other", "..", "../../build/other"} {
		keep(t, h, record.New(other, engine.Options{}, nil))
		if _, err := h.Stack("shop"); err == nil || !strings.Contains(err.Error(), "holds no stack of that name") {
			t.Errorf("the state of %q: %v", other, err)
		}
	}
}

// A state can say which file has the schema of a type: a pipe or a device would never end.
func TestSchemaThatNeverEnds(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pipe, "/dev/zero"} {
		d := &record.Deployment{Types: map[string]record.Type{"Acme::A::B": {Command: "true", File: file}}}
		if err := readTypes(t.Context(), d, nil); err == nil || !strings.Contains(err.Error(), "is no regular file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
