package properties

import (
	"errors"
	"sort"
	"strconv"
	"strings"
)

// An Error is one thing that is wrong with a property: where, and what to do.
// It never holds the property's value.
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

func sortErrors(errs []*Error) {
	sort.SliceStable(errs, func(i, j int) bool { return errs[i].Path < errs[j].Path })
}

// maxDepth bounds how deep properties may nest: far beyond any template, and
// low enough that paths and the stack stay small.
const maxDepth = 1000

var errTooDeep = errors.New("is nested more than " + strconv.Itoa(maxDepth) + " deep")

// A path is where in the properties a walk is. It becomes text only when
// something is wrong.
type path []step

// A step leads to a member of an object, or to an element of a list.
type step struct {
	name  string
	index int // in a list; -1 for a member of an object
}

func (p path) String() string {
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
			b.WriteString(s.name)
		}
	}
	return b.String()
}

func (p *path) enter(name string) { *p = append(*p, step{name: name, index: -1}) }
func (p *path) enterIndex(i int)  { *p = append(*p, step{index: i}) }
func (p *path) leave()            { *p = (*p)[:len(*p)-1] }
