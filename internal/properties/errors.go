package properties

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/redact"
)

// An Error says what is wrong with a property, where, and what to do. It never holds
// the property's value.
type Error struct {
	Path string // "Rules[2].Port", "Tags.Env"; "" is the whole object
	Err  error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// maxErrors is how many errors of one kind are kept: an author corrects a few
// at a time, and a hostile event can have one at every second byte.
const maxErrors = 20

// problems are errors of one kind: the first of them, and how many came after.
type problems struct {
	first []*Error
	more  int
}

func (p *problems) add(at path, err error) {
	if len(p.first) == maxErrors {
		p.more++
		return
	}
	p.first = append(p.first, &Error{at.String(), err})
}

// errors returns the problems sorted by path, and at the end an error that says
// how many are left out.
func (p *problems) errors() []*Error {
	slices.SortStableFunc(p.first, func(a, b *Error) int { return strings.Compare(a.Path, b.Path) })
	if p.more == 0 {
		return p.first
	}
	return append(p.first, &Error{Err: fmt.Errorf("and %d more", p.more)})
}

// maxDepth bounds how deep properties may nest: far beyond any template, and
// low enough that paths and the stack stay small.
const maxDepth = 1000

var errTooDeep = errors.New("is nested more than " + strconv.Itoa(maxDepth) + " deep")

// A path is a place in the properties. It becomes text only for an error.
type path []step

// A step leads to a member of an object, or to an element of a list.
type step struct {
	name  string
	index int // in a list; -1 for a member of an object
}

// A path's text has names of maxName bytes at most, and if it is longer than
// maxPath bytes, only the steps at its two ends.
const (
	maxName = 64
	maxPath = 512
	atEnds  = 3
)

func (p path) String() string {
	if s := p.text(); len(p) <= 2*atEnds || len(s) <= maxPath {
		return s
	}
	return p[:atEnds].text() + ".…." + p[len(p)-atEnds:].text()
}

func (p path) text() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.index >= 0:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index))
			b.WriteByte(']')
		case i > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.WriteString(cmp.Or(redact.OneLine(s.name, maxName), `""`)) // a name with nothing to see
		}
		if i > maxPath { // the rest is not shown
			break
		}
	}
	return b.String()
}

func (p *path) enter(name string) { *p = append(*p, step{name: name, index: -1}) }
func (p *path) enterIndex(i int)  { *p = append(*p, step{index: i}) }
func (p *path) leave()            { *p = (*p)[:len(*p)-1] }
