// Package capture is what a handler writes while it is tested: to the log, which is kept out of the
// test's output, to the standard streams, and in the last words of a process that it ends.
package capture

import (
	"context"
	"fmt"
	"io"
	"log" //nolint:depguard // what a handler writes to it is kept out of the test's output
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
)

// A Log holds what is logged with the packages log and log/slog.
type Log struct {
	release func() // restores the log

	mu      sync.Mutex
	owner   any
	records []record
}

// A record is a line of the log.
type record struct {
	owner any // whose it is
	line  string
}

// Start has a Log take what is logged until it is released.
func Start() *Log {
	l := new(Log)
	l.release = Redirect(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return l
}

// Release has what is logged go where it went before.
func (l *Log) Release() { l.release() }

// Write keeps a record: slog's handler writes each at once.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, record{l.owner, string(line)})
	return len(line), nil
}

// SetOwner says whose the next records are.
func (l *Log) SetOwner(owner any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owner = owner
}

// Take returns what was written since it was last called.
func (l *Log) Take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var text strings.Builder
	for _, r := range l.records {
		text.WriteString(r.line)
	}
	l.records = nil
	return text.String()
}

// Of returns all records of an owner.
func (l *Log) Of(owner any) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var text strings.Builder
	for _, r := range l.records {
		if r.owner == owner {
			text.WriteString(r.line)
		}
	}
	return text.String()
}

// Last returns the last few records of an owner.
func (l *Log) Last(owner any) string {
	const most, longest = 8, 400
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, r := range slices.Backward(l.records) {
		if r.owner != owner || len(lines) == most {
			continue
		}
		line := strings.TrimRight(r.line, "\n")
		if len(line) > longest {
			line = strings.ToValidUTF8(line[:longest], "") + "…"
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

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

// Prints returns what do prints on standard output and standard error, which does not appear in the
// test's output. If it cannot create a file for it, Prints captures nothing.
func Prints(do func()) string {
	f, err := os.CreateTemp("", "cfntest")
	if err != nil {
		do()
		return ""
	}
	defer func() { _ = f.Close(); _ = os.Remove(f.Name()) }()
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = f, f
	defer func() { os.Stdout, os.Stderr = out, errs }()
	do()
	text, _ := os.ReadFile(f.Name())
	return string(text)
}

// WithLabel has do run in a goroutine whose tracebacks, and those of all that it
// starts, show a name. A handler that panics in a goroutine of its own ends the test's
// process, and no test says anything after that: the label says what was played.
func WithLabel(name string, do func()) {
	showLabels()
	pprof.Do(context.Background(), pprof.Labels("cfntest", name), func(context.Context) { do() })
}

// showLabels has tracebacks show labels, unless GODEBUG says otherwise.
var showLabels = sync.OnceFunc(func() {
	const setting = "tracebacklabels="
	if g := os.Getenv("GODEBUG"); !strings.Contains(g, setting) {
		_ = os.Setenv("GODEBUG", strings.TrimPrefix(g+","+setting+"1", ",")) // without it there is less to read
	}
})

// A fatalWriter is a writer of package log that does not keep to itself what is
// written for log.Fatal.
type fatalWriter struct{ io.Writer }

func (w fatalWriter) Write(text []byte) (int, error) {
	if logsFatal() {
		fmt.Fprintf(os.Stderr, "cfntest: the handler calls log.Fatal, which ends the process, and so this test. Have it return an error. It says\n%s\n%s",
			text, debug.Stack())
	}
	return w.Writer.Write(text)
}

// logsFatal reports whether the calling goroutine is in log.Fatal, or in one like it.
func logsFatal() bool {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasPrefix(f.Function, "log.Fatal") || strings.HasPrefix(f.Function, "log.(*Logger).Fatal") {
			return true
		}
	}
	return false
}
