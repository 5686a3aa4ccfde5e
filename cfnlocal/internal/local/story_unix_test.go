//go:build unix

package local

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A pipe in place of the trace is refused: to open one waits for whoever writes to it.
func TestTraceThatIsAPipe(t *testing.T) {
	h, _ := pagesOf(t)
	if err := errors.Join(os.Remove(h.dir.Path("shop.trace")), syscall.Mkfifo(h.dir.Path("shop.trace"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Story("shop"); err == nil || !strings.Contains(err.Error(), "shop.trace is no file") {
		t.Errorf("%v", err)
	}
}
