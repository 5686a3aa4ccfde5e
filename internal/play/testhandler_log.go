package play

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// A capturedLog holds what is logged with the packages log and log/slog during a
// check, which delivers hundreds of events of which most fail.
type capturedLog struct {
	release func() // restores the log

	mu      sync.Mutex
	current *run
	records []record
}

// A record is a line of the log.
type record struct {
	run  *run // during which it was written
	line string
}

func capture() *capturedLog {
	c := new(capturedLog)
	c.release = redirectLog(slog.NewTextHandler(c, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return c
}

// Write keeps a record: slog's handler writes each at once.
func (c *capturedLog) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, record{c.current, string(line)})
	return len(line), nil
}

// setRun sets the run that the next records belong to.
func (c *capturedLog) setRun(p *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = p
}

// take returns what was written since it was last called.
func (c *capturedLog) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	for _, r := range c.records {
		text.WriteString(r.line)
	}
	c.records = nil
	return text.String()
}

// lastRecords returns the last few records of a run.
func (c *capturedLog) lastRecords(of *run) string {
	const most, longest = 8, 400
	c.mu.Lock()
	defer c.mu.Unlock()
	var lines []string
	for _, r := range slices.Backward(c.records) {
		if r.run != of || len(lines) == most {
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
