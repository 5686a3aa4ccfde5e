package output

import (
	"log/slog"
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

// Capture has a Log take what is logged until it is released.
func Capture() *Log {
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
