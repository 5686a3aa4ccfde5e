package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// A misplaced value is the error of a template about one of its values.
type misplaced struct{}

func (misplaced) Error() string  { return "t.yaml:9:1: /Resources/Last: there is no value" }
func (misplaced) Reason() string { return "there is no value" }
func (misplaced) Place() string  { return "t.yaml:9:1: /Resources/Last" }

// TestPlaceIsInNoEvent: the place of a value is beside the row that it is about, also
// where patches keep it, and in no event.
func TestPlaceIsInNoEvent(t *testing.T) {
	for name, fail := range map[string]func(*engine.Template){
		"a resource": func(d *engine.Template) {
			d.Resources[1].Properties = func(engine.Refs) (map[string]any, error) { return nil, misplaced{} }
		},
		"an output": func(d *engine.Template) {
			d.Outputs = []engine.Output{{Name: "Out", Value: func(engine.Refs) (any, error) { return nil, misplaced{} }}}
		},
	} {
		for _, preserve := range []bool{false, true} {
			template := layered(3, 1)
			template.Resources[1].DependsOn = []string{"R000"} // while the third is waited for
			fail(template)
			m := engine.New("shop", engine.Options{})
			var k patchedStack
			err := m.Create(enginetest.Start, engine.Deployment{Template: template, DisableRollback: preserve})
			for i := 1; err == nil && !m.Stack().AtRest(); i++ {
				if err = k.keep(m); err == nil {
					q := m.Pending()[0]
					m.Answer(enginetest.Start.Add(time.Duration(i)*time.Second), q.RequestID, succeed(q))
				}
			}
			if err == nil {
				err = k.keep(m)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var placed []string
			for _, row := range k.saved.Rows(nil) {
				if row.Place != "" {
					placed = append(placed, row.Why())
				}
				if strings.Contains(row.ResourceStatusReason, "t.yaml") {
					t.Errorf("%s, preserved %v: an event has a place: %s", name, preserve, row.ResourceStatusReason)
				}
			}
			if len(placed) != 1 || !strings.HasPrefix(placed[0], "there is no value") || !strings.HasSuffix(placed[0], " (t.yaml:9:1: /Resources/Last)") {
				t.Errorf("%s, preserved %v: %q", name, preserve, placed)
			}
		}
	}
}
