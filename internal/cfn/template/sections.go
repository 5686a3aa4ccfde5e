package template

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// entries are the fields of a section that may be missing.
func (n *node) entries() []field {
	if n == nil {
		return nil
	}
	return n.fields
}

// fieldsOf are the entries of a section that must be an object.
func fieldsOf(section *node, r *report) []field {
	if section != nil && section.kind != object {
		r.errorf(section, "%s must be an object of named entries, and here is %s", section.name, section.kind)
	}
	return section.entries()
}

var alphanumeric = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// checkName checks a logical ID or another name of a section's entry.
func checkName(key *node, what string, r *report) {
	switch {
	case strings.HasPrefix(key.name, "Fn::ForEach::"):
		r.errorf(key, "Fn::ForEach is not supported here; %s", unsupported["Fn::ForEach"])
	case !alphanumeric.MatchString(key.name):
		r.errorf(key, "the name of %s is made of letters and digits only, and %q has others", what, shorten(key.name))
	case len(key.name) > maxName:
		r.errorf(key, "the name of %s has at most %d characters, and this one has %d", what, maxName, len(key.name))
	}
}

// checkKeys reports entries that an object does not know.
func checkKeys(n *node, what string, known []string, r *report) {
	for _, f := range n.fields {
		if !slices.Contains(known, f.name()) {
			r.errorf(f.key, "%s has no %s%s", what, shorten(f.name()), didYouMean(f.name(), slices.Values(known)))
		}
	}
}

// description reads an optional literal text.
func description(n *node, r *report) string {
	if n == nil {
		return ""
	}
	s, ok := n.text()
	switch {
	case !ok:
		r.errorf(n, "%s must be a literal string, and here is %s; functions are not allowed here", n.name, kindOf(n))
	case len(s) > maxText && n.parent.parent == nil:
		r.errorf(n, "the Description of a template has at most %d bytes, and this one has %d", maxText, len(s))
	case utf8.RuneCountInString(s) > 4*maxText:
		r.errorf(n, "a Description has at most %d characters, and this one has %d", 4*maxText, utf8.RuneCountInString(s))
	}
	return s
}
