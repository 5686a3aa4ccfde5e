package play

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// eachStep is the Step of a line that stands for a history with each Step. It is written *.
const eachStep = -1

// played returns a check that plays histories, each as Replay would. It plays only lines for which the Contract has
// properties and whose fault a request can meet.
func played(name, after, rule string, lines ...string) check {
	k := check{name: name, after: after, rule: rule, needs: needContinue | needInPlace | needReplacing | needVirtualTime | needUse | needState | needBefore}
	for _, line := range lines {
		h := readLine(line)
		k.lines = append(k.lines, h)
		var n need
		for _, op := range h {
			n |= op.needs()
		}
		k.needs &= n
	}
	return k
}

// needing says what else of the Contract a check requires.
func (k check) needing(n need) check {
	k.needs |= n
	return k
}

// about leaves all other harm to other checks.
func (k check) about(only ...harm) check {
	k.judges = func(h harm) bool { return slices.Contains(only, h) }
	return k
}

// unless leaves some harm to other checks.
func (k check) unless(others ...harm) check {
	for answer := range inAnswers {
		others = append(others, answer)
	}
	k.judges = func(h harm) bool { return lacks(others, h) }
	return k
}

// listening has the handler's log and output listened to while the lines are played.
func (k check) listening() check {
	k.hears = true
	return k
}

// thenAsks has a check ask, after its lines, what all histories show together.
func (k check) thenAsks(also func(s *suite, k *check, x *explorer) error) check {
	k.also = also
	return k
}

// readLine reads a line of a check.
func readLine(line string) history {
	h, err := parseHistory(strings.Replace(line, ":*", ":1", 1))
	if err != nil {
		panic(err)
	}
	if op, _ := h.faulty(); strings.Contains(line, ":*") {
		op.Fault.Step = eachStep
	}
	return h
}

// playLines plays the histories that some lines stand for, until one does harm.
func (s *suite) playLines(k *check) error {
	x, seen := s.explorer(), linesSeen{}
	lines, how := s.playable(k.lines), playing{log: x.log, hears: k.hears}
	if !k.hears {
		x.playAhead(x.meantByAll(lines), playing{})
	}
	for _, line := range lines {
		// Without the fault it has to go well.
		all, harmful := x.meant(line)
		if x.isBroken(k, harmful) && !line.isUnlikeToday() { // else another check says what the properties as sent lead to
			return s.failure(harmful)
		}
		if harmful != nil {
			seen.addHarmful(harmful)
		}

		// With it.
		for _, h := range all {
			r := x.once(h, how)
			if f := x.brokenBy(k, r); f != nil {
				return s.failure(x.afterTime(f))
			}
			seen.add(r)
			if r.unseen != "" && lacks(s.warnings, r.unseen) {
				s.warnf("%s", r.unseen)
			}
			if r.ranOut {
				s.warnf("in the history %q the SDK tries Refused again until the time is over: if the service never accepts these properties, return a code that is not tried again", h)
			}
		}
	}
	if k.also != nil {
		if err := k.also(s, k, x); err != nil {
			return err
		}
	}
	return s.conclude(k, x, seen)
}

// stepsGoAstray looks for a Step with a wrong context in the histories of all checks.
func stepsGoAstray(_ *suite, _ *check, x *explorer) error {
	if simulate.StraySteps() > x.strayed {
		return &ruleError{seen: "A method calls Step, or sends a request through a client that Steps wraps, with a context that is not the method's own: pass the method's context to every call", would: neverReturns.Consequence}
	}
	return nil
}

// A linesSeen says what came of a check's lines that did no harm.
type linesSeen struct {
	played bool   // one was played to its end
	limit  string // the first that was met
	why    string // others could not be played
	lacks  bool   // since the Contract, or the Service, lacks something
}

// add adds the result of a history.
func (l *linesSeen) add(r *historyResult) {
	l.limit = cmp.Or(l.limit, r.Limit)
	if r.found.is(unplayable) {
		l.addHarmful(r.found)
		return
	}
	l.played = true
}

// addHarmful adds why a history could not be played, if it says so, or what harm a simpler one does.
func (l *linesSeen) addHarmful(f *finding) {
	switch at := f.at; {
	case f.harm != unplayable:
		l.why = "says nothing while a simpler history does harm: " + f.harm.Name
	case at.sendsNothing(), at.isCircumstance(), at.isRewritten(), at.Beside != "":
		l.why, l.lacks = f.detail, true
	}
}

// conclude returns why a check that has found no harm says nothing, if it does not.
func (s *suite) conclude(k *check, x *explorer, seen linesSeen) error {
	isOfLimit := k.judges == nil || k.judges(leftBehind) // each limit is of something that is left
	switch limit := seen.limit; {
	case seen.played && !isOfLimit, limit == "":
		return s.concludeUnlimited(seen)
	case s.Neither:
		return missingError(`a handler of the kind "neither" cannot keep this rule: docs/rough_edges.md#handlers-of-the-kind-neither`)
	case x.learned.overwrites:
		return missingError("Create overwrites an existing thing, and so cannot call Created: " + limit + " (docs/rough_edges.md). If the service can say what exists, ask first (docs/recipes.md#put-only)")
	default:
		s.warnf("no handler can prevent this: %s; docs/rough_edges.md says what helps", limit)
	}
	return nil
}

// concludeUnlimited is conclude for a check that no limit excuses from anything.
func (s *suite) concludeUnlimited(seen linesSeen) error {
	switch {
	case seen.played:
		if seen.lacks {
			s.warnf("a part of this check was not played: %s", seen.why)
		}
		return nil
	case seen.why != "":
		return missingError(seen.why)
	}
	return missingError("no request meets this check's fault: the handler waits in no Poll there, or calls no Step. " +
		"Call Step in the service, or wrap a client's transport in Steps")
}

// playable returns the lines for which the Contract has properties.
func (s *suite) playable(lines []history) (playable []history) {
	for _, line := range lines {
		if s.All {
			line = line.larger()
		}
		if s.lacksVersion(line) {
			continue
		}
		playable = append(playable, line)
	}
	return playable
}

// meantByAll returns the histories that lines stand for, except those that do harm even without their fault.
func (x *explorer) meantByAll(lines []history) (all []history) {
	for _, line := range lines {
		if meant, harmful := x.meant(line); harmful == nil {
			all = append(all, meant...)
		}
	}
	return all
}

// meant returns the histories that a line stands for, or the harm that they do even without the fault.
func (x *explorer) meant(line history) (all []history, harmful *finding) {
	if !line.hasBeside() {
		return x.meantWith(line)
	}
	lines, harmful := x.linesWithOthers(line)
	for _, with := range lines {
		more, f := x.meantWith(with)
		all, harmful = append(all, more...), cmp.Or(harmful, f)
	}
	return all, harmful
}

// meantWith is meant for a line that says what the stack's other resources are.
func (x *explorer) meantWith(line history) (all []history, harmful *finding) {
	for _, v := range line.versionsBeside() {
		switch f := x.learn(v); {
		case f == nil:
		case x.seen[v].kept:
			return nil, nil // a property may ask for that
		default:
			return nil, f
		}
	}
	for _, v := range versions() {
		if v != refused && line.has(v) {
			if f := x.learnFor(line, v); f != nil {
				return nil, f
			}
		}
	}
	op, at := line.faulty()
	if at < 0 {
		if line.processes() > 0 {
			x.known(line.cold()) // whose Data are compared
		}
		return []history{line}, nil
	}

	// A play without a fault and without other people shows what can go wrong.
	well := slices.Clone(line[:at+1])
	well[at].Fault = nil
	well = slices.DeleteFunc(well, func(op operation) bool { return op.word().like == crowd || op.What == occupied })
	if op.What == namesakes { // whose requests are the same: a Create, and then a Delete
		well = history{{What: original}}
	}
	r := x.known(well)
	if r.found != nil {
		return nil, r.found
	}
	requests := r.Requests
	if op.What == namesakes {
		requests = slices.Concat(requests, x.known(append(well, operation{What: deletesStack})).Requests)
	}
	all = line.withFaultsOf(requests)
	isAlone := len(line) == len(well) // nobody else does something, or is met by the fault
	if fuller := x.fuller(well); isAlone && fuller != nil {
		all = append(all, line.with(original, inPlace).withFaultsOf(fuller.Requests)...)
	}
	return all, nil
}

// withFaultsOf returns the histories that a line with a fault stands for, by the requests of its operation.
func (h history) withFaultsOf(requests []faultPoints) (all []history) {
	op, at := h.faulty()
	for _, m := range plannedFaults(requests, []fault.Kind{op.Fault.Kind}) {
		isMeant := m.Step == op.Fault.Step
		if op.Fault.Step == eachStep {
			isMeant = m.Step <= maxSteps
		}
		if isMeant && m.Request == op.Fault.Request {
			with := slices.Clone(h)
			with[at].Fault = &m
			all = append(all, with)
		}
	}
	return all
}

// fuller returns the result of a Create of InPlace, or of its Delete, in place of one of Properties, if its request calls Step
// more often. Then InPlace has a property for which there is more to do, and no other history has faults there.
func (x *explorer) fuller(well history) *historyResult {
	isOfOne := slices.Contains([]string{original, original + " " + deletesStack}, well.String())
	switch {
	case !isOfOne, x.c.version(inPlace) == nil, x.learn(inPlace) != nil:
		return nil
	}
	few, many := x.known(well), x.known(well.with(original, inPlace))
	switch {
	case many.found != nil, len(few.Requests) == 0, len(many.Requests) == 0:
		return nil
	case many.Requests[0].Steps > few.Requests[0].Steps:
		return many
	}
	return nil
}

// learnFor learns what a line needs to know of a version: what a Create makes of it, and of a use after that, and whether a
// Delete keeps it. It returns the harm that this does.
func (x *explorer) learnFor(line history, v string) *finding {
	f := x.learn(v)
	x.learned.keeps[v] = f != nil && x.seen[v].kept
	if v == original {
		x.learned.keeps[v] = false
	}
	if x.learned.keeps[v] {
		f = nil // a property may ask for that
	}
	use := line.use()
	if use == "" || f != nil {
		return f
	}
	if f = x.learn(v + " " + use); f == nil && line.hasVariant(unreadable) {
		x.learned.keeps[v+" "+use] = x.known(history{{What: v}, {What: use}, {What: deletesStack}}).stands
	}
	return f
}

// maxSteps bounds the number of steps of one method at which a check tries faults.
const maxSteps = 30
