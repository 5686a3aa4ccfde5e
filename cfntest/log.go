package cfntest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/hook"
)

// logTo returns a context with which a Dispatcher logs to t.Log until the test ends.
func logTo(ctx context.Context, t testing.TB) context.Context {
	w := &testLog{t: t}
	t.Cleanup(w.close)
	return hook.WithLogger(ctx, slog.New(slog.NewTextHandler(w, nil)))
}

// A testLog is an io.Writer of lines. A method that was abandoned may write one when its
// test has ended, for which t.Log would panic.
type testLog struct {
	mu sync.Mutex
	t  testing.TB // nil if the test has ended
}

func (w *testLog) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.t != nil {
		w.t.Log(strings.TrimRight(string(line), "\n"))
	}
	return len(line), nil
}

func (w *testLog) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.t = nil
}
