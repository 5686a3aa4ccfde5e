package source

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// CloudFormation's quotas.
const (
	maxName = 255  // characters of a logical ID, of a parameter's, mapping's or output's name
	maxText = 1024 // bytes of a template's description
)

const (
	// LoopPrefix begins the key of a loop of AWS::LanguageExtensions.
	LoopPrefix = "Fn::ForEach::"
	// MisplacedLoop is the error for a loop where none can stand.
	MisplacedLoop = "Fn::ForEach is not supported here; it belongs to AWS::LanguageExtensions, and into Resources, their properties, Conditions and Outputs: add that transform, or write the loop out"
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
		r.Errorf(section, "%s must be an object of named entries, and here is %s", section.Name, section.Kind)
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
		r.Errorf(n, "%s must be a literal string, and here is %s; functions are not allowed here", n.Name, n.Describe())
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
	r.Errorf(n, "%s must be a literal value, and here is %s; functions are not allowed here", Shorten(n.Name), n.Describe())
	return "", false
}
