package main

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An outcome is what was seen of a scenario.
type outcome struct {
	*plan
	history history
	seen    string // its text
	strayed bool   // CloudFormation has gone another way than the engine while it was played
	err     error  // why nothing was seen
}

// A finding is a reading that the outcomes settle.
type finding struct {
	engine.Assumption
	by []string // scenarios that go so, and no other way of the reading
}

// findWays returns the ways, beside what is assumed, that CloudFormation goes: those under
// which the engine says of more scenarios what was seen of them.
func findWays(all []*outcome) (ways []engine.Assumption) {
	for {
		var best engine.Assumption
		most := 0
		for _, a := range engine.OtherWays() {
			if slices.ContainsFunc(ways, func(b engine.Assumption) bool { return b.Reading == a.Reading }) {
				continue
			}
			n := 0
			for _, o := range all {
				if o.err != nil {
					continue
				}
				switch before, now := o.as(ways), o.as(append(slices.Clone(ways), a)); {
				case now && !before:
					n++
				case before && !now:
					n--
				}
			}
			if n > most {
				best, most = a, n
			}
		}
		if most == 0 {
			return ways
		}
		ways = append(ways, best)
	}
}

// as reports whether the engine says what was seen.
func (o *outcome) as(ways []engine.Assumption) bool { return o.seen == o.expected(ways...) }

// settle returns the readings that the outcomes settle. A scenario settles a reading if the
// engine says what was seen under the way, and under no other one.
func settle(all []*outcome, ways []engine.Assumption) (found []finding) {
	for i := range engine.Readings {
		r := &engine.Readings[i]
		way, rest := engine.Assumption{Reading: r, Way: &r.Assumed}, slices.Clone(ways)
		if at := slices.IndexFunc(ways, func(a engine.Assumption) bool { return a.Reading == r }); at >= 0 {
			way, rest = ways[at], slices.Delete(rest, at, at+1)
		}
		f := finding{Assumption: way}
		for _, o := range all {
			if o.err == nil && o.as(ways) && o.tells(way, rest) {
				f.by = append(f.by, o.Name)
			}
		}
		if len(f.by) > 0 {
			found = append(found, f)
		}
	}
	return found
}

// tells reports whether the scenario tells a way from the reading's other ones.
func (o *outcome) tells(way engine.Assumption, rest []engine.Assumption) bool {
	r := way.Reading
	for i := range r.Others {
		if way.Way != &r.Others[i] && o.as(append(slices.Clone(rest), engine.Assumption{Reading: r, Way: &r.Others[i]})) {
			return false
		}
	}
	return way.Way == &r.Assumed || !o.as(rest)
}
