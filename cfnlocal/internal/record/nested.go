package record

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// open is [template.Stack]'s: it returns the template of a nested stack that ReadNested has read.
func (rev *Revision) open(path string) (engine.Source, bool) {
	file := relativeTo(rev.File, path)
	body, there := rev.Files[file]
	return engine.Source{Revision: rev.Number, File: file, Body: body}, there
}

// partFor returns the part of a revision that applies to a nested stack with a path: an option for
// Nested.Resource becomes one for Resource.
func (rev *Revision) partFor(path string, source engine.Source) *Revision {
	within := func(all map[string]string) map[string]string {
		part := map[string]string{}
		for name, value := range all {
			if strings.HasPrefix(name, "arn:") {
				part[name] = value
			}
			if inner, ok := strings.CutPrefix(name, path+"."); ok {
				part[inner] = value
			}
		}
		return part
	}
	return &Revision{
		fresh: rev.fresh, Number: rev.Number, Dir: rev.Dir,
		File: source.File, Body: source.Body, Parameters: source.Parameters, Files: rev.Files,
		Substitutes: Substitutes{
			Commands: within(rev.Commands), Attributes: within(rev.Attributes), Nested: within(rev.Nested),
			Env: rev.Env, Imports: rev.Imports, SSM: rev.SSM,
		},
		Exports: merged(rev.Offered, rev.Exports), Stored: rev.Stored, Outputs: within(rev.Outputs), Code: within(rev.Code),
	}
}

// root returns a revision of the root stack, or the one that answers now if it is no longer kept: a
// nested stack that has not changed may have been deployed by that.
func (r *Record) root(revision int) *Revision {
	if rev := r.Revisions[revision]; rev != nil {
		return rev
	}
	if r.Next != nil && r.Next.Number == revision {
		return r.Next
	}
	return r.Current()
}

// nestedRevision returns the part of the root's revision that applies to a nested stack, which can
// also import what the other stacks of the root export. It is nil if no revision is kept.
func (r *Record) nestedRevision(s *engine.Stack, source engine.Source) *Revision {
	root := r.root(source.Revision)
	if root == nil {
		return nil
	}
	rev := root.partFor(s.Path, source)
	// Nested stacks are deployed together, so an export can come from a sibling.
	for _, other := range r.Stack.All() {
		for _, o := range other.Outputs {
			if o.ExportName != "" && other.ID != s.ID {
				rev.Exports[o.ExportName] = o.Value
			}
		}
	}
	return rev
}

// read is [engine.Read].
func (r *Record) read(s *engine.Stack, source engine.Source) (*engine.Template, error) {
	rev := r.nestedRevision(s, source)
	if rev == nil {
		return nil, errors.New("no template of the stack " + r.Stack.Name + " is kept any more")
	}
	if former := r.lastRead[s.ID]; former != nil && rev.plansLike(former) {
		rev = former // an update asks more than once, and a plan takes long
	}
	if r.lastRead == nil {
		r.lastRead = map[string]*Revision{}
	}
	r.lastRead[s.ID] = rev
	plan, err := rev.Plan(s)
	// A nested stack fails for one reason, so the first mistake stands for all of them.
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
		r.OnNestedWarnings(rev, rev.Warnings(plan))
	}
	return &plan.Template, nil
}

// plansLike reports whether another revision has the same plan.
func (rev *Revision) plansLike(other *Revision) bool {
	sameTemplate := rev.Number == other.Number && rev.File == other.File && rev.Body == other.Body
	return sameTemplate && maps.Equal(rev.Parameters, other.Parameters) && maps.Equal(rev.Exports, other.Exports)
}

// RevisionsOf returns the Stable and Target revisions of a stack, the root or one nested in it, as
// far as they are kept.
func (r *Record) RevisionsOf(s *engine.Stack) (all []*Revision) {
	revisions := []int{s.Stable}
	if s.Target != s.Stable {
		revisions = append(revisions, s.Target)
	}
	for _, revision := range revisions {
		if rev := r.revision(s, revision); rev != nil {
			all = append(all, rev)
		}
	}
	return all
}

func (r *Record) revision(s *engine.Stack, revision int) *Revision {
	if s.Parent == "" {
		return r.Revisions[revision]
	}
	source, ok := s.Sources[revision]
	root := r.root(source.Revision)
	if !ok || root == nil {
		return nil
	}
	key := fmt.Sprint(s.ID, " ", revision, " ", root.Number)
	if r.nestedRevisions == nil {
		r.nestedRevisions = map[string]*Revision{}
	}
	if r.nestedRevisions[key] == nil {
		r.nestedRevisions[key] = r.nestedRevision(s, source)
	}
	return r.nestedRevisions[key]
}

// RevisionFor returns the revision that last changed a stack's resource, which is the one whose
// program a function runs. It is nil if no revision is kept.
func (r *Record) RevisionFor(s *engine.Stack, res *engine.StackResource) *Revision {
	if rev := r.revision(s, res.Revision); rev != nil {
		return rev
	}
	return r.CurrentOf(s) // the record is from before resources had revisions
}

// Runs reports whether a function of the root stack runs a revision's program, or will run it once a deployment that was
// interrupted has created it.
func (r *Record) Runs(rev *Revision, function string) bool {
	i := slices.IndexFunc(r.Stack.Resources, func(res *engine.StackResource) bool {
		return res.LogicalID == function && !res.Gone && res.PhysicalID != ""
	})
	if i < 0 {
		return !r.Stack.AtRest()
	}
	return r.RevisionFor(r.Stack, r.Stack.Resources[i]) == rev
}

// CurrentOf returns the revision that a stack is at, or is moving to: in a rollback, the one before.
// It is nil if there is none.
func (r *Record) CurrentOf(s *engine.Stack) *Revision {
	if s.Operation != nil && s.Operation.RollingBack {
		if rev := r.revision(s, s.Stable); rev != nil {
			return rev
		}
	}
	return r.revision(s, s.Target)
}

// StackOf returns the stack with an ID, the root or one nested in it, or nil.
func (r *Record) StackOf(id string) *engine.Stack {
	for _, s := range r.Stack.All() {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Limits for nested templates, which somebody else may have written.
const (
	maxDepth  = 10       // of templates in templates, the root's included
	maxNested = 200      // stacks
	maxFile   = 2 << 20  // bytes of a template; CloudFormation's own limit is below
	maxBodies = 32 << 20 // bytes of the templates of all stacks: each keeps its own
)

// ReadNested reads the templates of nested stacks, at all depths. It does not know yet which
// conditions hold, so a missing file is an error only when its stack is to be created.
func (rev *Revision) ReadNested() error {
	n := &nestedReader{revision: rev, parsed: map[string]*template.Template{}}
	rev.Files = map[string]string{}
	t, err := template.Parse(rev.shown(rev.File), []byte(rev.Body))
	if err != nil {
		return err
	}
	err = n.read(t, rev.File, "", []string{rev.File})
	rev.family = merged(n.parsed, map[string]*template.Template{rev.File: t})
	return err
}

// maxExamined is how often nested templates are examined before a deployment: more than once if what
// a parent passes hangs on a condition that is open.
const maxExamined = 4 * maxNested

// needs returns [template.Stack]'s Needs.
func (rev *Revision) needs(s *engine.Stack) func(string, engine.Source, map[string]bool) template.Errors {
	examined := map[string]template.Errors{}
	var needs func(string, engine.Source, map[string]bool) template.Errors
	needs = func(path string, source engine.Source, later map[string]bool) template.Errors {
		// A template is examined once for the same values: its parents ask for it on every path.
		key := fmt.Sprintf("%q %q %q", path, source.Parameters, slices.Sorted(maps.Keys(later)))
		t := rev.family[source.File]
		if missing, done := examined[key]; done || t == nil || len(examined) == maxExamined {
			return slices.Clone(missing)
		}
		// The nested stack is not there yet, so what it gets from resources is known later only.
		inner := rev.partFor(path, source)
		inner.RequiresPrograms, inner.Provided, inner.family = true, rev.Provided, rev.family
		stack := inner.stack(s)
		stack.Path, stack.Later, stack.Needs = path+".", later, needs
		missing := t.Missing(stack)
		if rev.exportsBeside(source.File) { // what it imports may be there by then
			missing = slices.DeleteFunc(missing, func(e *template.Error) bool {
				return slices.ContainsFunc(e.Give, func(flag string) bool { return strings.HasPrefix(flag, "--import ") })
			})
		}
		examined[key] = missing
		return slices.Clone(missing)
	}
	return needs
}

// exportsBeside reports whether a template other than a nested one may have exports.
func (rev *Revision) exportsBeside(file string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(rev.Files)), func(name string) bool {
		return name != file && strings.Contains(rev.Files[name], "Export")
	})
}

type nestedReader struct {
	revision *Revision
	parsed   map[string]*template.Template
	stacks   int
	bytes    int
}

// read reads the templates nested in a template. path is its stack's and precedes the logical IDs.
// chain has the files that led to it.
func (n *nestedReader) read(t *template.Template, file, path string, chain []string) error {
	rev := n.revision
	for _, nested := range t.Nested() {
		id := path + nested.LogicalID
		if rev.Nested[id] != "" {
			continue // it is replaced
		}
		inner := relativeTo(file, nested.File)
		refuse := func(format string, args ...any) error {
			return template.Errors{{Position: nested.Position, Path: "/Resources/" + nested.LogicalID, Text: fmt.Sprintf(format, args...)}}
		}

		// A stranger's template must not exhaust this machine, nor nest itself.
		n.stacks++
		switch {
		case slices.Contains(chain, inner):
			return refuse("the template of the nested stack %s is one that it is nested in: %s; remove one of the two", id, rev.shown(inner))
		case len(chain) == maxDepth:
			return refuse("the nested stack %s is more than %d templates deep; nest them less deeply", id, maxDepth)
		case n.stacks > maxNested:
			return refuse("there are more than %d nested stacks; let others take the place of some with --nested", maxNested)
		}

		// Each file is read once.
		if n.parsed[inner] == nil {
			body, err := ReadFile(inner)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return refuse("the template of the nested stack %s cannot be read: %v", id, err)
			}
			parsed, err := template.Parse(rev.shown(inner), body)
			if err != nil {
				return err
			}
			n.parsed[inner], rev.Files[inner] = parsed, string(body)
		}
		if n.bytes += len(rev.Files[inner]); n.bytes > maxBodies {
			return refuse("the templates of the nested stacks have more than %d bytes; let others take the place of some with --nested", maxBodies)
		}

		// Its functions are known before its stack exists, and so are the templates nested in it.
		for _, f := range n.parsed[inner].Code() {
			f.LogicalID = id + "." + f.LogicalID
			if f.CodeURI != "" {
				f.CodeURI = relativeTo(inner, f.CodeURI)
			}
			if _, err := os.Stat(f.CodeURI); err != nil {
				f.CodeURI = "" // its condition may not hold
			}
			rev.code = append(rev.code, f)
		}
		if err := n.read(n.parsed[inner], inner, id+".", append(slices.Clone(chain), inner)); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads a template, a schema or an event, which may come with somebody else's repository. It
// refuses devices and pipes, which may never end, and files of more than 2 MiB.
func ReadFile(file string) ([]byte, error) {
	switch info, err := os.Stat(file); { // opening a pipe would wait for its writer
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	body, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(body) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", file, maxFile)
	}
	return body, err
}

// relativeTo returns the path of a file, resolved against the file that names it.
func relativeTo(file, named string) string {
	named = filepath.FromSlash(named)
	if filepath.IsAbs(named) {
		return filepath.Clean(named)
	}
	return filepath.Join(filepath.Dir(file), named)
}
