package play

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// TestHandler is cfntest's.
func TestHandler(t *testing.T, c Contract) {
	t.Helper()
	if err := c.check(); err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	known := known{failed: map[string]bool{}}
	for i := range checks {
		k := &checks[i]
		if !k.concerns(known) {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			r := k.ask(t, c, &known)
			for _, warning := range r.warnings {
				t.Log(warning)
			}
			switch r.outcome {
			case failed:
				t.Error(r.text)
				if r.log != "" {
					t.Logf("the log ends with\n%s", r.log)
				}
			case skipped, unjudged:
				t.Skip(r.text)
			}
		})
	}
}

// runChecks asks all checks, whatever the answers. A check that fails does not
// fail t.
func runChecks(t *testing.T, c Contract) (results []result) {
	known := known{failed: map[string]bool{}}
	for i := range checks {
		if checks[i].concerns(known) {
			results = append(results, checks[i].ask(t, c, &known))
		}
	}
	return results
}

// A known is what the checks before one have shown.
type known struct {
	failed    map[string]bool // checks, by name
	continues bool            // the function does
}

// concerns reports whether a check is about such a function.
func (k *check) concerns(known known) bool { return k.needs&needContinue == 0 || known.continues }

// A result is the answer to a check.
type result struct {
	name     string
	outcome  outcome
	text     string // why
	warnings []string
	log      string // the end of what was logged, if it failed
}

type outcome string

const (
	passed   outcome = "passed"
	failed   outcome = "failed"
	skipped  outcome = "skipped"  // on request, or the Contract lacks what it needs
	unjudged outcome = "unjudged" // another check has failed for what keeps this one from its question
)

// ask asks a check. Where the one that it builds on has failed, it does not fail
// too.
func (k *check) ask(t *testing.T, c Contract, known *known) result {
	r := result{name: k.name}
	if reason, ok := c.Skip[k.name]; ok {
		r.outcome, r.text = skipped, reason
		return r
	}
	s, err := k.play(t, c)
	for range confirmations(c) {
		if err == nil || errors.As(err, new(lackingError)) {
			break
		}
		first := err
		if s, err = k.play(t, c); err == nil {
			s.warn("it failed, and did not when it was played again: the machine was busy, or it depends on chance: %v", first)
		}
	}
	r.warnings = s.warnings
	known.continues = known.continues || s.continues
	var lacks lackingError
	var early unjudgedError
	switch {
	case err == nil:
		r.outcome = passed
	case errors.As(err, &early) && known.failed[checks[0].name]:
		r.outcome, r.text = unjudged, "says nothing while "+checks[0].name+" fails: "+early.why
	case errors.As(err, &lacks):
		r.outcome, r.text = skipped, lacks.what
	default:
		r.outcome, r.text = failed, k.report(err)
		if b, ok := errors.AsType[*broken](err); ok {
			r.log = b.log
		}
		known.failed[k.name] = true
		for name := k.after; name != "" && r.outcome == failed; name = checkNamed(name).after {
			if known.failed[name] {
				r.outcome, r.text = unjudged, "says nothing while "+name+" fails"
			}
		}
	}
	return r
}

// checkNamed returns the check of a name, or nil.
func checkNamed(name string) *check {
	i := slices.IndexFunc(checks, func(k check) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &checks[i]
}

// confirmations are how often what fails is played again before it is told: in
// real time a busy machine can wake a process too late.
func confirmations(c Contract) int {
	if c.RealTime {
		return 2
	}
	return 0
}

// play has a check play what it asks about.
func (k *check) play(t *testing.T, c Contract) (s *suite, err error) {
	s = &suite{Contract: c, t: t, log: capture()}
	defer s.log.release()
	labelled(t.Name(), func() {
		if c.RealTime {
			err = k.run(s)
			return
		}
		blocked := bubble(t, func(t *testing.T) {
			s.t = t
			err = k.run(s)
		})
		err = cmp.Or(err, blocked)
	})
	return s, err
}

func (k *check) run(s *suite) error {
	if add := s.missing(k.needs); add != "" {
		return lacking(add)
	}
	if k.needs&needContinue != 0 && s.RealTime {
		return lacking("it would last, in real time")
	}
	if k.needs&needState != 0 && s.play().service.State == nil {
		return lacking("the Service has no State: there is nothing to look at")
	}
	return k.answer(s)
}

// check returns what is wrong with a Contract.
func (c *Contract) check() error {
	if c.New == nil {
		return errors.New("the Contract has no New: return a Service, with the Function that is tested")
	}
	if c.Properties == nil {
		return errors.New("the Contract has no Properties: set those of a valid resource, or struct{}{} if it takes none")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Skip)) {
		if checkNamed(name) == nil {
			return fmt.Errorf("the Contract's Skip has %q, and there is no check of that name", name)
		}
		if c.Skip[name] == "" {
			return fmt.Errorf("the Contract skips %q without a reason", name)
		}
	}
	return nil
}
