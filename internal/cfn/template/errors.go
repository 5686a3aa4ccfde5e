package template

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a template file. Line and Column count from 1, Column in characters; both are 0 where an error
// concerns the file as a whole.
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

// Error is one thing that is wrong with a template, or with the evaluation of one of its expressions.
type Error struct {
	Position
	// Path leads to the place within the template, as in CloudFormation's own messages: /Resources/Hook/Properties.
	Path string
	// Text says what is wrong, what was expected and what to write.
	Text string
	// Err is the cause if the engine could not answer a reference, else nil.
	Err error
}

// Error is the position, the path and the text on one line.
func (e *Error) Error() string { return line(e.Position, e.Path, e.Text) }

// Unwrap is the engine's own error behind a failed reference.
func (e *Error) Unwrap() error { return e.Err }

// Errors is everything that is wrong with a template, in the order of the file.
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

// Unwrap lets errors.Is and errors.As look at each error.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// Warning is something that CloudFormation accepts and that is likely to go wrong, or that is not played here.
type Warning struct {
	Position
	Path string // as in Error
	Text string // what happens, and what to write instead
}

// String is the warning on one line.
func (w Warning) String() string { return line(w.Position, w.Path, w.Text) }

func line(p Position, path, text string) string {
	if path == "" {
		return fmt.Sprintf("%v: %s", p, text)
	}
	return fmt.Sprintf("%v: %s: %s", p, path, text)
}

// report collects what is found wrong with one file.
type report struct {
	file     string
	errors   Errors
	warnings []Warning
}

func (r *report) position(n *node) Position {
	return Position{File: r.file, Line: n.line, Column: n.column}
}

func (r *report) errorf(n *node, format string, args ...any) {
	r.errors = append(r.errors, &Error{Position: r.position(n), Path: n.path(), Text: fmt.Sprintf(format, args...)})
}

func (r *report) warnf(n *node, format string, args ...any) {
	r.warnings = append(r.warnings, Warning{Position: r.position(n), Path: n.path(), Text: fmt.Sprintf(format, args...)})
}

// err is the errors in the order of the file, or nil. Two errors at one place with one text are one: a value that Globals
// gives to several functions is read several times.
func (r *report) err() error {
	if len(r.errors) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errors, func(a, b *Error) int { return byPosition(a.Position, b.Position) })
	r.errors = slices.CompactFunc(r.errors, func(a, b *Error) bool { return a.Position == b.Position && a.Text == b.Text })
	return r.errors
}

// sortedWarnings is the warnings in the order of the file, each once.
func (r *report) sortedWarnings() []Warning {
	slices.SortStableFunc(r.warnings, func(a, b Warning) int { return byPosition(a.Position, b.Position) })
	return slices.Compact(r.warnings)
}

func byPosition(a, b Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// add takes an error that an evaluation has returned.
func (r *report) add(err error) {
	if one, ok := errors.AsType[*Error](err); ok {
		r.errors = append(r.errors, one)
	}
}
