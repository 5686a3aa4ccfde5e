package describe

import (
	"context"
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/provider"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
)

// Types reads the schemas of a deployment's types from their files, or else asks their
// functions. What is wrong with one is a *record.TypeError.
func Types(ctx context.Context, d *record.Deployment, programs map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(d.Types)) {
		t := d.Types[name]
		var err error
		if t.File != "" {
			t.Schema, err = record.ReadFile(t.File)
		} else {
			t.Schema, err = Schema(ctx, provider.TypeFunction(d, name, programs))
		}
		if err == nil {
			_, _, err = t.Read(name)
		}
		if err != nil {
			return &record.TypeError{Type: name, Err: err}
		}
		d.Types[name] = t
	}
	return nil
}
