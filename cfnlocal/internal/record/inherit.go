package record

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// Inherit fills a deployment's unset options from the stack's previous deployment: values of
// parameters that the template still has, commands, environment variables, substitutes for AWS and
// for other stacks, and the service. The service is inherited from a deleted stack, too. AWS's own
// clients keep parameter values in the same way.
func (d *Deployment) Inherit(r *Record) {
	d.noteGiven()
	former := r.Deployments[r.Stack.Target]
	if former == nil {
		return
	}
	d.Service, d.Ready = cmp.Or(d.Service, former.Service), cmp.Or(d.Ready, former.Ready)
	if r.Stack.Deleted() {
		return
	}
	t, err := template.Parse(d.File, []byte(d.Body))
	if err != nil {
		return // to plan it tells of that, with the file's shorter name
	}
	parameters := map[string]string{}
	for _, p := range t.Parameters() {
		if value, ok := former.Parameters[p.Name]; ok && (d.Keeps == nil || slices.Contains(d.Keeps, p.Name)) {
			parameters[p.Name] = value
		}
	}
	d.Parameters = merged(parameters, d.Parameters)
	d.Commands = merged(former.Commands, d.Commands)
	d.Types = merged(former.Types, d.Types)
	d.Env = merged(former.Env, d.Env)
	d.Imports = merged(former.Imports, d.Imports)
	d.SSM = merged(former.SSM, d.SSM)
	d.Attributes = merged(declaredOnly(t, former.Attributes), d.Attributes)
	d.Nested = merged(declaredOnly(t, former.Nested), d.Nested)
}

// declaredOnly returns the entries about resources that the template still declares.
func declaredOnly(t *template.Template, former map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range former {
		if id, _, _ := strings.Cut(name, "."); t.Declares(id) {
			all[name] = value
		}
	}
	return all
}

// merged returns a map's entries, overridden by another's.
func merged[V any](former, now map[string]V) map[string]V {
	all := maps.Clone(former)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, now)
	return all
}

// An Override replaces what deployments say of a stack's service and of its functions' environment.
type Override struct {
	Service *string // nil is the one that is remembered
	Ready   string
	Env     map[string]string
}

// ErrNoService is returned for an Override that has Ready but leaves no service.
var ErrNoService = errors.New("--run-ready says where the service of --run answers, and there is no service")

// ApplyTo changes a deployment.
func (o Override) ApplyTo(d *Deployment) error {
	d.given = merged(d.given, nil)
	if o.Service != nil {
		d.Service, d.Ready, d.given[theService] = *o.Service, "", true
	}
	for name := range o.Env {
		d.given[theVariable(name)] = true
	}
	d.Ready, d.Env = cmp.Or(o.Ready, d.Ready), merged(d.Env, o.Env)
	if o.Ready != "" && d.Service == "" {
		return ErrNoService
	}
	return nil
}

// Apply returns copies of deployments with the override.
func (o Override) Apply(all map[int]*Deployment) (map[int]*Deployment, error) {
	changed := map[int]*Deployment{}
	for revision, d := range all {
		one := *d
		if err := o.ApplyTo(&one); err != nil {
			return nil, err
		}
		changed[revision] = &one
	}
	return changed, nil
}
