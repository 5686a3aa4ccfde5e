package play

// What is known: the results of histories that were played, each once for all checks, and what is learned of them.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A learned is what is known before a history is played: the history's result depends on that and on nothing else. It holds
// the results of Creates.
type learned struct {
	calibration *calibration // of State; nil in what one history has taught

	want  map[string]any            // by version, the state
	ids   map[string]string         // and the ID
	data  map[string]map[string]any // and the Data, but for
	fresh map[string]bool           // the names in Data whose values differ from Create to Create

	refused   map[string]string    // the versions with which a Create fails, and how
	effects   map[string]any       // what Effects shows, by the line of a history in which nothing goes wrong
	dataAfter map[string][]allData // the Data after each operation of one, by its line
	keeps     map[string]bool      // the versions that a Delete keeps, whose histories do not end with one

	empties    bool // a Delete removes what users have put into the resource
	overwrites bool // Create overwrites an existing thing, and cannot call Created
}

func newLearned(k *calibration) learned {
	return learned{
		calibration: k,
		want:        map[string]any{}, ids: map[string]string{}, data: map[string]map[string]any{}, fresh: map[string]bool{},
		refused: map[string]string{}, effects: map[string]any{}, dataAfter: map[string][]allData{}, keeps: map[string]bool{},
	}
}

// add adds what a history has taught. What is known stays: a later Create, in a history with time in it, may show an age.
func (l learned) add(more learned) {
	for version := range more.want {
		if _, known := l.want[version]; known {
			continue
		}
		l.want[version], l.ids[version] = more.want[version], more.ids[version]
	}
	// Data likewise: the first Create is the one to compare with.
	for version, data := range more.data {
		if l.data[version] == nil {
			l.data[version] = data
		}
	}
	// A name differs for good once it has differed.
	for name, differs := range more.fresh {
		if differs {
			l.fresh[name] = true
		}
	}
	maps.Copy(l.refused, more.refused)
}

// known plays a history once for all checks.
func (x *explorer) known(h history) *historyResult { return x.once(h, playing{log: x.log}) }

// once plays a history unless it was played, and listened to if that is asked for.
func (x *explorer) once(h history, how playing) *historyResult {
	line := h.String()
	switch r := x.seen[line]; {
	case r == nil, how.hears && !r.heard:
		x.remember(line, x.runOne(h, how))
	}
	return x.seen[line]
}

// playAhead plays histories on all processors. A history that does harm is played again alone later, for its log.
func (x *explorer) playAhead(all []history, how playing) {
	all = slices.DeleteFunc(slices.Clone(all), func(h history) bool { return x.seen[h.String()] != nil })
	if x.c.RealTime || len(all) < 2 {
		return
	}
	for i, r := range x.playAll(all, how) {
		if r != nil && r.first() == nil {
			x.remember(all[i].String(), r)
		}
	}
}

// learnAhead learns on all processors what Creates of versions lead to, once that is known of Properties.
func (x *explorer) learnAhead(versions []string) {
	if x.learned.want[original] == nil {
		return
	}
	var all []history
	for _, v := range versions {
		all = append(all, history{{What: v}})
	}
	x.playAhead(all, playing{learns: true})
}

// remember keeps the result of a history.
func (x *explorer) remember(line string, r *historyResult) {
	x.seen[line] = r
	x.learned.add(r.taught)
	if r.emptied {
		x.learned.empties = true
	}
	if _, at := r.History.faulty(); at < 0 {
		x.learned.effects[line], x.learned.dataAfter[line] = r.effects, r.told
	}
	if r.History.isChanged() { // whose answers are those of no author
		return
	}
	x.out.answers.merge(r.answers)
	if r.hasSecrets {
		x.hasSecrets = true
	}
}

// learnStates records the state to which a Create of each version leads, and of those with changes in some operations.
// If one does harm, it returns the finding, since no history can be judged then.
func (x *explorer) learnStates(changed ...operation) *finding {
	all, use := append(history{{What: original}, {What: inPlace}, {What: replacing}}, changed...), history(changed).use()
	for _, version := range history(changed).versionsBeside() {
		all = append(all, operation{What: version})
	}
	for _, op := range all {
		switch {
		case x.c.version(op.What) == nil, slices.Contains([]string{refused, notUpdatable}, op.What):
			continue
		}
		if f := x.learn(op.What); f != nil {
			return f
		}
		if use != "" {
			if f := x.learn(op.What + " " + use); f != nil {
				return f
			}
		}
	}
	return nil
}

// learn records the state to which a Create of a version leads, or a Create and then a use, unless it is known.
func (x *explorer) learn(version string) *finding {
	base, use, used := strings.Cut(version, " ")
	h := history{{What: base}}
	if used {
		h = append(h, operation{What: use})
	}
	// A Delete of a thing that holds little shows what it may do with much.
	if use == usesMuch {
		x.known(history{{What: base}, {What: uses}}) // shows whether a Delete empties the thing
	}
	if x.seen[version] == nil {
		how := playing{learns: true, log: x.log}
		x.once(h, how)
		if version == original {
			x.once(history{{What: original}, {What: deletesStack}, {What: aMonth}, {What: original}}, how) // shows what differs in Data
		}
	}
	// Whether Create overwrites decides what counts as a limit.
	if version == original {
		x.probeCreate()
	}
	return x.known(h).found
}

// probeCreate finds out whether the handler's Create overwrites.
func (x *explorer) probeCreate() {
	h := history{{What: original, Fault: &plannedFault{Kind: fault.Redeliver, Request: 1}}}
	x.learned.overwrites = x.known(h).createOverwrites
}

// A playing says how a history is played.
type playing struct {
	learns bool         // what its Creates lead to is learned
	tells  bool         // its story is kept even if it does no harm
	log    *capture.Log // of a check, whose histories are played one after the other; or nil
	watch  *watch       // looks at the service in the last operation; or nil
	hears  bool         // what the handler writes is looked at: to the log, and to the standard streams, which all histories share
}

// runOne plays a history. If that meets a limit, it may play a second one to decide
// whether this handler could have prevented the harm.
func (x *explorer) runOne(h history, how playing) *historyResult {
	r := x.runAlone(h, how)
	for range reruns(x.c) {
		if r.found != nil {
			r = x.runAlone(h, how)
		}
	}

	// What an older program's ID prevents is harm if one of this program's does not.
	if r.found == nil && r.refusedForeign != nil {
		if x.runAlone(h.withNativeID(), how).isUpdated() {
			r.found = r.refusedForeign
		}
	}

	// What cannot be read may say that the thing is kept, if any properties do.
	if r.found.is(leftBehind) && h.hasVariant(unreadable) && x.mayKeep() {
		r.found = nil
	}

	// A limit that applies to one Step alone does not excuse the next one, at which the handler had the service's reply.
	earlier, applies := h.oneStepEarlier(r.Limit)
	switch {
	case !applies, x.learned.overwrites:
	case x.missingStep() != "":
		r.excused.detail += "\nA handler that has the service's reply can prevent this, but the fake does not show whether it has the reply: " + x.missingStep() + "."
		r.found, r.Limit = r.excused, ""
	case x.runAlone(earlier, how).Limit == r.Limit: // a limit of one step, and of the one before
		r.found, r.Limit = r.excused, ""
	}
	return r
}

// findKeeping reports whether a Delete keeps the thing with some properties: with the Contract's own, or with others in one place.
// Of those in Fixed it is not known.
func (x *explorer) findKeeping() bool {
	if len(x.c.Fixed) > 0 {
		return true
	}
	versions := []string{original, inPlace, replacing}
	for _, ch := range x.c.changes(original) {
		if slices.Contains([]string{valueGiven, leftOut, zero, another, emptied}, ch.Kind) {
			versions = append(versions, ch.in(original))
		}
	}
	return slices.ContainsFunc(versions, func(version string) bool {
		return x.c.version(version) != nil && x.runAlone(history{{What: version}}, playing{learns: true}).does(leftBehind)
	})
}

// runAlone plays a history in a bubble of its own.
func (x *explorer) runAlone(h history, how playing) (r *historyResult) {
	var err error
	capture.WithLabel(fmt.Sprintf("%s: %v", x.t.Name(), h), func() {
		if x.c.RealTime {
			r = x.runHistory(x.t, h, how)
			return
		}
		err = simulate.Bubble(x.t, func(t *testing.T) { r = x.runHistory(t, h, how) })
	})
	switch {
	case r == nil && err == nil:
		x.t.Fatalf("cfntest: the history %q ended before its time: New, or a function of the Service, calls t.Skip or t.FailNow", h)
	case err == nil:
	case r == nil:
		x.t.Fatalf("cfntest: the history %q: %v", h, err)
	case r.found == nil: // also a goroutine that the handler has started
		r.found = &finding{
			assume:  x.o.Assume,
			history: h,
			harm:    neverReturns,
			at:      h[len(h)-1],
			detail:  err.Error() + ".",
			story:   cmp.Or(r.story, "Replay shows it."),
		}
	}
	return r
}

// doesHarm reports whether a history was played that did harm.
func (r *historyResult) doesHarm() bool {
	f := r.first()
	return f != nil && f.harm != unplayable
}

// explorer returns what plays the histories of all checks.
func (s *suite) explorer() *explorer {
	p, t := s.prior, s.t
	if p.histories == nil {
		p.histories = newExplorer(t, s.Contract, ExploreOptions{}, p.calibration)
		p.histories.strayed = simulate.StraySteps()
		p.histories.missingStep = func() string { return "" } // another check says it
		s.warnOfOtherTypes()
	}
	p.histories.t, p.histories.log = t, s.log
	if p.histories.learn(original); !p.warnedOfState && s.New(s.t).State == nil {
		p.warnedOfState = true
		s.warnf("the Service has no State: only the answers are judged, as for handlers that make nothing")
	}
	return p.histories
}

// warnOfOtherTypes warns of the types that the function has handlers for, and no Contract here.
func (s *suite) warnOfOtherTypes() {
	others := slices.DeleteFunc(slices.Clone(s.handler.others), func(name string) bool { return s.Others[name] != nil })
	if len(others) > 0 {
		s.warnf("the function also has handlers of %s, which this Contract does not test: give each a Contract, and add its properties to this one's Others", strings.Join(others, ", "))
	}
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

// created returns the result of a Create of a version, to which other results are then compared.
func (x *explorer) created(word string) *historyResult {
	x.learn(word)
	return x.known(history{{What: word}})
}
