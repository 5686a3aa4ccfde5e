package play

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// What is played once for all checks, and what is learned of it.

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
	if !r.History.isChanged() {
		x.out.answers.merge(r.answers)
		if r.hasSecrets {
			x.hasSecrets = true
		}
	}
	if _, at := r.History.faulty(); at < 0 {
		x.learned.effects[line], x.learned.dataAfter[line] = r.effects, r.told
	}
}

// learnStates records the state to which a Create of each version leads, and of those with changes in some operations.
// If one does harm, it returns the finding, since no history can be judged then.
func (x *explorer) learnStates(changed ...operation) *finding {
	all := append(history{{What: original}, {What: inPlace}, {What: replacing}}, changed...)
	for _, version := range history(changed).versionsBeside() {
		all = append(all, operation{What: version})
	}
	for _, op := range all {
		if op.What == refused || op.What == notUpdatable || x.c.version(op.What) == nil {
			continue
		}
		f := x.learn(op.What)
		if use := history(changed).use(); f == nil && use != "" {
			f = x.learn(op.What + " " + use)
		}
		if f != nil {
			return f
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
