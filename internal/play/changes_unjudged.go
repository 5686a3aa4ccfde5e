package play

// What the check of check_changes.go could not judge, which it warns of: changes that are refused, and those that State does
// not show.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tell warns of changes that the handler refused. One that refuses what it should take looks like a right one.
func (s *suite) tell(told []refusal) {
	var invalid, others []string
	for _, r := range told {
		if r.invalid() {
			invalid = append(invalid, r.at.What)
		} else {
			others = append(others, r.at.What)
		}
	}
	if len(invalid) > 0 {
		s.warnf("changes of properties that the handler refuses with such a code as InvalidRequest are not judged (%d): %s. Have it refuse only what the service refuses", len(invalid), listSome(invalid, mostListed))
	}
	if len(others) > 0 {
		s.warnf("%d changes of properties are not judged, since the handler refused them without the code InvalidRequest, or though Draw made them, such as %s: "+
			"return that code for a value that the service refuses, and name in the Contract's Fixed the properties that must not vary", len(others), listSome(others, mostListed))
	}
}

// mostListed is how many texts a warning lists.
const mostListed = 20

// listSome lists texts, and says how many it leaves out.
func listSome(texts []string, most int) string {
	if more := len(texts) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), more)
	}
	return strings.Join(texts, ", ")
}

// look notes whether State or Data shows a change, which it has to, unless the service may make the same of both.
func (p *variedPlay) look(v varied) {
	path, was, is := v.change().Path, p.x.learned.want[v.from], p.x.learned.want[v.to]
	switch {
	case path == allOfThem, was == nil, is == nil, p.x.replaces(v):
		return
	case p.s.handler.isSecret(path) && p.accepts:
		return // Accepts shows it
	case differ(was, is), differ(p.x.learned.data[v.from], p.x.learned.data[v.to]):
		p.shown[path] = true
	case p.s.isAnother(v.to):
		p.unseen[path] = true
	}
}

// isAnother reports whether a version has another value than the one that it is played from, to whatever service.
func (c *Contract) isAnother(version string) bool {
	_, ch, _ := cutChange(version)
	return c.optionOf(version).told || slices.Contains([]string{valueGiven, another}, ch.Kind)
}

// warnOfUnseen warns of the properties whose change State never shows: no check can see whether they are passed on.
func (p *variedPlay) warnOfUnseen() {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(p.unseen)) {
		isPart := slices.ContainsFunc(paths, func(other string) bool { return isWithin(path, other) })
		switch {
		case isPart, p.shown[path]:
		default:
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		p.s.warnf("State shows the same whatever these properties are, so no check can see whether the handler passes them on: %s. "+
			"Have State show them, and Accepts a secret, or name in the Contract's Fixed what matters to a Create or a Delete alone", listSome(paths, mostListed))
	}
}
