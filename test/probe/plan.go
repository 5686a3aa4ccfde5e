package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/internal/cfn/reading"
)

// A plan is a scenario with what the engine says of it.
type plan struct {
	*enginetest.Scenario
	depends  depends
	run      *enginetest.Run // under what is assumed
	expected string
	others   []other
}

// An other is what the engine says under another way of a reading, if that is not what it
// says under what is assumed.
type other struct {
	reading.Assumption
	expected string
}

// readPlans reads the scenarios in a directory whose names contain one of the texts.
func readPlans(dir string, only []string) ([]*plan, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there are no scenarios in %s: call it in the repository's root, or with -scenarios", dir)
	}
	var all []*plan
	for _, file := range files {
		s, err := enginetest.ReadScenario(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(only) > 0 && !slices.ContainsFunc(only, func(text string) bool { return strings.Contains(s.Name, text) }) {
			continue
		}
		p, err := newPlan(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func newPlan(s *enginetest.Scenario) (p *plan, err error) {
	p = &plan{Scenario: s}
	if p.depends, err = dependsOf(s); err != nil {
		return nil, err
	}
	// The options of the scenario are another way, which nobody can ask CloudFormation for.
	if p.run, err = s.Play(engine.Options{}, nil); err != nil {
		return nil, err
	}
	h := played(p.run)
	p.expected = h.text(p.depends)
	for _, a := range reading.Others() {
		var o engine.Options
		a.Set(&o)
		run, err := s.Play(o, nil)
		if err != nil { // that way nothing comes of it
			continue
		}
		h := played(run)
		if text := h.text(p.depends); text != p.expected {
			p.others = append(p.others, other{a, text})
		}
	}
	return p, nil
}
