package play

// Plays the changes of variant.go, each in some of its ways; afresh.go judges them.

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
)

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
	case base != original, ch.Path == allOfThem, ch.kind().large:
		return false
	}
	return !p.x.replaces(v)
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
	if !r.isFine() {
		return nil
	}
	if p.s.Neither && p.x.replaces(v) {
		return nil // such a resource is never replaced
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
	for _, op := range h {
		if op.deploys() && p.s.version(op.What) == nil {
			return false // the Contract has no such properties, or they have no such change
		}
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
		again := p.x.known(v.history(toItself))
		switch {
		case of.found != nil, again.found == nil, isLeftToOthers(again.found):
			return of
		}
		return again // what may refuse another one may not refuse itself
	}
	return p.smaller(way, v, r)
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

// doesHarm reports whether a history without a change does harm, which other checks report. If the Contract has no
// properties for it, it does none.
func (x *explorer) doesHarm(h history) bool {
	for _, op := range h {
		switch {
		case !op.deploys():
		case x.c.version(op.What) == nil:
			return false
		case op.What != refused && x.learn(op.What) != nil:
			return true
		}
	}
	return x.known(h).found != nil
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

// created returns the result of a Create of a version, to which other results are then compared.
func (x *explorer) created(word string) *historyResult {
	x.learn(word)
	return x.known(history{{What: word}})
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
		base, ch, _ := cutChange(to)
		h := p.s.varied(base, ch).history(way)
		if p.creates(h) && p.x.known(h).does(r.found.harm) {
			return p.x.known(h)
		}
	}
	return r
}

// creates reports whether a Create of each version that a history deploys does well, so that what they make is known.
func (p *variedPlay) creates(h history) bool {
	for _, op := range h {
		switch {
		case !op.deploys():
		case p.s.version(op.What) == nil, !p.x.created(op.What).isFine():
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

// varies returns the failure that a history shows.
func (s *suite) varies(r *historyResult, v varied) error {
	f := r.found
	for _, op := range r.History {
		if isChanged(op.What) {
			v.to = op.What
		}
	}
	ch := v.change()
	what := ch.Path + " alone changes"
	if ch.Path == allOfThem {
		what = "all properties change"
	}
	err := s.failure(f)
	err.seen = fmt.Sprintf("%s (%s): %s. %s", what, ch.Kind, f.harm.Name, err.seen)
	isTagged := s.handler.isSecret(ch.Path) || s.handler.isCreateOnly(ch.Path)
	if cure := cureOf(f, ch, isTagged); cure != "" {
		err.helps = whatHelps(cure)
	}
	return err
}

// tell warns of changes that the handler refused. One that refuses what it should take looks like a right one.
func (s *suite) tell(told []refusal) {
	invalid, others := wordsOf(told, refusal.invalid), wordsOf(told, func(r refusal) bool { return !r.invalid() })
	if len(invalid) > 0 {
		s.warnf("changes of properties that the handler refuses with such a code as InvalidRequest are not judged (%d): %s. Have it refuse only what the service refuses", len(invalid), listSome(invalid, mostListed))
	}
	if len(others) > 0 {
		s.warnf("%d changes of properties are not judged, since the handler refused them without the code InvalidRequest, or though Draw made them, such as %s: "+
			"return that code for a value that the service refuses, and name in the Contract's Fixed the properties that must not vary", len(others), listSome(others, mostListed))
	}
}

// wordsOf returns the versions of the refusals that are of a kind.
func wordsOf(told []refusal, is func(r refusal) bool) (words []string) {
	for _, r := range told {
		if is(r) {
			words = append(words, r.at.What)
		}
	}
	return words
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
	case !sameState(was, is), !reflect.DeepEqual(p.x.learned.data[v.from], p.x.learned.data[v.to]):
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
