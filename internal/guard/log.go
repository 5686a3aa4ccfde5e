package guard

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// LogLimit is the time after which a logger is taken to hang.
const LogLimit = 500 * time.Millisecond

// A Log writes records with a logger, which is the user's code: that it panics is
// ignored, and if it hangs it is not called again.
type Log struct{ hangs atomic.Bool }

// Start begins to write a record, for which the logger has until limit, and returns a
// function that waits for it.
func (l *Log) Start(ctx context.Context, limit time.Duration, logger *slog.Logger, level slog.Level, message string, attrs ...slog.Attr) (wait func()) {
	if l.hangs.Load() {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	var g Guard
	call := g.Start(ctx, "logging", func(ctx context.Context) error {
		logger.LogAttrs(ctx, level, message, attrs...)
		return nil
	})
	return func() {
		defer cancel()
		if f := call.Wait(); f != nil && f.Abandoned {
			l.hangs.Store(true)
		}
	}
}
