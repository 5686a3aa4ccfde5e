package main

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// A line of a history is about a resource, by its path, or about all of them. One about the
// removal of something has its physical ID.
type line struct {
	about, removed, text string
	among                dependencies
}

// dependencies are the logical IDs on which each one depends, also through others.
type dependencies map[string]map[string]bool

// depends are the dependencies of a scenario's templates: all, and of what has been deployed
// before the end of each step.
type depends struct {
	all dependencies
	of  []dependencies
}

func dependsOf(s *enginetest.Scenario) (d depends, err error) {
	deployed := map[string]bool{}
	nested := func(name string) bool { return deployed[name] || !strings.HasPrefix(name, "v") }
	for i := -1; i < len(s.Steps); i++ {
		if i >= 0 {
			if s.Steps[i].Breaks || s.Steps[i].Action == "drain" {
				continue
			}
			deployed[s.Steps[i].Template] = true
		}
		one, err := dependenciesOf(s.Texts, nested)
		if err != nil {
			return d, err
		}
		d.of = append(d.of, one)
	}
	d.all, err = dependenciesOf(s.Texts, func(string) bool { return true })
	return d, err
}

// dependenciesOf are those of templates, taken together.
func dependenciesOf(texts map[string]string, of func(name string) bool) (dependencies, error) {
	d := dependencies{}
	for name, text := range texts {
		if !of(name) {
			continue
		}
		t, err := enginetest.ParseTemplate(text)
		if err != nil {
			return nil, err
		}
		for _, r := range t.Resources {
			if d[r.LogicalID] == nil {
				d[r.LogicalID] = map[string]bool{}
			}
			for _, on := range r.DependsOn {
				d[r.LogicalID][on] = true
			}
		}
	}
	for range d { // a chain is not longer than there are resources
		for _, of := range d {
			for on := range of {
				for further := range d[on] {
					of[further] = true
				}
			}
		}
	}
	return d, nil
}

// ordered reports whether the order of two lines means something.
func ordered(a, b line) bool {
	switch {
	case a.about == "" || b.about == "":
		return true
	case a.about == b.about:
		return a.removed == b.removed || a.removed == "" || b.removed == ""
	}
	d := a.among
	x, y := strings.Split(a.about, "."), strings.Split(b.about, ".")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return d[x[i]][y[i]] || d[y[i]][x[i]]
		}
	}
	return true // the one, or a stack that it is in
}

// normal returns the lines in the first order, by the alphabet, that differs from theirs
// only where that means nothing.
func normal(lines []line) (out []line) {
	lines = slices.Clone(lines)
	for len(lines) > 0 {
		next := 0
		for i := range lines {
			free := !slices.ContainsFunc(lines[:i], func(before line) bool { return ordered(before, lines[i]) })
			if free && lines[i].text < lines[next].text {
				next = i
			}
		}
		out = append(out, lines[next])
		lines = slices.Delete(lines, next, next+1)
	}
	return out
}
