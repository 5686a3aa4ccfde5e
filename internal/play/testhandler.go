package play

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// TestHandler is cfntest's.
func TestHandler(t *testing.T, c Contract) {
	t.Helper()
	if err := c.check(t); err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	defer collectLess()()
	prior := newPriorResults()
	for k := range asked(t, c) {
		t.Run(k.name, func(t *testing.T) {
			r := k.run(t, c, prior)
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

// A priorResults holds the results of earlier checks that later ones need.
type priorResults struct {
	failed map[string]bool // checks, by name
	seen   map[string]any  // states of things just made, and numbers of steps: they are always the same

	warnedOfState bool // that there is none

	calibration *calibration // nil at first
	made        sync.Map     // properties by version
	histories   *explorer    // plays those of all checks; nil at first
}

func newPriorResults() *priorResults {
	return &priorResults{failed: map[string]bool{}, seen: map[string]any{}}
}

// asked yields the checks that apply to the function. It finds out only when that matters whether the
// function continues, since go test -run may run a check alone.
func asked(t *testing.T, c Contract) iter.Seq[*check] {
	known, does := false, false
	continues := func() bool {
		if !known {
			known = true
			k := check{verify: func(s *suite) error {
				r := s.play(s.deletes(), nil)
				does = r.stack.Continues()
				return r.err
			}}
			_, _ = k.runOnce(t, c, newPriorResults()) // its error is what create-delete says
		}
		return does
	}
	return func(yield func(*check) bool) {
		for i := range checks {
			k := &checks[i]
			isPlayed := k.needs&needContinue == 0 || continues()
			if isPlayed && !yield(k) {
				return
			}
		}
	}
}

// A result is the result of a check.
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
	unjudged outcome = "unjudged" // an earlier check has failed, without which this one says nothing
)

// run runs a check. If a check that it builds on has failed, the result is unjudged.
func (k *check) run(t *testing.T, c Contract, prior *priorResults) result {
	r := result{name: k.name}
	if reason, ok := c.Skip[k.name]; ok {
		r.outcome, r.text = skipped, reason
		return r
	}

	if prior.calibration == nil {
		prior.calibration = calibrate(t, c, t.Name())
	}
	c = prior.calibration.contract(c)

	// A check that fails in real time is played again, since the machine may have been busy.
	s, err := k.runOnce(t, c, prior)
	for range reruns(c) {
		if err == nil || errors.As(err, new(missingError)) {
			break
		}
		first := err
		if s, err = k.runOnce(t, c, prior); err == nil {
			s.warnf("the check failed, and passed when played again: the machine was busy, or it depends on chance: %v", first)
		}
	}

	// The outcome. A failure after that of a check that it builds on says nothing.
	r.warnings = s.warnings
	var lacks missingError
	var early unjudgedError
	switch {
	case err == nil:
		r.outcome = passed
	case errors.As(err, &early) && prior.failed[checks[0].name]:
		r.outcome, r.text = unjudged, "says nothing while "+checks[0].name+" fails: "+string(early)
	case errors.As(err, &lacks):
		r.outcome, r.text = skipped, string(lacks)
	default:
		r.outcome, r.text = failed, k.report(err)
		if b, ok := errors.AsType[*ruleError](err); ok {
			r.log = b.log
		}
		prior.failed[k.name] = true
		for name := k.after; name != "" && r.outcome == failed; name = checkNamed(name).after {
			if prior.failed[name] {
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

// reruns is how often a check that fails is run again before it counts: in
// real time a busy machine can wake a process too late.
func reruns(c Contract) int {
	if c.RealTime {
		return 2
	}
	return 0
}

// runOnce runs a check once, in a bubble unless it is in real time.
func (k *check) runOnce(t *testing.T, c Contract, prior *priorResults) (s *suite, err error) {
	c.made = &prior.made
	c.learnHandlerType(t)
	s = &suite{Contract: c, t: t, prior: prior, log: capture.Start()}
	defer s.log.Release()
	capture.WithLabel(t.Name(), func() {
		if c.RealTime || k.verify == nil { // each history has a bubble of its own
			err = k.evaluate(s)
			return
		}
		blocked := simulate.Bubble(t, func(t *testing.T) {
			s.t = t
			err = k.evaluate(s)
		})
		err = cmp.Or(err, blocked)
	})
	return s, err
}

func (k *check) evaluate(s *suite) error {
	if what := s.missing(k.needs); what != "" {
		return missingError(what)
	}
	switch {
	case k.plays != nil:
		return k.plays(s)
	case k.verify != nil:
		return k.verify(s)
	}
	return s.playLines(k)
}
