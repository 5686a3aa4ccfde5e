package dependency_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/template/dependency"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// Each row is who needs whom, and the circles that are reported.
func TestReportCycle(t *testing.T) {
	for _, tt := range []struct {
		needs string
		want  []string
	}{
		{"A B, B C, A C", nil},
		{"A A", []string{"A -> A"}},
		{"A B, B A", []string{"A -> B -> A"}},
		{"A B, B C, C B", []string{"B -> C -> B"}},
		{"A B, B A, C D, D C", []string{"A -> B -> A", "C -> D -> C"}},
		{"A B, B C, C A, B A", []string{"A -> B -> C -> A", "A -> B -> A"}},
		{"A B, B A, C A", []string{"A -> B -> A"}},
		{"A elsewhere", nil},
	} {
		var g dependency.Graph
		for _, name := range []string{"A", "B", "C", "D"} {
			g.Add(name)
		}
		for need := range strings.SplitSeq(tt.needs, ", ") {
			from, to, _ := strings.Cut(need, " ")
			g.Need(from, to, &source.Node{})
		}
		r := &source.Report{}
		g.ReportCycle(r, "resources")
		if len(r.Errors) != len(tt.want) {
			t.Errorf("%s: %v, want %q", tt.needs, r.Err(), tt.want)
			continue
		}
		for i, err := range r.Errors {
			if !strings.Contains(err.Text, "between resources: "+tt.want[i]+";") {
				t.Errorf("%s: %s, want %s", tt.needs, err.Text, tt.want[i])
			}
		}
	}
}

// What is needed twice is one need, at the place of the first.
func TestOf(t *testing.T) {
	var g dependency.Graph
	first := &source.Node{Name: "first"}
	g.Need("A", "B", first)
	g.Need("A", "B", &source.Node{Name: "second"})
	g.Need("A", "C", first)
	if got := g.Of("A"); len(got) != 2 || got[0] != (dependency.Need{Name: "B", At: first}) || got[1].Name != "C" || g.Of("B") != nil {
		t.Errorf("%v", got)
	}
}

// A circle of any length has a message that can be read.
func TestALongCircle(t *testing.T) {
	var g dependency.Graph
	for i := range 1000 {
		g.Add(fmt.Sprint("N", i))
		g.Need(fmt.Sprint("N", i), fmt.Sprint("N", (i+1)%1000), &source.Node{})
	}
	r := &source.Report{}
	g.ReportCycle(r, "resources")
	if len(r.Errors) != 1 || len(r.Errors[0].Text) > 300 || !strings.Contains(r.Errors[0].Text, "N0 -> N1 ") || !strings.Contains(r.Errors[0].Text, " -> N999 -> N0;") {
		t.Errorf("%v", r.Err())
	}
}
