package play

import (
	"log" //nolint:depguard // what a handler writes to it is kept out of the test's output
	"log/slog"
	"sync"
)

// redirected is held while the log goes elsewhere. Tests that run in parallel
// wait: what is logged meanwhile is taken for that of one of them, and each puts
// back what it has found.
var redirected sync.Mutex

// redirectLog has what is written with the packages log and log/slog go to h,
// until release is called.
func redirectLog(h slog.Handler) (release func()) {
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
