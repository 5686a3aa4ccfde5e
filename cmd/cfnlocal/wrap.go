package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// narrowest is the least number of columns that text is laid out for.
const narrowest = 30

// columns returns how many columns the terminal has that w is, by COLUMNS or as
// stty says: 80 if neither does, and 0 if w is no terminal.
func columns(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	size := exec.Command("stty", "size") //nolint:noctx // it asks the terminal, and ends
	size.Stdin, _ = w.(*os.File)
	out, err := size.Output()
	var rows, n int
	if _, unread := fmt.Sscan(string(out), &rows, &n); err != nil || unread != nil || n == 0 {
		return 80
	}
	return max(n, narrowest)
}

// wrap breaks text into lines of at most so many columns, indents counted, at
// words. A longer word has a line of its own, whole, so that it can be copied. With
// no columns there is one line.
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

// logPointer is what the SDK's answers say of where their log is.
var logPointer = regexp.MustCompile(`\s*(\(log group [^()]*\))`)

// wrapReason is wrap for a reason: what is not laid out on one line has its
// pointers to logs at the end, on lines of their own.
func wrapReason(columns int, first, rest, text string) string {
	whole := first + text
	if columns == 0 || utf8.RuneCountInString(whole) <= columns {
		return whole
	}
	lines := []string{wrap(columns, first, rest, logPointer.ReplaceAllString(text, ""))}
	for _, m := range logPointer.FindAllStringSubmatch(text, -1) {
		lines = append(lines, wrap(columns, rest, rest, m[1]))
	}
	return strings.Join(lines, "\n")
}
