package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// graph is who needs whom, with the place of each need.
type graph struct {
	order []string // in the order of the file
	needs map[string][]need
	known map[[2]string]bool // the needs again, to keep each once
}

type need struct {
	name string
	at   *source.Node
}

func newGraph() *graph {
	return &graph{needs: map[string][]need{}, known: map[[2]string]bool{}}
}

func (g *graph) add(name string) { g.order = append(g.order, name) }

func (g *graph) edge(from, to string, at *source.Node) {
	if pair := [2]string{from, to}; !g.known[pair] {
		g.known[pair] = true
		g.needs[from] = append(g.needs[from], need{to, at})
	}
}

// reportCycle reports each circle once, with the names along it and the place that closes it.
func (g *graph) reportCycle(r *source.Report, what string) {
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
