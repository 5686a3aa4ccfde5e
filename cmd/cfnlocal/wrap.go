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
	size.Stdin, _ = w.(*os.File)
	out, err := size.Output()
	var rows, n int
	if _, unread := fmt.Sscan(string(out), &rows, &n); err != nil || unread != nil || n == 0 {
		return 80
	}
	return max(n, narrowest)
}

// wrap breaks text between words into lines of at most columns characters, including
// the indents. A longer word is not broken, so that it can be copied. If columns is
// 0, there is one line.
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

// logPointer matches where the SDK's Reasons say that the log is.
var logPointer = regexp.MustCompile(`\s*(\(log group [^()]*\))`)

// wrapReason is wrap for a reason. If the reason needs more than one line, the
// pointers to logs are moved to lines of their own at the end.
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
