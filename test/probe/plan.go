package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

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
	unused := slices.Clone(only) // a text that finds nothing is a slip of the pen
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
	// An operation's requests depend on each other as the former templates say as well, since a
	// deletion goes by those.
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
func dependenciesOf(texts map[string]string, counts func(name string) bool) (dependencies, error) {
	d := dependencies{}
	for name, text := range texts {
		if !counts(name) {
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
		for _, direct := range d {
			for on := range direct {
				for further := range d[on] {
					direct[further] = true
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

// A probe plays scenarios in a world, some at once.
type probe struct {
	*world
	*router
	atOnce int
	begin  func(context.Context) error // makes what the plays need, if there is a need
}

// removal is how long the removal of a stack may take.
const removal = 15 * time.Minute

// playAll plays scenarios, and removes each one's stack. It returns what was seen, in their order.
func (p *probe) playAll(ctx context.Context, plans []*plan, told func(*outcome)) []*outcome {
	all := make([]*outcome, len(plans))
	slots := make(chan struct{}, p.atOnce)
	var wg sync.WaitGroup
	for i, one := range plans {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			all[i] = p.play(ctx, one)
			told(all[i])
		})
	}
	wg.Wait()
	return all
}

func (p *probe) play(ctx context.Context, one *plan) *outcome {
	o := &outcome{plan: one}
	if ctx.Err() != nil {
		o.err = context.Cause(ctx)
		return o
	}
	// The router knows the play before the stack's first request can come.
	playing := newPlay(one, p.world)
	p.add(playing)
	limited, end := context.WithTimeoutCause(ctx, p.limit+time.Duration(one.takes().Seconds()*float64(p.second)), errors.New("it did not come to its end"))
	defer end()
	o.history, o.err = playing.run(limited)
	if o.err == nil {
		o.seen = o.history.text(one.depends)
	}
	playing.mu.Lock()
	o.strayed = playing.strayed
	playing.mu.Unlock()
	// Also after Ctrl-C.
	removing, end := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer end()
	o.err = errors.Join(o.err, p.world.remove(removing, p.router, playing.name))
	return o
}
