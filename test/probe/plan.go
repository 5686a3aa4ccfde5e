package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// A plan is a scenario with what the engine says of it.
type plan struct {
	*enginetest.Scenario
	depends depends
	run     *enginetest.Run   // under what is assumed
	said    map[string]string // by the ways that are taken for true
}

// readPlans reads the scenarios in a directory whose names contain one of the texts. Each text
// has to be in a name.
func readPlans(dir string, only []string) ([]*plan, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there are no scenarios in %s: call it in the repository's root, or with -scenarios", dir)
	}
	var all []*plan
	unused := slices.Clone(only)
	for _, file := range files {
		s, err := enginetest.ReadScenario(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		isIn := func(text string) bool { return strings.Contains(s.Name, text) }
		if len(only) > 0 && !slices.ContainsFunc(only, isIn) {
			continue
		}
		unused = slices.DeleteFunc(unused, isIn)
		p, err := newPlan(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, p)
	}
	if len(unused) > 0 {
		return nil, fmt.Errorf("no scenario's name contains %s", strings.Join(unused, " or "))
	}
	return all, nil
}

func newPlan(s *enginetest.Scenario) (p *plan, err error) {
	p = &plan{Scenario: s, said: map[string]string{}}
	if p.depends, err = dependsOf(s); err != nil {
		return nil, err
	}
	// The options of the scenario are another way, which nobody can ask CloudFormation for.
	p.run, err = s.Play(engine.Options{}, nil)
	return p, err
}

// expected is what the engine says if some ways are taken for true, or "" if they lead nowhere.
func (p *plan) expected(ways ...engine.Assumption) string {
	key := fmt.Sprint(ways)
	text, known := p.said[key]
	if known {
		return text
	}
	var o engine.Options
	for _, a := range ways {
		a.Set(&o)
	}
	if run, err := p.Play(o, nil); err == nil {
		h := played(run)
		text = h.text(p.depends)
	}
	p.said[key] = text
	return text
}
