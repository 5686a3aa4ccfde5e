package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// Bounds of what is nested in a template, which somebody else may have written.
const (
	maxDepth  = 10       // of templates in templates, the root's included
	maxNested = 200      // stacks
	maxFile   = 2 << 20  // bytes of a template; CloudFormation's own limit is below
	maxBodies = 32 << 20 // bytes of the templates of all stacks: each keeps its own
)

// ReadNested reads the templates of nested stacks and of those that are nested in
// these. Which conditions hold is not known yet: a file that is not there is an
// error once its stack is to be made.
func (d *Deployment) ReadNested() error {
	n := &nestedReader{deployment: d, parsed: map[string]*template.Template{}}
	d.Files, d.unrun = map[string]string{}, nil
	t, err := template.Parse(d.shown(d.File), []byte(d.Body))
	if err != nil {
		return err
	}
	return n.read(t, d.File, "", []string{d.File}, true)
}

type nestedReader struct {
	deployment *Deployment
	parsed     map[string]*template.Template
	stacks     int
	bytes      int
}

// read reads what is nested in a template, whose stack's path is in front of the
// logical IDs, and which the files in the chain have led to. It is certain if no condition has.
func (n *nestedReader) read(t *template.Template, file, path string, chain []string, certain bool) error {
	d := n.deployment
	for _, nested := range t.Nested() {
		id := path + nested.LogicalID
		if d.Nested[id] != "" {
			continue // something takes its place
		}
		inner := relativeTo(file, nested.File)
		refuse := func(format string, args ...any) error {
			return template.Errors{{Position: nested.Position, Path: "/Resources/" + nested.LogicalID, Text: fmt.Sprintf(format, args...)}}
		}

		// What a stranger wrote has bounds, and leads back to nothing.
		n.stacks++
		switch {
		case slices.Contains(chain, inner):
			return refuse("the template of the nested stack %s is one that it is nested in: %s; remove one of the two", id, d.shown(inner))
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
			parsed, err := template.Parse(d.shown(inner), body)
			if err != nil {
				return err
			}
			n.parsed[inner], d.Files[inner] = parsed, string(body)
		}
		if n.bytes += len(d.Files[inner]); n.bytes > maxBodies {
			return refuse("the templates of the nested stacks have more than %d bytes; let others take the place of some with --nested", maxBodies)
		}

		// Its functions are known before its stack is made, and so is what is nested in it.
		for _, f := range n.parsed[inner].Code() {
			f.LogicalID = id + "." + f.LogicalID
			if f.CodeURI != "" {
				f.CodeURI = relativeTo(inner, f.CodeURI)
			}
			if _, err := os.Stat(f.CodeURI); err != nil {
				f.CodeURI = "" // its condition may not hold
			}
			d.code = append(d.code, f)
			if f.Answers && certain && !nested.Conditional && !d.runs(&f, "") {
				d.unrun = append(d.unrun, template.NoProgram(nested.Position, "/Resources/"+nested.LogicalID, f.LogicalID))
			}
		}
		if err := n.read(n.parsed[inner], inner, id+".", append(slices.Clone(chain), inner), certain && !nested.Conditional); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads a template, a schema or an event, which can come with somebody else's
// repository. It refuses devices and pipes, which may never end, and more than 2 MiB.
func ReadFile(file string) ([]byte, error) {
	switch info, err := os.Stat(file); { // to open a pipe would wait for whoever writes to it
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
