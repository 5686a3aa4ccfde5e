package record

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// open is [template.Stack]'s: the template of a nested stack that was read.
func (d *Deployment) open(path string) (engine.Source, bool) {
	file := relativeTo(d.File, path)
	body, there := d.Files[file]
	return engine.Source{Revision: d.Revision, File: file, Body: body}, there
}

// nested is the part of a deployment that is about a stack that is nested in it:
// what is said of Nested.Resource is said of its Resource.
func (d *Deployment) nested(s *engine.Stack, source engine.Source) *Deployment {
	within := func(all map[string]string) map[string]string {
		part := map[string]string{}
		for name, value := range all {
			if strings.HasPrefix(name, "arn:") {
				part[name] = value
			}
			if inner, ok := strings.CutPrefix(name, s.Path+"."); ok {
				part[inner] = value
			}
		}
		return part
	}
	return &Deployment{fresh: d.fresh, Revision: d.Revision, File: source.File, Body: source.Body, Parameters: source.Parameters, Files: d.Files, Dir: d.Dir,
		Commands: within(d.Commands), Attributes: within(d.Attributes), Nested: within(d.Nested), Outputs: within(d.Outputs),
		Imports: d.Imports, Exports: merged(d.Offered, d.Exports), SSM: d.SSM, Env: d.Env}
}

// root is the deployment of a revision of the root stack, or the one that answers
// now: what is nested and did not change was deployed by one that is gone.
func (r *Record) root(revision int) *Deployment {
	if d := r.Deployments[revision]; d != nil {
		return d
	}
	if r.Next != nil && r.Next.Revision == revision {
		return r.Next
	}
	return r.Current()
}

// nestedDeployment is the part of the root's deployment that is about a nested stack, which can
// import what others of the same root export by now; nil if there is no deployment any more.
func (r *Record) nestedDeployment(s *engine.Stack, source engine.Source) *Deployment {
	root := r.root(source.Revision)
	if root == nil {
		return nil
	}
	d := root.nested(s, source)
	for _, other := range r.Stack.All() {
		for _, o := range other.Outputs {
			if o.ExportName != "" && other.ID != s.ID {
				d.Exports[o.ExportName] = o.Value
			}
		}
	}
	return d
}

// read is [engine.Read].
func (r *Record) read(s *engine.Stack, source engine.Source) (*engine.Template, error) {
	d := r.nestedDeployment(s, source)
	if d == nil {
		return nil, errors.New("the stack " + r.Stack.Name + " has no template any more")
	}
	if known := r.reads[s.ID]; known != nil && known.Revision == d.Revision && known.File == d.File && known.Body == d.Body &&
		maps.Equal(known.Parameters, d.Parameters) && maps.Equal(known.Exports, d.Exports) {
		d = known // an update asks more than once
	}
	if r.reads == nil {
		r.reads = map[string]*Deployment{}
	}
	r.reads[s.ID] = d
	plan, err := d.Plan(s)
	if errs, ok := errors.AsType[template.Errors](err); ok {
		first := *errs[0]
		first.Text = "Template validation error: " + first.Text
		if n := len(errs) - 1; n > 0 {
			first.Text += fmt.Sprintf(" (and %d more)", n)
		}
		return nil, &first
	}
	if err != nil {
		return nil, err
	}
	if r.OnNestedWarnings != nil {
		r.OnNestedWarnings(d, d.Warnings(plan))
	}
	return &plan.Template, nil
}

// DeploymentsOf are those of a stack's Stable and Target, as far as there are any:
// of the root stack or of one that is nested in it.
func (r *Record) DeploymentsOf(s *engine.Stack) (all []*Deployment) {
	revisions := []int{s.Stable}
	if s.Target != s.Stable {
		revisions = append(revisions, s.Target)
	}
	for _, revision := range revisions {
		if d := r.deployment(s, revision); d != nil {
			all = append(all, d)
		}
	}
	return all
}

func (r *Record) deployment(s *engine.Stack, revision int) *Deployment {
	if s.Parent == "" {
		return r.Deployments[revision]
	}
	source, known := s.Sources[revision]
	root := r.root(source.Revision)
	if !known || root == nil {
		return nil
	}
	key := fmt.Sprint(s.ID, " ", revision, " ", root.Revision)
	if r.nested == nil {
		r.nested = map[string]*Deployment{}
	}
	if r.nested[key] == nil {
		r.nested[key] = r.nestedDeployment(s, source)
	}
	return r.nested[key]
}

// DeploymentFor is the deployment that a stack's resource was last led to, which a
// function has its program of; nil if there is none any more.
func (r *Record) DeploymentFor(s *engine.Stack, res *engine.StackResource) *Deployment {
	if d := r.deployment(s, res.Revision); d != nil {
		return d
	}
	return r.CurrentOf(s) // it was kept before revisions were
}

// CurrentOf is the deployment of a stack that the stack is led to, or back to, or nil.
func (r *Record) CurrentOf(s *engine.Stack) *Deployment {
	if s.Operation != nil && s.Operation.RollingBack {
		if d := r.deployment(s, s.Stable); d != nil {
			return d
		}
	}
	return r.deployment(s, s.Target)
}

// StackOf is the stack of an ID, the root or one nested in it, or nil.
func (r *Record) StackOf(id string) *engine.Stack {
	for _, s := range r.Stack.All() {
		if s.ID == id {
			return s
		}
	}
	return nil
}
