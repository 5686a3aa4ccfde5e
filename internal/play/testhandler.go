package play

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/capture"
)

// TestHandler is cfntest's.
func TestHandler(t *testing.T, c Contract) {
	t.Helper()
	if err := c.check(t); err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	// The checks, in their order: what one has learned, those after it need not play.
	defer collectLess()()
	prior := newPriorResults()
	for k := range asked(t, c, prior) {
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

	warnedOfState bool // that there is none

	calibration *calibration // nil at first
	made        sync.Map     // properties by version
	histories   *explorer    // plays those of all checks; nil at first
}

func newPriorResults() *priorResults {
	return &priorResults{failed: map[string]bool{}}
}

// calibrated returns the Contract whose State shows only what it should.
func (p *priorResults) calibrated(t *testing.T, c Contract) Contract {
	if p.calibration == nil {
		p.calibration = calibrate(t, c, t.Name())
	}
	return p.calibration.contract(c)
}

// asked yields the checks that apply to the function. It finds out only when that matters whether the
// function continues, since go test -run may run a check alone.
func asked(t *testing.T, c Contract, prior *priorResults) iter.Seq[*check] {
	continues := sync.OnceValue(func() (does bool) {
		k := check{plays: func(s *suite) error {
			does = s.explorer().known(history{{What: original}}).continues
			return nil
		}}
		_, _ = k.runOnce(t, prior.calibrated(t, c), prior)
		return does
	})
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
	// What the author skips is not played at all.
	if reason, ok := c.Skip[k.name]; ok {
		r.outcome, r.text = skipped, reason
		return r
	}

	c = prior.calibrated(t, c)

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
	switch {
	case err == nil:
		r.outcome = passed
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

// runOnce runs a check once. Each history that it plays has a bubble of its own, unless it is in real time.
func (k *check) runOnce(t *testing.T, c Contract, prior *priorResults) (s *suite, err error) {
	c.made = &prior.made
	c.learnHandlerType(t)
	s = &suite{Contract: c, t: t, prior: prior, log: capture.Start()}
	defer s.log.Release()
	capture.WithLabel(t.Name(), func() { err = k.evaluate(s) })
	return s, err
}

func (k *check) evaluate(s *suite) error {
	if what := s.missing(k.needs); what != "" {
		return missingError(what)
	}
	if k.plays != nil {
		return k.plays(s)
	}
	return s.playLines(k)
}

// A suite is the run of one check.
type suite struct {
	Contract

	t     *testing.T // of the check that is run
	prior *priorResults

	log      *capture.Log
	warnings []string
}

func (s *suite) warnf(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// allNeeds says of each need what a user calls it, whether it is met, and what to do if it is not.
var allNeeds = []struct {
	need  need
	name  string
	isMet func(s *suite, service Service) bool
	asks  string
}{
	{needInPlace, "`InPlace`", func(s *suite, _ Service) bool { return s.InPlace != nil }, "set the Contract's InPlace"},
	{needReplacing, "`Replacing`", func(s *suite, _ Service) bool { return s.Replacing != nil }, "set the Contract's Replacing"},
	{needUse, "`Use`", func(_ *suite, service Service) bool { return service.Use != nil }, "set the Service's Use, if users can put something into a thing"},
	{needEffects, "`Effects`", func(_ *suite, service Service) bool { return service.Effects != nil }, "set the Service's Effects, if the handler has effects that cannot be undone, such as mails"},
	{needBefore, "`Before`", func(s *suite, _ Service) bool { return s.hasBefore(s.t) }, "set the Service's Before, if the handler takes over things that another program made"},
	{needContinue, "`Options.Continue`", isInVirtualTime, "it would take too long in real time"},
	{needVirtualTime, "virtual time", isInVirtualTime, "it would take too long in real time"},
	{needState, "`State`", func(_ *suite, service Service) bool { return service.State != nil }, "the Service has no State, so nothing shows what the handler does"},
}

func isInVirtualTime(s *suite, _ Service) bool { return !s.RealTime }

// missing says what a check needs and the Contract does not have, or "".
func (s *suite) missing(n need) string {
	service := s.New(s.t)
	for _, one := range allNeeds {
		if n&one.need == 0 {
			continue
		}
		if !one.isMet(s, service) {
			return one.asks
		}
	}
	return ""
}

// given returns the properties that the Contract has.
func given(props ...any) []any {
	return slices.DeleteFunc(props, func(p any) bool { return p == nil })
}
