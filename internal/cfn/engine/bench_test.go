package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// layered returns a template of n custom resources in rows of ten, each of
// which refers to two of the row before.
func layered(n, version int) *engine.Template {
	t := &engine.Template{Resources: make([]engine.Resource, n)}
	for i := range n {
		r := &t.Resources[i]
		r.LogicalID, r.Type = fmt.Sprintf("R%03d", i), "Custom::Thing"
		if i >= 10 {
			r.DependsOn = []string{fmt.Sprintf("R%03d", i-10), fmt.Sprintf("R%03d", i-i%10-10+(i+1)%10)}
			if r.DependsOn[0] > r.DependsOn[1] {
				r.DependsOn[0], r.DependsOn[1] = r.DependsOn[1], r.DependsOn[0]
			}
		}
		r.Properties = func(f engine.Refs) (map[string]any, error) {
			p := map[string]any{"ServiceToken": enginetest.Token, "Name": r.LogicalID, "Version": version, "Tags": []any{map[string]any{"Key": "a", "Value": true}}}
			for _, d := range r.DependsOn {
				id, err := f.Ref(d)
				if err != nil {
					return nil, err
				}
				p[d] = id
			}
			return p, nil
		}
	}
	return t
}

// createUpdateDelete creates a stack, updates every resource, and deletes it.
func createUpdateDelete(v1, v2 *engine.Template) error {
	p := &enginetest.Player{Machine: engine.New("shop", engine.Options{}), Now: enginetest.Start, Handler: succeed}
	for _, operation := range []func(*engine.Machine) error{
		func(m *engine.Machine) error { return m.Create(p.Now, engine.Deployment{Template: v1}) },
		func(m *engine.Machine) error { return m.Update(p.Now, engine.Deployment{Template: v2}) },
		func(m *engine.Machine) error { return m.Delete(p.Now, nil, false) },
	} {
		if err := errors.Join(operation(p.Machine), p.Run()); err != nil {
			return err
		}
	}
	if s := p.Machine.Stack(); s.Status != "DELETE_COMPLETE" || len(s.Requests) != 3*len(v1.Resources) {
		return fmt.Errorf("%s after %d requests", s.Status, len(s.Requests))
	}
	return nil
}

// succeed answers every request, an Event's JSON and all.
func succeed(r *engine.Request) []byte {
	_ = r.Event("https://example.com/answer")
	id := r.PhysicalID
	if id == "" {
		id = "id-" + r.LogicalID
	}
	return []byte(`{"Status":"SUCCESS","PhysicalResourceId":"` + id + `","StackId":"` + r.StackID + `","RequestId":"` + r.RequestID +
		`","LogicalResourceId":"` + r.LogicalID + `","Data":{"Key":"value"}}`)
}

// BenchmarkCreateUpdateDelete plays lives of stacks of a size: ns/resource says how the cost grows.
func BenchmarkCreateUpdateDelete(b *testing.B) {
	for _, n := range []int{1, 2, 10, 100, 500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			v1, v2 := layered(n, 1), layered(n, 2)
			b.ReportAllocs()
			for b.Loop() {
				if err := createUpdateDelete(v1, v2); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/resource")
		})
	}
}

// TestCostIsLinear holds the cost of a resource at 500 to at most 1.2 times that
// at 100, in allocations, which unlike time are the same on every machine.
func TestCostIsLinear(t *testing.T) {
	cost := func(n int) float64 {
		v1, v2 := layered(n, 1), layered(n, 2)
		return testing.AllocsPerRun(1, func() {
			if err := createUpdateDelete(v1, v2); err != nil {
				t.Fatal(err)
			}
		}) / float64(n)
	}
	at100, at500 := cost(100), cost(500)
	if at500 > 1.2*at100 {
		t.Errorf("%.0f allocations a resource of 500, %.0f of 100", at500, at100)
	}
}
