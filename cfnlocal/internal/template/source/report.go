package source

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// Position is a place in a template file. Line and Column count from 1, Column in characters; both
// are 0 where an error concerns the file as a whole.
type Position struct {
	File         string
	Line, Column int
}

// String is the position as compilers write it: file:line:column.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Compare orders the places of one file.
func (p Position) Compare(other Position) int {
	return cmp.Or(cmp.Compare(p.Line, other.Line), cmp.Compare(p.Column, other.Column))
}

// Error is a mistake in a template, or an error in the evaluation of one of its expressions.
type Error struct {
	Position
	// Path leads to the place within the template, as in CloudFormation's own messages:
	// /Resources/Hook/Properties.
	Path string
	// Text says what is wrong, what was expected and what to write.
	Text string
	// Give are the flags that give a missing value or program, each quoted for a shell; nil if nothing is
	// missing.
	Give []string
	// Instead is a clause of what to write, which no reason of CloudFormation has, or "".
	Instead string
	// Err is the cause if the engine could not answer a reference, else nil.
	Err error
}

// Error is the position, the path and the text on one line.
func (e *Error) Error() string { return line(e.Position, e.Path, e.Text) }

// Reason is the text alone, as the rows of a stack's events have it.
func (e *Error) Reason() string { return e.Text }

// Place is what rows do not have: the position, the path, and what to write instead.
func (e *Error) Place() string {
	return strings.TrimSuffix(line(e.Position, e.Path, ""), ": ") + e.Instead
}

// Unwrap is the engine's own error behind a failed reference.
func (e *Error) Unwrap() error { return e.Err }

// Errors has all errors of a template, in the order of the file.
type Errors []*Error

// maxListed bounds how many errors one message lists: more than a screenful helps nobody.
const maxListed = 20

// Error is one line for each error, the first 20 of them.
func (e Errors) Error() string {
	var lines []string
	for i, one := range e {
		if i == maxListed {
			lines = append(lines, fmt.Sprintf("and %d more", len(e)-i))
			break
		}
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// First are the first errors, with paths and texts of no more than a line's length, and how many
// more there are: a template must not be able to fill a disk.
func (e Errors) First(most int) (first Errors, more int) {
	for _, one := range e[:min(most, len(e))] {
		short := *one
		short.Path, short.Text = printable.Cut(one.Path, maxLine), printable.Cut(one.Text, maxLine)
		first = append(first, &short)
	}
	return first, len(e) - len(first)
}

// Unwrap lets errors.Is and errors.As look at each error.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// Warning is about a part of a template that CloudFormation accepts and that is likely to go wrong, or
// that has no effect here.
type Warning struct {
	Position
	Path string // as in Error
	Text string // what happens, and what to write instead
	// NoCode is the logical ID of a function whose code is not on this machine, if the warning is about
	// that, else "".
	NoCode string
}

// String is the warning on one line.
func (w Warning) String() string { return line(w.Position, w.Path, w.Text) }

// maxLine is how many bytes of a text are on its line.
const maxLine = 4096

// line is one line, whatever a template's names and values hold.
func line(p Position, path, text string) string {
	if path != "" {
		text = path + ": " + text
	}
	return printable.Line(p.String() + ": " + printable.Cut(text, maxLine))
}

// Report collects the errors and warnings of one file.
type Report struct {
	File     string
	Errors   Errors
	Warnings []Warning
	// Accepted means that the file was accepted before: Checkf adds nothing, since newer checks must not
	// keep a stack from being deleted.
	Accepted bool
}

// Position is the place of a node.
func (r *Report) Position(n *Node) Position {
	return Position{File: r.File, Line: n.line, Column: n.column}
}

// NewError is an error at a node. It is not added to the report.
func (r *Report) NewError(n *Node, format string, args ...any) *Error {
	return &Error{Position: r.Position(n), Path: n.Path(), Text: fmt.Sprintf(format, args...)}
}

// Errorf adds an error at a node.
func (r *Report) Errorf(n *Node, format string, args ...any) {
	r.Errors = append(r.Errors, r.NewError(n, format, args...))
}

// Refuses reports whether there is an error at a node.
func (r *Report) Refuses(n *Node) bool {
	at := r.Position(n)
	return slices.ContainsFunc(r.Errors, func(e *Error) bool { return e.Position == at })
}

// Missing adds an error about a missing value or program, with the flags that give it.
func (r *Report) Missing(n *Node, give []string, format string, args ...any) {
	r.Errorf(n, format, args...)
	r.Errors[len(r.Errors)-1].Give = give
}

// Flag is a flag with a value NAME=VALUE, quoted for a shell.
func Flag(flag, name, value string) string {
	return flag + " " + printable.Word(name+"="+value)
}

// Checkf adds an error at a node, unless the file was accepted once.
func (r *Report) Checkf(n *Node, format string, args ...any) {
	if !r.Accepted {
		r.Errorf(n, format, args...)
	}
}

// Warnf adds a warning at a node.
func (r *Report) Warnf(n *Node, format string, args ...any) {
	r.Warnings = append(r.Warnings, Warning{Position: r.Position(n), Path: n.Path(), Text: fmt.Sprintf(format, args...)})
}

// Err is the errors in the order of the file as an [Errors], or nil. Two errors at one place with
// one text are one: a value that Globals gives to several functions is read several times.
func (r *Report) Err() error {
	if len(r.Errors) == 0 {
		return nil
	}
	slices.SortStableFunc(r.Errors, func(a, b *Error) int { // those of nested templates come last
		switch {
		case a.File == b.File:
			return a.Position.Compare(b.Position)
		case a.File == r.File:
			return -1
		case b.File == r.File:
			return 1
		}
		return cmp.Compare(a.File, b.File)
	})
	r.Errors = slices.CompactFunc(r.Errors, func(a, b *Error) bool { return a.Position == b.Position && a.Text == b.Text })
	return r.Errors
}

// maxWarnings bounds how many warnings a file has: each costs time wherever it is printed.
const maxWarnings = 1000

// SortedWarnings are the first 1000 warnings in the order of the file, each once.
func (r *Report) SortedWarnings() []Warning {
	slices.SortStableFunc(r.Warnings, func(a, b Warning) int { return a.Position.Compare(b.Position) })
	all := slices.Compact(r.Warnings)
	if n := len(all) - maxWarnings; n > 0 {
		all = append(all[:maxWarnings:maxWarnings], Warning{Position: Position{File: r.File}, Text: fmt.Sprintf("there are %d more warnings", n)})
	}
	return all
}

// Add adds an error that an evaluation has returned.
func (r *Report) Add(err error) {
	if one, ok := errors.AsType[*Error](err); ok {
		r.Errors = append(r.Errors, one)
	}
}

// CloudFormation's quotas.
const (
	maxName = 255  // characters of a logical ID, of a parameter's, mapping's or output's name
	maxText = 1024 // bytes of a template's description
)

const (
	// LoopPrefix begins the key of a loop of AWS::LanguageExtensions.
	LoopPrefix = "Fn::ForEach::"
	// MisplacedLoop is the error for a loop where none can stand.
	MisplacedLoop = "Fn::ForEach is not supported here; it needs AWS::LanguageExtensions, and belongs into Resources, their properties, Conditions and Outputs: add that transform, or write the loop out"
)

// Entries are the fields of an object. A nil node has none.
func (n *Node) Entries() []Field {
	if n == nil {
		return nil
	}
	return n.Fields
}

// Fields are the entries of a section, which may be missing. It must be an object.
func (r *Report) Fields(section *Node) []Field {
	if section != nil && section.Kind != Object {
		r.Errorf(section, "%s must be an object of named entries, not %s", section.Name, section.Kind)
	}
	return section.Entries()
}

var alphanumeric = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// CheckName checks a logical ID or another name of a section's entry.
func (r *Report) CheckName(key *Node, what string) {
	switch {
	case strings.HasPrefix(key.Name, LoopPrefix):
		r.Errorf(key, MisplacedLoop)
	case !alphanumeric.MatchString(key.Name):
		r.Errorf(key, "the name of %s is made of letters and digits only, and %q has others", what, Shorten(key.Name))
	case len(key.Name) > maxName:
		r.Errorf(key, "the name of %s has at most %d characters, and this one has %d", what, maxName, len(key.Name))
	}
}

// CheckKeys reports the entries of an object that are not among the known ones. what names the
// object in messages.
func (r *Report) CheckKeys(n *Node, what string, known []string) {
	for _, f := range n.Fields {
		if !slices.Contains(known, f.Name()) {
			r.Errorf(f.Key, "%s has no %s%s", what, Shorten(f.Name()), DidYouMean(f.Name(), slices.Values(known)))
		}
	}
}

// Description reads a literal text, which may be missing.
func (r *Report) Description(n *Node) string {
	if n == nil {
		return ""
	}
	s, ok := n.Text()
	switch {
	case !ok:
		r.Errorf(n, "%s must be a literal string, not %s; functions are not allowed here", n.Name, n.Describe())
	case len(s) > maxText && n.parent.parent == nil:
		r.Errorf(n, "the Description of a template has at most %d bytes, and this one has %d", maxText, len(s))
	case utf8.RuneCountInString(s) > 4*maxText:
		r.Errorf(n, "a Description has at most %d characters, and this one has %d", 4*maxText, utf8.RuneCountInString(s))
	}
	return s
}

// Literal is the text of a scalar, for the places where CloudFormation allows no function. There is
// none if n is nil.
func (r *Report) Literal(n *Node) (string, bool) {
	if n == nil {
		return "", false
	}
	if n.Kind == Scalar {
		return Text(n.Value)
	}
	r.Errorf(n, "%s must be a literal value, not %s; functions are not allowed here", Shorten(n.Name), n.Describe())
	return "", false
}

// maxSimilar is how long a name may be, in bytes, to be compared with others: nobody misspells a longer
// one, and a template can have hundreds of them.
const maxSimilar = 100

// Nearest is the known name that a misspelled one most likely means, or "": it differs in its case,
// and in a third of its letters at the most, which are no more than 3.
func Nearest(name string, known iter.Seq[string]) string {
	return Within(max(1, min(3, len(name)/3)), name, known)
}

// Within is the known name that differs from another least, by its case and so many letters at the
// most, or "".
func Within(letters int, name string, known iter.Seq[string]) string {
	if len(name) > maxSimilar {
		return ""
	}
	best, least := "", letters+1
	for _, candidate := range slices.Sorted(known) {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate), least); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// DidYouMean is a clause for the end of a message: the nearest name, else the few names there are,
// else nothing.
func DidYouMean(name string, known iter.Seq[string]) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	all := slices.Sorted(known)
	switch {
	case len(all) == 0:
		return "; there is none in this template"
	case len(all) <= 12:
		return "; choose from " + strings.Join(all, ", ")
	}
	return ""
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour to turn
// a into b, or limit if it is that or more. Its cost is the length times the limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = min(j, limit)
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = min(i+1, limit)
		from, to := max(0, i-limit), min(len(b), i+limit+1)
		if from > 0 {
			row[from] = limit // farther from the diagonal, the distance exceeds the limit
		}
		if to < len(b) {
			row[to+1] = limit
		}
		for j := from; j < to; j++ {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, row[j]+1, last[j+1]+1)
			if i == 0 || j == 0 {
				continue
			}
			if isSwapped := a[i] == b[j-1] && a[i-1] == b[j]; isSwapped {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return min(row[len(b)], limit)
}
