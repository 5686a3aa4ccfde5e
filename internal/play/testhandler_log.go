package play

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// A captured is what is written with the packages log and log/slog while a
// check is asked: hundreds of events of which most are to fail.
type captured struct {
	release func() // has the log go where it went before

	mu   sync.Mutex
	text bytes.Buffer
}

func capture() *captured {
	c := new(captured)
	c.release = redirectLog(slog.NewTextHandler(c, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return c
}

func (c *captured) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(text)
}

// take returns what was written since it was taken last.
func (c *captured) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.text.String()
	c.text.Reset()
	return text
}

// end returns the last of what was written since it was taken last, in whole
// lines.
func (c *captured) end() string {
	const longest = 3000
	text := c.take()
	if len(text) > longest {
		text = text[len(text)-longest:]
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	return strings.TrimRight(text, "\n")
}
