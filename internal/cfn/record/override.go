package record

import (
	"cmp"
	"errors"
)

// An Override replaces what deployments say of a stack's service and of its
// functions' environment.
type Override struct {
	Service *string // nil is the one that is remembered
	Ready   string
	Env     map[string]string
}

// ErrNoService is returned for an Override that has Ready but leaves no service.
var ErrNoService = errors.New("--run-ready says where the service of --run answers, and there is no service")

// Apply returns copies of deployments with the override.
func (o Override) Apply(all map[int]*Deployment) (map[int]*Deployment, error) {
	changed := map[int]*Deployment{}
	for revision, d := range all {
		one := *d
		if o.Service != nil {
			one.Service, one.Ready = *o.Service, ""
		}
		one.Ready, one.Env = cmp.Or(o.Ready, one.Ready), merged(one.Env, o.Env)
		if o.Ready != "" && one.Service == "" {
			return nil, ErrNoService
		}
		changed[revision] = &one
	}
	return changed, nil
}
