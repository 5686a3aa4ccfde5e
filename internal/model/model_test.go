package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// TestModel plays every short history against handlers of every kind, and
// demands that the harm found is what the kind's limits name: no more, and no
// less, so that the list cannot rot.
func TestModel(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, k.test)
		})
	}
}

func (k *kind) test(t *testing.T) {
	findings, played := k.explore(testing.Short())
	unknown := 0
	met := map[string]bool{}
	for _, f := range findings {
		if name := f.limit(k); name != "" {
			met[name] = true
			if !slices.Contains(k.limits, name) {
				k.report(t, f, "is a limit of other kinds: "+name)
			}
		} else if unknown++; unknown <= 3 {
			k.report(t, f, "is not known")
		}
	}
	for _, name := range k.limits {
		if !met[name] {
			t.Errorf("known not to hold, and found to hold: %s. Take it off the list, or play the history that shows it.", name)
		}
	}
	t.Logf("%d histories, %d of them with harm, %d of that not known", played, len(findings), unknown)
}

// report tells the story of a finding.
func (k *kind) report(t *testing.T, f finding, what string) {
	t.Helper()
	s, _, _ := k.play(f.history, f.reading, f.warm, true)
	t.Errorf("%v %s.\n%v:\n%s", f.harms, what, f, strings.Join(s.w.told, "\n"))
}

// A finding is a history that does harm.
type finding struct {
	history []step
	at      int // the step that does it, counted from 1; the stack's deletion is one more
	reading reading
	warm    bool
	harms   []harm
}

// last is the step that did harm.
func (f finding) last() step {
	if f.at > len(f.history) {
		return step{op: remove}
	}
	return f.history[f.at-1]
}

func (f finding) String() string {
	steps := make([]string, len(f.history))
	for i, st := range f.history {
		steps[i] = st.String()
	}
	processes := "each event in a new process"
	if f.warm {
		processes = "one warm process"
	}
	return fmt.Sprintf("%s (%v; %s)", strings.Join(steps, "; "), f.reading, processes)
}

// play plays a history until it does harm, and returns how many of its steps
// that took.
func (k *kind) play(history []step, r reading, warm, telling bool) (s *stack, found []harm, at int) {
	w := &world{telling: telling}
	if k.taken != "" {
		w.put(thing{name: k.taken, state: stranger, has: &properties{}})
	}
	s = &stack{lambda: &lambda{k: k, w: w, warm: warm}, reading: r}
	if k.phase {
		s.phase = func(o *cfnresource.Options) { o.Phase = s.why }
	}
	for _, st := range append(slices.Clip(history), step{op: remove}) {
		at++
		s.play(st)
		s.audit()
		if len(w.harms) == 0 && s.comeAgain() && s.steady() {
			s.audit()
		}
		if len(w.harms) > 0 {
			break
		}
	}
	slices.Sort(w.harms)
	return s, slices.Compact(w.harms), at
}

// explore plays all histories but those that begin with one that does harm:
// with a new process for each event and with one that stays, and in each
// reading of what CloudFormation does, where it comes to that. A short
// exploration leaves out the process that stays, and the longer histories.
func (k *kind) explore(short bool) (findings []finding, played int) {
	readings := []reading{pointsBack, updates, keeps}
	for _, warm := range []bool{false, true} {
		if warm && short {
			break
		}
		harmful := map[beginning]bool{}
		for _, h := range histories(k.long && !short && !warm) {
			if !warm && slices.ContainsFunc(h, step.needsWarmth) {
				continue
			}
			for _, r := range readings {
				if harmful[begins(h, 1, r)] || harmful[begins(h, 2, r)] {
					continue
				}
				s, harms, at := k.play(h, r, warm, false)
				played++
				if len(harms) > 0 {
					findings = append(findings, finding{h, at, r, warm, harms})
					for _, same := range readings {
						if at <= len(h) && (same == r || !s.forked) {
							harmful[begins(h, at, same)] = true
						}
					}
				}
				if !s.forked {
					break
				}
			}
		}
	}
	return findings, played
}

// A beginning is the first steps of a history in one reading.
type beginning struct {
	steps   [3]step
	reading reading
}

func begins(history []step, n int, r reading) (b beginning) {
	copy(b.steps[:], history[:min(n, len(history))])
	b.reading = r
	return b
}
