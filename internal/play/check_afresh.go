package play

// Plays the changes of variant.go, each in all its ways; afresh.go judges them.

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// leadsWhereCreateDoes plays changes in all ways.
func leadsWhereCreateDoes(s *suite) error {
	x := s.explorer()
	if f := x.learn(original); f != nil {
		return missingError(fmt.Sprintf("another check fails even without a change of properties: %s", f.harm.Name))
	}
	if x.want[original] == nil && len(x.data[original]) == 0 {
		return missingError("the Service has no State, and the handler returns no Data, so there is nothing to compare")
	}
	all, told := s.variedVersions(), []refusal(nil)
	tried, accepted, inTurn := 0, 0, []varied(nil)
	ordered := s.ordered(all)
	for i, v := range ordered {
		if accepted == s.most() || tried == 3*s.most() {
			break
		}
		if i%playedAhead == 0 {
			s.playAhead(x, ordered[i:min(i+playedAhead, len(ordered), i+s.most()-accepted)])
		}
		tried++

		// What a Create of it makes, if it is valid.
		r := x.created(v.to)
		if r.found == nil && r.refusal == nil {
			accepted++
			r = x.created(v.from)
		}
		if r.found != nil && r.found.harm == leftBehind && kindOf(v.to).Keeps {
			s.warnf("the thing made from %s still exists when the stack is deleted: if the property means that, name it in the Contract's Fixed", v.to)
			continue
		}
		s.warnIfUnseen(x, v)
		for _, way := range s.waysOf(x, v) {
			if r.found != nil || r.refusal != nil {
				break // later ways would show the same
			}
			r = s.along(x, v, way)
		}
		if r.found == nil {
			r = cmp.Or(s.acceptedLater(x, v), r)
		}
		if r.refusal != nil {
			told = append(told, *r.refusal)
		} else if _, ch, _ := cutChange(v.to); r.found == nil && v.from == original && !s.isCreateOnly(ch.Path) && !v.isLarge() && !v.isOneOfMany() {
			inTurn = append(inTurn, v)
		}
		if r.found != nil && (r.refusal == nil || !r.refusal.says() || !v.isLarge() && !x.doesHarm(history{{What: refused}})) {
			return s.varies(r, v)
		}
	}

	// What a deployment that failed has left is brought to other properties by the next one.
	r, v := s.takesUp(x, replacing, []string{"v0 FROM!lose-answer@1 TO"})
	if r == nil {
		r, v = s.takesUp(x, inPlace, s.failedWays(x))
	}
	if r != nil {
		return s.varies(r, v)
	}

	// Many changes, one after the other, lead to the same as each of them.
	if f := s.inTurn(x, inTurn); f != nil {
		return s.failure(f)
	}

	// Tell what was not judged.
	s.tell(told)
	switch {
	case tried == len(all):
	case s.RealTime:
		s.warnf("%d of %d changes of properties were played: in real time all would take too long", tried, len(all))
	default:
		s.warnf("%d of %d changes of properties were played, most of them in only some of the ways: run go test -cfn.all to play all", tried, len(all))
	}
	return nil
}

// acceptedLater returns the result of an Update to what a Create refuses, if the Update succeeds.
func (s *suite) acceptedLater(x *explorer, v varied) *historyResult {
	_, ch, _ := cutChange(v.to)
	if !x.refused[v.to] || v.from != original || v.isLarge() || s.isCreateOnly(ch.Path) {
		return nil
	}
	if r := x.known(v.history(partsOfIt[0])); r.found != nil && r.found.harm == acceptsRefused {
		return r
	}
	return nil
}

// failedWays are those of an Update in place that fails at one of its Steps, before the next one leads to a third version.
func (s *suite) failedWays(x *explorer) (all []string) {
	if s.InPlace == nil || s.RealTime || x.doesHarm(history{{What: original}, {What: inPlace}}) {
		return nil
	}
	requests := x.known(history{{What: original}, {What: inPlace}}).Requests
	if len(requests) == 0 {
		return nil
	}
	for step := range min(requests[0].Steps, maxSteps) {
		all = append(all, fmt.Sprintf("v0 FROM!fail-at-step:%d@1 TO", step+1))
	}
	return all
}

// takesUp plays ways in which an update to a version meets what an earlier one has left that did not succeed, with one
// property changed of each that State shows. It returns the first that does harm.
func (s *suite) takesUp(x *explorer, earlier string, all []string) (*historyResult, varied) {
	all = slices.DeleteFunc(all, func(way string) bool {
		return s.RealTime || s.version(earlier) == nil || x.doesHarm(varied{from: earlier, to: earlier}.history(way))
	})
	if len(all) == 0 {
		return nil, varied{}
	}
	base := original
	if earlier == replacing {
		base = replacing
	}
	shown := map[string]bool{}
	for _, ch := range s.changes(base) {
		v := varied{from: earlier, to: ch.in(base)}
		if shown[ch.Path] || s.isCreateOnly(ch.Path) || ch.isLarge() || ch.Kind == earlier || s.version(v.to) == nil {
			continue
		}
		if made := x.created(v.to); made.found != nil || made.refusal != nil || sameState(x.want[v.from], x.want[v.to]) || sameState(x.want[base], x.want[v.to]) {
			continue
		}
		if base == original && x.known(v.history("v0 TO")).refusal != nil {
			continue // it cannot be changed
		}
		shown[ch.Path] = true
		for _, way := range all {
			if r := x.known(v.history(way)); r.found != nil && r.found.harm != unplayable {
				return r, v
			}
		}
	}
	return nil, varied{}
}

// waysOf returns the ways in which a change is played: a part of all, and none that does harm even without a change.
func (s *suite) waysOf(x *explorer, v varied) (played []string) {
	if v.isOneOfMany() && !sameState(x.want[v.from], x.want[v.to]) {
		return nil // more entries go through an Update with the change that adds them
	}

	if played = []string{thereAndBack}; x.doesHarm(v.plainly(s, thereAndBack)) {
		played = slices.Clone(partsOfIt)
	}
	if !s.RealTime && !v.isLarge() {
		for n, way := range ways {
			if s.All || n%3 == v.turn%3 {
				played = append(played, way)
			}
		}
		if s.hasBefore(s.t) {
			played = append(played, ofBefore)
		}
		if s.usedAlike(x, v) {
			for n, way := range usedWays {
				if _, ch, _ := cutChange(v.to); s.All || ch.Kind == inPlace || n == v.turn%len(usedWays) {
					played = append(played, way)
				}
			}
		}
	}
	return slices.DeleteFunc(played, func(way string) bool { return x.doesHarm(v.plainly(s, way)) })
}

// usedAlike reports whether users can put something into the thing before a change in place, and after it.
func (s *suite) usedAlike(x *explorer, v varied) bool {
	_, ch, _ := cutChange(v.to)
	return s.missing(needUse) == "" && !s.isCreateOnly(ch.Path) && ch.Path != allOfThem && x.learnStates(history{{What: v.from}, {What: v.to}, {What: uses}}...) == nil
}

// along returns the result of a change in a way, or in the first part of the way that does harm or is refused.
func (s *suite) along(x *explorer, v varied, way string) *historyResult {
	r := x.known(v.history(way))
	if r.found == nil && r.refusal == nil || way != thereAndBack {
		return s.smaller(x, way, v, r)
	}
	for _, part := range partsOfIt {
		if x.doesHarm(v.plainly(s, part)) {
			continue
		}
		if of := s.smaller(x, part, v, x.known(v.history(part))); of.found != nil || of.refusal != nil {
			return of
		}
	}
	return s.smaller(x, way, v, r)
}

// playedAhead is how many changes are played ahead: few, since the first may do harm.
const playedAhead = 8

// playAhead plays, on all processors, those of some changes that a Create accepts.
func (s *suite) playAhead(x *explorer, some []varied) {
	if s.RealTime {
		return
	}
	var versions []string
	for _, v := range some {
		versions = append(versions, v.to, v.from)
	}
	slices.Sort(versions)
	x.learnAhead(slices.Compact(versions))
	var all []history
	for _, v := range some {
		to, from := x.created(v.to), x.created(v.from)
		if to.found != nil || to.refusal != nil || from.found != nil || from.refusal != nil {
			continue
		}
		for _, way := range s.waysOf(x, v) {
			all = append(all, v.history(way))
		}
	}
	x.playAhead(all, playing{})
}

// inTurn plays many updates, each to another change, some of which are rolled back. It returns the harm that they do, by
// as few of the last ones as do it.
func (s *suite) inTurn(x *explorer, all []varied) *finding {
	const few, many = 5, 40
	h := history{{What: original}}
	for _, v := range all {
		if last := h[len(h)-1].What; len(h) < many && !reflect.DeepEqual(s.properties(last), s.properties(v.to)) {
			h = append(h, operation{What: v.to})
		}
	}
	if len(h) < few || s.RealTime {
		return nil
	}
	for i := 4; i < len(h)-1; i += 4 {
		h[i].Variant = siblingFails
	}
	f := x.known(h).found
	for n := 2; n < len(h) && f != nil; n++ {
		if last := x.known(append(history{{What: original}}, h[len(h)-n:]...)); last.found != nil && last.found.harm == f.harm {
			f = last.found
			break
		}
	}
	if f != nil && f.harm == unplayable {
		return nil
	}
	return f
}

// doesHarm reports whether a history without a change does harm, which other checks report. If the Contract has no
// properties for it, it does none.
func (x *explorer) doesHarm(h history) bool {
	for _, op := range h {
		if op.deploys() && (x.c.version(op.What) == nil || op.What != refused && x.learn(op.What) != nil) {
			return x.c.version(op.What) != nil
		}
	}
	return x.known(h).found != nil
}

// history returns the history that leads in a way.
func (v varied) history(way string) history {
	h, err := parseHistory(strings.NewReplacer("FROM", v.from, "TO", v.to).Replace(way))
	if err != nil {
		panic(err) // the ways are tested
	}
	return h
}

// plainly returns the history that leads to the Contract's own properties in such a way.
func (v varied) plainly(s *suite, way string) history {
	to := inPlace
	if _, ch, _ := cutChange(v.to); s.isCreateOnly(ch.Path) && (ch.Path != allOfThem || strings.HasPrefix(ch.Kind, drawn)) {
		to = replacing
	}
	if !strings.Contains(way, "FROM") {
		to = original
	}
	return varied{from: original, to: to}.history(way)
}

// created returns the result of a Create of a version, to which other results are then compared.
func (x *explorer) created(word string) *historyResult {
	x.learn(word)
	return x.known(history{{What: word}})
}

// smaller returns, if a history does harm, the result of the smallest change that does the same harm: an earlier one of
// the same property, or one property of those that were drawn.
func (s *suite) smaller(x *explorer, way string, v varied, r *historyResult) *historyResult {
	if r.found != nil && r.found.harm == unplayable {
		r.found = nil // a process goes another way, or has no such Step
	}
	if r.found == nil {
		return r
	}
	base, ch, _ := cutChange(v.to)
	var smaller []change
	for kind := range endings {
		if ch.Kind == allEndings {
			smaller = append(smaller, change{ch.Path, kind})
		}
	}
	if ch.Path == allOfThem {
		for _, path := range differentKeys(s.properties(v.to), s.properties(base)) {
			smaller = append(smaller, change{path, ch.Kind})
		}
	}
	for _, other := range s.changes(base) {
		if other.Path == ch.Path && other.Kind == ch.Kind {
			break
		}
		if other.Path == ch.Path {
			smaller = append(smaller, other)
		}
	}
	for _, other := range smaller {
		try := s.varied(base, other)
		if s.version(try.to) == nil {
			continue
		}
		if made := x.created(try.to); made.found == nil && made.refusal == nil {
			if found := x.known(try.history(way)); found.found != nil && found.found.harm == r.found.harm {
				return found
			}
		}
	}
	return r
}

// varies returns the failure that a history shows.
func (s *suite) varies(r *historyResult, v varied) error {
	f := r.found
	for _, op := range r.History {
		if isChanged(op.What) {
			v.to = op.What
		}
	}
	_, ch, _ := cutChange(v.to)
	what := ch.Path + " alone changes"
	if ch.Path == allOfThem {
		what = "all properties change"
	}
	err := s.failure(f)
	err.seen = fmt.Sprintf("%s (%s): %s. %s", what, ch.Kind, f.harm.Name, err.seen)
	_, isSecret := s.secretsOf(original)[ch.Path]
	if cure := cureOf(f.harm, ch, isSecret || s.isCreateOnly(ch.Path)); cure != "" && (!f.caused || f.harm != wrongState) {
		err.helps = whatHelps(cure)
	}
	return err
}

// tell warns of changes that the handler refused, but not as invalid.
func (s *suite) tell(told []refusal) {
	told = slices.DeleteFunc(told, refusal.invalid)
	if len(told) == 0 {
		return
	}
	var some []string
	for _, r := range told[:min(3, len(told))] {
		some = append(some, r.at.What)
	}
	s.warnf("%d changes of properties are not judged, since the handler refused them without the code InvalidRequest, or though Draw made them, such as %s: "+
		"return that code for a value that the service refuses, and name in the Contract's Fixed the properties that must not vary", len(told), strings.Join(some, ", "))
}

// warnIfUnseen warns of a property whose change State does not show: no check can see whether it is applied.
func (s *suite) warnIfUnseen(x *explorer, v varied) {
	_, ch, _ := cutChange(v.to)
	if _, secret := s.secretsOf(original)[ch.Path]; secret && s.newRun().service.Accepts != nil {
		return // Accepts shows it
	}
	if ch.Kind == inPlace && v.from == original && x.want[original] != nil && reflect.DeepEqual(x.want[original], x.want[v.to]) {
		s.warnf("State shows the same when %s alone has changed, so no check can see whether the handler applies it: have State show it, or have the handler pass it on", ch.Path)
	}
}
