package main

import (
	"io"
	"os"
	"strings"
)

// isTerminal reports whether w is a terminal that understands escape sequences.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// A palette colours text if it is true.
type palette bool

// paletteFor returns a palette that colours if w is a terminal and NO_COLOR is not
// set (no-color.org).
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

// status colours a status as the console does: red if it failed or is rolled back,
// green if it is complete, blue if it is in progress.
func (p palette) status(shown, status string) string {
	switch {
	case strings.HasSuffix(status, "_FAILED"), strings.Contains(status, "ROLLBACK"):
		return p.paint("31", shown)
	case strings.HasSuffix(status, "_COMPLETE"):
		return p.paint("32", shown)
	}
	return p.paint("34", shown)
}
