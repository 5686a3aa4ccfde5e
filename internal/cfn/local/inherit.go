package local

import (
	"cmp"
	"errors"
	"maps"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// Inherit gives a deployment what was said of the stack before and is not said
// now: values of parameters that the template still has, commands, variables of
// the environment, what stands in for AWS and other stacks and, if so asked, the
// service, which is remembered of a stack that was deleted, too. CloudFormation's
// own clients keep the values of parameters likewise.
func (h *Home) Inherit(name string, d *Deployment, service bool) error {
	r, err := h.Stack(name)
	if errors.Is(err, ErrNoStack) {
		return nil
	}
	if err != nil {
		return err
	}
	former := r.Deployments[r.Stack.Target]
	if former == nil {
		return nil
	}
	if service {
		d.Service, d.Ready = former.Service, cmp.Or(d.Ready, former.Ready)
	}
	if Deleted(r.Stack) {
		return nil
	}
	t, err := template.Parse(d.File, []byte(d.Body))
	if err != nil {
		return nil //nolint:nilerr // Deploy tells of it, with the file's shorter name
	}
	parameters := map[string]string{}
	for _, p := range t.Parameters() {
		if value, ok := former.Parameters[p.Name]; ok {
			parameters[p.Name] = value
		}
	}
	d.Parameters = merged(parameters, d.Parameters)
	d.Commands = merged(former.Commands, d.Commands)
	d.Types = merged(former.Types, d.Types)
	d.Env = merged(former.Env, d.Env)
	d.Imports = merged(former.Imports, d.Imports)
	d.SSM = merged(former.SSM, d.SSM)
	d.Attributes = merged(still(t, former.Attributes), d.Attributes)
	d.Nested = merged(still(t, former.Nested), d.Nested)
	return nil
}

// still is what was said of resources that the template still has.
func still(t *template.Template, former map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range former {
		if id, _, _ := strings.Cut(name, "."); t.Declares(id) {
			all[name] = value
		}
	}
	return all
}

// merged is a map with what another one says instead.
func merged[V any](former, now map[string]V) map[string]V {
	all := maps.Clone(former)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, now)
	return all
}
