package play

// The check leads-where-create-does: plays the changes of change.go, each in some of the ways, and says what has failed.
// judge_settled.go judges each history.

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// changesCheck is the name of the check that plays changes.
const changesCheck = "leads-where-create-does"

// eachChangeInItsWays plays each change from where it is played, in some of the ways.
func eachChangeInItsWays(s *suite) error {
	x := s.explorer()
	if f := x.learn(original); f != nil {
		return missingError(fmt.Sprintf("another check fails even without a change of properties: %s", f.harm.Name))
	}
	if x.learned.want[original] == nil && len(x.learned.data[original]) == 0 {
		return missingError("the Service has no State, and the handler returns no Data, so there is nothing to compare")
	}

	// Each change, until there are enough that the handler accepts.
	p := variedPlay{s: s, x: x, accepts: s.New(s.t).Accepts != nil, unseen: map[string]bool{}, shown: map[string]bool{}}
	all := s.variedVersions()
	ordered := s.ordered(all)
	for i, v := range ordered {
		if p.accepted == s.most() || p.tried == 3*s.most() {
			break
		}
		if i%playedAhead == 0 {
			p.playAhead(ordered[i:min(i+playedAhead, len(ordered), i+s.most()-p.accepted)])
		}
		if r := p.play(v); r != nil {
			return s.varies(r, v)
		}
	}

	// Tell what was not judged.
	s.tell(p.refusals)
	p.warnOfUnseen()
	switch {
	case p.tried == len(all):
	case s.RealTime:
		s.warnf("%d of %d changes of properties were played: in real time all would take too long", p.tried, len(all))
	default:
		s.warnf("%d of %d changes of properties were played, most of them in only some of the ways: run go test -cfn.all to play all", p.tried, len(all))
	}
	return nil
}

// varies returns the failure that a history shows.
func (s *suite) varies(r *historyResult, v varied) error {
	f := r.found
	for _, op := range r.History {
		if isChanged(op.What) {
			v.to = op.What
		}
	}
	// The change is the one that the history has: a smaller one may have done the same.
	ch := v.change()
	what := ch.Path + " alone changes"
	if ch.Path == allOfThem {
		what = "all properties change"
	}
	err := s.failure(f)
	err.seen = fmt.Sprintf("%s (%s): %s. %s", what, ch.Kind, f.harm.Name, err.seen)
	isTagged := s.handler.isTagged(ch.Path)
	if cure := cureOf(f, ch, isTagged); cure != "" {
		err.helps = whatHelps(cure)
	}
	return err
}

// thereAndBack is the way in which nothing goes wrong: to a change, to itself, which a handler refuses that compares with
// what the service has made of it, and back. If it does harm, or is refused, its parts are played: their lines say more,
// and a change that cannot be undone prevents a rollback.
const thereAndBack = "FROM TO again FROM"

var partsOfIt = []string{there, toItself, "FROM TO/sibling-fails", "TO FROM"}

const (
	there    = "FROM TO"
	toItself = "TO again"
)

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

// A variedPlay plays changes of properties, and counts them.
type variedPlay struct {
	s *suite
	x *explorer

	tried, accepted int
	refusals        []refusal

	accepts       bool            // the Service has Accepts
	unseen, shown map[string]bool // paths of whose changes State does not show one, and does
}

// play plays a change in its ways. It returns the result of the first that does harm.
func (p *variedPlay) play(v varied) *historyResult {
	p.tried++

	// What a Create of it makes, if it is valid.
	r := p.x.created(v.to)
	if r.isFine() {
		p.accepted++
		r = p.x.created(v.from)
	}
	if p.s.optionOf(v.to).keeps && r.does(leftBehind) {
		p.s.warnf("the thing made from %s still exists when the stack is deleted: if the property means that, name it in the Contract's Fixed", v.to)
		return nil
	}

	// Each way, until one shows something: later ones would show the same.
	if r.isFine() {
		p.look(v)
	}
	for _, way := range p.waysOf(v, r) {
		if r = p.along(v, way); !r.isFine() {
			break
		}
	}
	if r.found == nil {
		r = cmp.Or(p.acceptedLater(v), r)
	}

	// What is told of it, if no other check does.
	if r.refusal != nil {
		p.refusals = append(p.refusals, *r.refusal)
	}
	switch {
	case r.found == nil, isLeftToOthers(r.found), p.isOthersHarm(v, r.refusal):
		return nil
	}
	return r
}

// isOthersHarm reports whether the harm after a refusal is reported by another check, which plays Refused, or is of the
// time that so many entries take.
func (p *variedPlay) isOthersHarm(v varied, refusal *refusal) bool {
	switch {
	case refusal == nil, !refusal.says():
		return false
	case kindOf(v.to).large:
		return true
	}
	return p.x.doesHarm(history{{What: refused}})
}

// isOrdinary reports whether a change is of one property of Properties, in place, and of no great size.
func (p *variedPlay) isOrdinary(v varied) bool {
	base, ch, _ := cutChange(v.to)
	switch {
	case base != original, ch.Path == allOfThem, ch.kind().large, p.x.replaces(v):
		return false
	}
	return true
}

// acceptedLater returns the result of an Update to what a Create refuses, if the Update succeeds.
func (p *variedPlay) acceptedLater(v varied) *historyResult {
	if p.x.learned.refused[v.to] && p.isOrdinary(v) {
		if r := p.x.known(history{{What: original}, {What: v.to}}); r.does(acceptsRefused) {
			return r
		}
	}
	return nil
}

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
	return slices.DeleteFunc(played, func(way string) bool { return p.x.doesHarm(p.x.plainly(v, way)) })
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
		if p.creates(h) && p.x.known(h).does(r.found.harm) {
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
			words = append(words, change{Path: path, Kind: ch.Kind, Param: ch.Param}.in(base))
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

// isLeftToOthers reports whether a finding is none of this check: a process goes another way, or has no such Step, or an
// answer is too large, which the check of that reports.
func isLeftToOthers(f *finding) bool {
	return f.is(unplayable, answerTooLarge)
}

// most is how many changes are played, of those that the handler accepts.
func (s *suite) most() int {
	switch {
	case s.RealTime:
		return 12
	case s.All:
		return math.MaxInt / 3
	}
	return 200
}

// ordered returns changes in the order in which they are played, always the same: the first ones, and then some of all
// others.
func (s *suite) ordered(all []varied) []varied {
	first := min(len(all), s.most()/5*4)
	// The seed is the test's name, so that one test plays the same ones each time.
	seed := fnv.New64()
	_, _ = seed.Write([]byte(s.t.Name()))
	ordered := slices.Clone(all[:first])
	for _, i := range rand.New(rand.NewPCG(seed.Sum64(), 0)).Perm(len(all) - first) {
		ordered = append(ordered, all[first+i])
	}
	for i := range ordered {
		ordered[i].turn = i
	}
	return ordered
}

// playedAhead is how many changes are played ahead: few, since the first may do harm.
const playedAhead = 8

// playAhead plays, on all processors, those of some changes that a Create accepts.
func (p *variedPlay) playAhead(some []varied) {
	if p.s.RealTime {
		return
	}
	var versions []string
	for _, v := range some {
		versions = append(versions, v.to, v.from)
	}
	slices.Sort(versions)
	p.x.learnAhead(slices.Compact(versions))

	// Which ways there are is known once the Creates are.
	var all []history
	for _, v := range some {
		if p.x.created(v.to).isFine() {
			for _, way := range p.waysOf(v, p.x.created(v.from)) {
				all = append(all, v.history(way))
			}
		}
	}
	p.x.playAhead(all, playing{})
}

// history returns the history that leads in a way.
func (v varied) history(way string) history {
	alike := v.to
	if isChanged(v.to) {
		alike = v.change().in(replacing)
	} else if v.to != original {
		alike = replacing
	}
	h, err := parseHistory(strings.NewReplacer("FROM", v.from, "TO", v.to, "ALIKE", alike).Replace(way))
	if err != nil {
		panic(err) // the ways are tested
	}
	return h
}

// plainly returns the history that leads to the Contract's own properties in such a way.
func (x *explorer) plainly(v varied, way string) history {
	to := inPlace
	switch {
	case strings.Count(way, "TO") == len(strings.Fields(way)): // nothing was there before
		to = original
	case x.replaces(v):
		to = replacing
	}
	return varied{from: original, to: to}.history(way)
}

// replaces reports whether a change leads to another resource: to one that differs in what is tagged createOnly, or, where
// the function does not tell, to one with another physical ID.
func (x *explorer) replaces(v varied) bool {
	if x.c.handler.isTold() {
		return !x.c.oneIdentity(v.from, v.to)
	}
	return x.known(v.history(there)).replaced
}

// learnShown learns changes, of the property that a version changes, until State shows one, and other numbers of entries.
func (x *explorer) learnShown(version string) {
	p := x.learned.told(&x.c, version)
	for _, other := range x.c.changes(p.base) {
		word := other.in(p.base)
		switch {
		case p.isOtherSize(other):
			x.learn(x.c.from(word))
			x.learn(word)
		case p.isBeside(other) && p.shownBeside() == "":
			x.learn(word)
		}
	}
}
