package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// dependencyGraph is who needs whom, with the place of each need.
type dependencyGraph struct {
	order []string // in the order of the file
	needs map[string][]dependency
}

// dependency is what one needs, and the place that says so.
type dependency struct {
	name string
	at   *source.Node
}

// add adds a name, in the order in which circles are looked for.
func (g *dependencyGraph) add(name string) { g.order = append(g.order, name) }

// need adds that one name needs another.
func (g *dependencyGraph) need(from, to string, at *source.Node) {
	if g.needs == nil {
		g.needs = map[string][]dependency{}
	}
	if !slices.ContainsFunc(g.needs[from], func(n dependency) bool { return n.name == to }) {
		g.needs[from] = append(g.needs[from], dependency{to, at})
	}
}

// of is what one needs, each once.
func (g *dependencyGraph) of(name string) []dependency { return g.needs[name] }

// reportCycle reports each circle once, with the names along it and the place that closes it.
func (g *dependencyGraph) reportCycle(r *source.Report, what string) {
	done, onPath := map[string]bool{}, map[string]bool{}
	var path []string
	var visit func(name string)
	visit = func(name string) {
		if done[name] {
			return
		}
		path, onPath[name] = append(path, name), true
		for _, n := range g.needs[name] {
			if onPath[n.name] {
				circle := append(slices.Clone(path[slices.Index(path, n.name):]), n.name)
				r.Errorf(n.at, "circular dependency between %s: %s; remove one of these references", what, shortened(circle))
				continue
			}
			visit(n.name)
		}
		path, onPath[name], done[name] = path[:len(path)-1], false, true
	}
	for _, name := range g.order {
		visit(name)
	}
}

// shortened is the names along a circle, without the middle of a very long one.
func shortened(circle []string) string {
	const most = 20
	if len(circle) > most {
		circle = slices.Concat(circle[:most/2], []string{"…"}, circle[len(circle)-most/2:])
	}
	return strings.Join(circle, " -> ")
}
