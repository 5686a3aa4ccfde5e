package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/cfn/page"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// narrowest is the smallest terminal width that text is wrapped for.
const narrowest = 30

// columns returns the width of the terminal w from COLUMNS or stty, or else 80. It
// returns 0 if w is not a terminal.
func columns(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	size := exec.Command("stty", "size") //nolint:noctx // stty ends at once
	size.Stdin = fileOf(w)
	out, err := size.Output()
	var rows, n int
	if _, unread := fmt.Sscan(string(out), &rows, &n); err != nil || unread != nil || n == 0 {
		return 80
	}
	return max(n, narrowest)
}

// wrap breaks text between words into lines of at most columns characters, including the indents. A
// longer word is not broken, so that it can be copied. If columns is 0, there is one line.
func wrap(columns int, first, rest, text string) string {
	if columns == 0 || utf8.RuneCountInString(first+text) <= columns {
		return first + text
	}
	var b strings.Builder
	b.WriteString(first)
	at, begun := utf8.RuneCountInString(first), false
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case begun && at+1+n > columns:
			b.WriteString("\n" + rest)
			at = utf8.RuneCountInString(rest)
		case begun:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at, begun = at+n, true
	}
	return b.String()
}

// Everything for people is printed to a screen. It replaces characters that could deceive
// them, wherever the text comes from. It keeps the first error of a write, so that callers need
// not check for it.
type screen struct {
	to       io.Writer
	terminal bool

	mu  sync.Mutex
	err error
}

func newScreen(w io.Writer) *screen { return &screen{to: w, terminal: isTerminal(w)} }

// lost returns the first error of a write, or nil.
func (s *screen) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// ours are the escape sequences of a palette.
var ours = regexp.MustCompile(`\x1b\[(?:0|1|2|31|32|34)m`)

// clearLine clears a line of progress. A screen passes it only alone: within a text it
// would hide what stands before it.
const clearLine = "\r\x1b[K"

// Write prints a text whose characters are whole. It returns no error: see lost.
func (s *screen) Write(text []byte) (int, error) {
	safe := string(text)
	if !s.terminal || safe != clearLine {
		safe = s.printable(text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.to, safe)
	s.err = cmp.Or(s.err, err)
	return len(text), nil
}

// printable returns a text in which nothing deceives. On a terminal it keeps our colours.
func (s *screen) printable(text []byte) string {
	var safe strings.Builder
	from := 0
	if s.terminal {
		for _, at := range ours.FindAllIndex(text, -1) {
			safe.WriteString(printable.Text(string(text[from:at[0]])))
			safe.Write(text[at[0]:at[1]])
			from = at[1]
		}
	}
	safe.WriteString(printable.Text(string(text[from:])))
	return safe.String()
}

// fileOf returns the file that is written to, or nil.
func fileOf(w io.Writer) *os.File {
	if s, ok := w.(*screen); ok {
		w = s.to
	}
	f, _ := w.(*os.File)
	return f
}

// isTerminal reports whether w is a terminal that understands escape sequences.
func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	if f == nil {
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

// colours are those of the classes of a status, as on the page.
var colours = map[string]string{"fail": "31", "undone": "31", "back": "31", "done": "32", "gone": "32", "work": "34", "kept": "34"}

func (p palette) status(status string) string { return p.paint(colours[page.Class(status)], status) }

func (a *app) printError(text string) {
	columns := columns(a.err)
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		if strings.HasPrefix(words, "--") { // to be copied
			fmt.Fprintln(a.err, indent+words)
			continue
		}
		fmt.Fprintln(a.err, wrap(columns, indent, indent+"  ", words))
	}
}

// tell prints a text to stdout, or its fields with --json.
func (a *app) tell(text string, fields map[string]any) {
	if a.json {
		a.print(fields)
		return
	}
	fmt.Fprintln(a.out, text)
}

// say prints a sentence to stdout, as a note with --json.
func (a *app) say(text string) error {
	a.tell(text, map[string]any{"Note": text})
	return nil
}

// sayNext says something, and the next step unless it is "".
func (a *app) sayNext(text, next string) error {
	if next == "" {
		return a.say(text)
	}
	a.tell(text+"\nNext: "+next, map[string]any{"Note": text, "Next": next})
	return nil
}

func (a *app) note(text string)    { a.remark("Note", text) }
func (a *app) warning(text string) { a.remark("Warning", text) }

// remark prints a note or a warning to stderr, or to stdout as JSON.
func (a *app) remark(kind, text string) {
	if a.json {
		a.print(map[string]any{kind: text})
		return
	}
	a.printError(strings.ToLower(kind) + ": " + text)
}
