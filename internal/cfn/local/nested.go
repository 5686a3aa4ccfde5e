package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// Bounds of what is nested in a template, which somebody else may have written.
const (
	maxDepth  = 10       // of templates in templates, the root's included
	maxNested = 200      // stacks
	maxFile   = 2 << 20  // bytes of a template; CloudFormation's own limit is below
	maxBodies = 32 << 20 // bytes of the templates of all stacks: each keeps its own
)

// readNested reads the templates of nested stacks and of those that are nested in
// these. Which conditions hold is not known yet: a file that is not there is an
// error once its stack is to be made.
func (d *Deployment) readNested() error {
	n := &nestedReader{deployment: d, parsed: map[string]*template.Template{}}
	d.Files = map[string]string{}
	t, err := template.Parse(d.shown(d.File), []byte(d.Body))
	if err != nil {
		return err
	}
	return n.read(t, d.File, "", []string{d.File})
}

type nestedReader struct {
	deployment *Deployment
	parsed     map[string]*template.Template
	stacks     int
	bytes      int
}

// read reads what is nested in a template, whose stack's path is in front of the
// logical IDs, and which the files in the chain have led to.
func (n *nestedReader) read(t *template.Template, file, path string, chain []string) error {
	d := n.deployment
	for _, nested := range t.Nested() {
		id := path + nested.LogicalID
		if d.Nested[id] != "" {
			continue // something takes its place
		}
		inner := beside(file, nested.File)
		refuse := func(format string, args ...any) error {
			return template.Errors{{Position: nested.Position, Path: "/Resources/" + nested.LogicalID, Text: fmt.Sprintf(format, args...)}}
		}
		n.stacks++
		switch {
		case slices.Contains(chain, inner):
			return refuse("the template of the nested stack %s is one that it is nested in: %s; remove one of the two", id, d.shown(inner))
		case len(chain) == maxDepth:
			return refuse("the nested stack %s is more than %d templates deep; nest them less deeply", id, maxDepth)
		case n.stacks > maxNested:
			return refuse("there are more than %d nested stacks; let others take the place of some with --nested", maxNested)
		}
		if n.parsed[inner] == nil {
			body, err := readFile(inner)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return refuse("the template of the nested stack %s cannot be read: %v", id, err)
			}
			parsed, err := template.Parse(d.shown(inner), body)
			if err != nil {
				return err
			}
			n.parsed[inner], d.Files[inner] = parsed, string(body)
		}
		if n.bytes += len(d.Files[inner]); n.bytes > maxBodies {
			return refuse("the templates of the nested stacks have more than %d bytes; let others take the place of some with --nested", maxBodies)
		}
		for _, f := range n.parsed[inner].Code() {
			f.LogicalID = id + "." + f.LogicalID
			if f.CodeURI != "" {
				f.CodeURI = beside(inner, f.CodeURI)
			}
			if _, err := os.Stat(f.CodeURI); err != nil {
				f.CodeURI = "" // its condition may not hold
			}
			d.code = append(d.code, f)
		}
		if err := n.read(n.parsed[inner], inner, id+".", append(slices.Clone(chain), inner)); err != nil {
			return err
		}
	}
	return nil
}

// readFile reads a template: of a device or a pipe there may be no end.
func readFile(file string) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file", file))
	}
	body, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(body) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", file, maxFile)
	}
	return body, err
}

// beside is the path of a file that another one names.
func beside(file, named string) string {
	named = filepath.FromSlash(named)
	if filepath.IsAbs(named) {
		return filepath.Clean(named)
	}
	return filepath.Join(filepath.Dir(file), named)
}

// open is [template.Stack]'s: the template of a nested stack that was read.
func (d *Deployment) open(path string) (engine.Source, bool) {
	file := beside(d.File, path)
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
	return &Deployment{Revision: d.Revision, File: source.File, Body: source.Body, Parameters: source.Parameters, Files: d.Files, Dir: d.Dir,
		Commands: within(d.Commands), Attributes: within(d.Attributes), Nested: within(d.Nested), Outputs: within(d.Outputs),
		Imports: d.Imports, Exports: over(d.Offered, d.Exports), SSM: d.SSM, Env: d.Env}
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

// read is [engine.Read].
func (r *Record) read(s *engine.Stack, source engine.Source) (*engine.Template, error) {
	d := r.root(source.Revision).nested(s, source)
	for _, other := range r.Stack.All() {
		for _, o := range other.Outputs {
			if o.ExportName != "" && other.ID != s.ID {
				d.Exports[o.ExportName] = o.Value
			}
		}
	}
	plan, err := d.Plan(s)
	if errs, ok := errors.AsType[template.Errors](err); ok {
		text := errs[0].Error()
		if n := len(errs) - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more)", n)
		}
		return nil, errors.New("Template validation error: " + text) //nolint:staticcheck // a reason, as CloudFormation writes them
	}
	if err != nil {
		return nil, err
	}
	return &plan.Template, nil
}

// deployments are those of a stack's Stable and Target, as far as there are any:
// of the root stack or of one that is nested in it.
func (r *Record) deployments(s *engine.Stack) (all []*Deployment) {
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

// deployment is that of a stack's revision, or nil.
func (r *Record) deployment(s *engine.Stack, revision int) *Deployment {
	if s.Parent == "" {
		return r.Deployments[revision]
	}
	source, known := s.Sources[revision]
	d := r.root(source.Revision)
	if !known || d == nil {
		return nil
	}
	key := fmt.Sprint(s.ID, " ", revision, " ", d.Revision)
	if r.nested == nil {
		r.nested = map[string]*Deployment{}
	}
	if r.nested[key] == nil {
		r.nested[key] = d.nested(s, source)
	}
	return r.nested[key]
}

// current is the deployment of a stack whose functions answer now, or nil: that
// of the template that the stack is led to, or back to.
func (r *Record) current(s *engine.Stack) *Deployment {
	if s.Operation != nil && s.Operation.RollingBack {
		if d := r.deployment(s, s.Stable); d != nil {
			return d
		}
	}
	return r.deployment(s, s.Target)
}

// stack is the one of an ID, or nil.
func (r *Record) stack(id string) *engine.Stack {
	for _, s := range r.Stack.All() {
		if s.ID == id {
			return s
		}
	}
	return nil
}
