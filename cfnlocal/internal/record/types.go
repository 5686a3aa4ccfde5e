package record

import (
	"encoding/json"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Type is a registered resource type whose handlers run here.
type Type struct {
	// Command is what runs its handlers, or the directory of their Go program.
	Command string
	// File has its schema, if it is not asked for: absolute.
	File string `json:",omitempty"`
	// Schema is the schema at the time of the deployment.
	Schema json.RawMessage `json:",omitempty"`
}

// A TypeError is a registered type that cannot be used here.
type TypeError struct {
	Type string
	Err  error
}

func (e *TypeError) Error() string { return "the type " + e.Type + ": " + e.Err.Error() }

// Unwrap is what is wrong.
func (e *TypeError) Unwrap() error { return e.Err }

// Read parses the schema, which must be that of the named type.
func (t Type) Read(name string) (*schema.Schema, *engine.ResourceType, error) {
	s, err := schema.Read(t.Schema)
	if err != nil {
		return nil, nil, err
	}
	if s.TypeName != name {
		return nil, nil, fmt.Errorf("the schema is that of %s", s.TypeName)
	}
	played, err := s.Registered()
	return s, played, err
}

// DeploymentOfType returns the newest deployment that has the type, or nil. It does
// not change while an update is rolled back.
func (r *Record) DeploymentOfType(name string) *Deployment {
	for _, d := range []*Deployment{r.Next, r.Deployments[r.Stack.Target], r.Deployments[r.Stack.Stable]} {
		if d != nil && d.Types[name].Schema != nil {
			return d
		}
	}
	return nil
}

func (r *Record) types() (map[string]*engine.ResourceType, error) {
	all := map[string]*engine.ResourceType{}
	for _, d := range []*Deployment{r.Next, r.Deployments[r.Stack.Target], r.Deployments[r.Stack.Stable]} {
		if d == nil {
			continue
		}
		for name := range d.Types {
			if all[name] != nil || r.DeploymentOfType(name) != d {
				continue
			}
			_, t, err := d.Types[name].Read(name)
			if err != nil {
				return nil, &TypeError{name, err}
			}
			all[name] = t
		}
	}
	return all, nil
}
