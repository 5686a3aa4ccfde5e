// Package dependency orders what needs each other within a template, and reports circles.
package dependency

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Graph is who needs whom, with the place of each need.
type Graph struct {
	order []string // in the order of the file
	needs map[string][]Need
}

// Need is what one needs, and the place that says so.
type Need struct {
	Name string
	At   *source.Node
}

// Add adds a name, in the order in which circles are looked for.
func (g *Graph) Add(name string) { g.order = append(g.order, name) }

// Need adds that one name needs another.
func (g *Graph) Need(from, to string, at *source.Node) {
	if g.needs == nil {
		g.needs = map[string][]Need{}
	}
	if !slices.ContainsFunc(g.needs[from], func(n Need) bool { return n.Name == to }) {
		g.needs[from] = append(g.needs[from], Need{to, at})
	}
}

// Of is what one needs, each once.
func (g *Graph) Of(name string) []Need { return g.needs[name] }

// ReportCycle reports each circle once, with the names along it and the place that closes it.
func (g *Graph) ReportCycle(r *source.Report, what string) {
	done, onPath := map[string]bool{}, map[string]bool{}
	var path []string
	var visit func(name string)
	visit = func(name string) {
		if done[name] {
			return
		}
		path, onPath[name] = append(path, name), true
		for _, n := range g.needs[name] {
			if onPath[n.Name] {
				circle := append(slices.Clone(path[slices.Index(path, n.Name):]), n.Name)
				r.Errorf(n.At, "circular dependency between %s: %s; remove one of these references", what, shortened(circle))
				continue
			}
			visit(n.Name)
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
