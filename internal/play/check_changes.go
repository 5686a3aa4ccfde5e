package play

// The check leads-where-create-does: plays the changes of change.go, each in some of the ways, and says what has failed.
// judge_settled.go judges each history.

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
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
	what := readable(ch.Path) + " alone is changed"
	if ch.Path == allOfThem {
		what = "all properties are changed"
	}
	err := s.failure(f)
	err.seen = fmt.Sprintf("%s (%s): %s. %s", what, ch.Kind, f.harm.Name, err.seen)
	if cure := cureOf(f, ch, s.mayTag(ch.Path)); cure != "" {
		err.helps = whatHelps(cure)
	}
	return err
}

// mayTag reports whether one property is to be tagged, if it cannot be changed: it has no tag, of which secret allows no
// createOnly, and is not among those that an Update to InPlace has changed.
func (s *suite) mayTag(path string) bool {
	if path == allOfThem || s.handler.isTagged(path) {
		return false
	}
	top, _, _ := strings.Cut(path, ".")
	was, is := s.properties(original), s.properties(inPlace)
	return is == nil || reflect.DeepEqual(was[top], is[top])
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
	switch {
	case r.does(panics): // one property is enough for that
		r = p.smaller(made, v, r)
	case r.isFine():
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
	if p.x.learned.refused[v.to] != "" && p.isOrdinary(v) {
		if r := p.x.known(history{{What: original}, {What: v.to}}); r.does(acceptsRefused) {
			return r
		}
	}
	return nil
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
	h, err := parseHistory(strings.NewReplacer("FROM", v.from, "TO", v.to, "BASE", v.base(), "ALIKE", alike).Replace(way))
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
