package play

// The ways in which the check of check_changes.go plays a change, and what is told of one that does harm.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// thereAndBack is the way in which nothing goes wrong: to a change, to itself, which a handler refuses that compares with
// what the service has made of it, and back. If it does harm, or is refused, its parts are played: their lines say more,
// and a change that cannot be undone prevents a rollback.
const thereAndBack = "FROM TO again FROM"

var partsOfIt = []string{there, toItself, "FROM TO/sibling-fails", "TO FROM"}

const (
	made     = "TO"
	there    = "FROM TO"
	toItself = "TO again"
)

// backToBase is the way back from a change that is played from another one: from many entries to the few that the Contract has.
const backToBase = "TO BASE"

// ways lead from one version to another, or back, and something goes wrong on the way, or somebody uses the thing. ALIKE
// has the same change, of what Replacing has.
var ways = []string{
	"FROM TO/kept!lose-answer@1 FROM",
	"TO!die-at-step:2@1",
	"FROM TO!die-at-step:2@1",
	"FROM TO!fail-at-step:2@1",
	"TO!twice@1",
	"FROM TO!twice@1",
	"TO FROM!fail-at-step:2@1",
	"FROM use TO FROM",          // for rebuildsForPassword
	"v0 v1!fail-at-step:2@1 TO", // for takesDrafts
	"v0 v2!lose-answer@1 ALIKE", // for takesAsItIs
}

// ofBefore is the way from a thing that the program before made with the change.
const ofBefore = "before TO FROM"

// sharesOfWays is in how many of the ways a change is played: in one of so many.
const sharesOfWays = 4

// waysOf returns the ways in which a change is played, of which r is what a Create of it makes: a part of all, and none
// that does harm even without a change.
func (p *variedPlay) waysOf(v varied, r *historyResult) (played []string) {
	switch {
	case !r.isFine():
		return nil
	case p.s.Neither && p.x.replaces(v): // such a resource is never replaced
		return nil
	}

	// There and back, or the parts of it that do no harm anyway, and a share of the others.
	if played = []string{thereAndBack}; p.x.doesHarm(p.x.plainly(v, thereAndBack)) {
		played = slices.Clone(partsOfIt)
	}
	if v.from != v.base() && p.creates(v.history(backToBase)) {
		played = append(played, backToBase)
	}
	shares := sharesOfWays
	if p.s.All {
		shares = 1
	}
	for n, way := range ways {
		if n%shares == v.turn%shares && p.canGo(v, way) {
			played = append(played, way)
		}
	}
	if p.s.hasBefore(p.s.t) && p.canGo(v, ofBefore) {
		played = append(played, ofBefore)
	}
	if !p.s.RealTime && p.isOrdinary(v) && p.isFirstToNothing(v) {
		played = append(played, p.failing(v)...)
	}
	return slices.DeleteFunc(played, func(way string) bool { return p.x.doesHarm(p.x.plainly(v, way)) })
}

// failing returns the ways in which one call of an Update fails. It is for changes to nothing: a handler often has a call
// of its own for that, whose error no other Update shows.
func (p *variedPlay) failing(v varied) (ways []string) {
	update := p.x.known(v.history(there)).Requests
	for _, f := range plannedFaults(update[:min(1, len(update))], []fault.Kind{fault.FailAtStep}) {
		if f.Step <= mostFailing {
			ways = append(ways, fmt.Sprintf("%s!%s", there, f))
		}
	}
	return ways
}

// mostFailing bounds the number of Steps at which a call fails.
const mostFailing = 6

// toNothing are the kinds of changes to nothing.
var toNothing = []string{leftOut, zero, emptied}

// isFirstToNothing reports whether a change is the first of its property that leads to nothing and that a Create accepts.
func (p *variedPlay) isFirstToNothing(v varied) bool {
	for _, ch := range p.s.changes(v.base()) {
		word := ch.in(v.base())
		isOne := ch.Path == v.change().Path && slices.Contains(toNothing, ch.Kind)
		if isOne && p.x.created(word).isFine() {
			return word == v.to
		}
	}
	return false
}

// canGo reports whether a change can be played in one of the ways.
func (p *variedPlay) canGo(v varied, way string) bool {
	switch {
	case p.s.RealTime, kindOf(v.to).large:
		return false
	}
	h := v.history(way)
	if p.s.lacksVersion(h) {
		return false
	}
	switch last := h[len(h)-1].What; {
	case h.use() != "":
		return p.canUse(v)
	case strings.HasPrefix(way, "v0 "): // past a version of the author's, which may replace
		return p.isOrdinary(v) && p.x.created(last).isFine()
	}
	return true
}

// canUse reports whether users can put something into the thing before a change in place, and after it.
func (p *variedPlay) canUse(v varied) bool {
	switch {
	case p.s.missing(needUse) != "", !p.isOrdinary(v):
		return false
	}
	return p.x.learnStates(history{{What: v.from}, {What: v.to}, {What: uses}}...) == nil
}

// along returns the result of a change in a way, or in the first part of the way that does harm or is refused.
func (p *variedPlay) along(v varied, way string) *historyResult {
	r := p.x.known(v.history(way))
	switch {
	case way != thereAndBack, r.isFine():
		return p.smaller(way, v, r)
	}
	for _, part := range partsOfIt {
		if p.x.doesHarm(p.x.plainly(v, part)) {
			continue
		}
		of := p.smaller(part, v, p.x.known(v.history(part)))
		if of.isFine() {
			continue
		}
		// An Update to itself says more than one from elsewhere, since nothing differs.
		again := p.x.known(v.history(toItself))
		switch {
		case of.found != nil, again.found == nil, isLeftToOthers(again.found):
			return of
		}
		return again // what may refuse another one may not refuse itself
	}
	return p.smaller(way, v, r)
}

// smaller returns, if a history does harm, the result of the smallest change that does the same harm: an earlier one of
// the same property, or one property of those that were drawn.
func (p *variedPlay) smaller(way string, v varied, r *historyResult) *historyResult {
	switch {
	case r.found == nil:
		return r
	case isLeftToOthers(r.found):
		fine := *r
		fine.found = nil
		return &fine
	}

	// A smaller change is easier to understand, if it does the same in the same way.
	for _, to := range p.smallerThan(v) {
		// It has to be judged as surely as the larger one: each of its Creates does well.
		base, ch, _ := cutChange(to)
		h := p.s.varied(base, ch).history(way)
		isSure := p.creates(h)
		if way == made { // the Create itself does harm
			isSure = !p.s.lacksVersion(h)
		}
		if isSure && p.x.known(h).does(r.found.harm) {
			return p.x.known(h)
		}
	}
	return r
}

// smallerThan returns versions with a smaller change.
func (p *variedPlay) smallerThan(v varied) (words []string) {
	base, ch, _ := cutChange(v.to)
	if ch.Path == allOfThem {
		for _, path := range differentKeys(p.s.properties(v.to), p.s.properties(base)) {
			words = append(words, change{Path: written(path), Kind: ch.Kind, Param: ch.Param}.in(base))
		}
	}
	for _, other := range p.s.changes(base) {
		if other == ch {
			break
		}
		if other.Path == ch.Path {
			words = append(words, other.in(base))
		}
	}
	return words
}

// creates reports whether a Create of each version that a history deploys does well, so that what they make is known.
func (p *variedPlay) creates(h history) bool {
	if p.s.lacksVersion(h) {
		return false
	}
	for _, op := range h {
		if op.deploys() && !p.x.created(op.What).isFine() {
			return false
		}
	}
	return true
}
