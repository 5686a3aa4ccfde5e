package main

import (
	"io"
	"os"
	"strings"
)

// isTerminal reports whether somebody looks at w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// A palette colours text, or leaves it as it is.
type palette bool

// paletteFor is that of a terminal, unless NO_COLOR is set (no-color.org).
func paletteFor(w io.Writer) palette {
	return palette(isTerminal(w) && os.Getenv("NO_COLOR") == "")
}

func (p palette) paint(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string { return p.paint("1", text) }
func (p palette) dim(text string) string  { return p.paint("2", text) }

// status is as in the console: red what failed or goes back, green what is
// complete, blue what is under way.
func (p palette) status(shown, status string) string {
	switch {
	case strings.HasSuffix(status, "_FAILED"), strings.Contains(status, "ROLLBACK"):
		return p.paint("31", shown)
	case strings.HasSuffix(status, "_COMPLETE"):
		return p.paint("32", shown)
	}
	return p.paint("34", shown)
}
