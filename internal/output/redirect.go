package output

import (
	"log" //nolint:depguard // what a handler writes to it is kept out of the test's output
	"log/slog"
	"sync"
)

// redirected is held while the log is redirected. Parallel tests wait for each other, since a
// record does not say which of them wrote it, and each restores the log that it found.
var redirected sync.Mutex

// Redirect redirects the packages log and log/slog to h until release is called.
func Redirect(h slog.Handler) (release func()) {
	redirected.Lock()
	logger, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(h)) // and so log's
	log.SetOutput(fatalWriter{log.Writer()})
	return func() {
		slog.SetDefault(logger)
		log.SetOutput(writer)
		log.SetFlags(flags)
		redirected.Unlock()
	}
}
