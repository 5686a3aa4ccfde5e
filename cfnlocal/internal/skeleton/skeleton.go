// Package skeleton writes a new project for a resource type: Go types from its schema, a handler
// whose methods are to be written, a fake of its service, tests, and a template.
package skeleton

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
)

//go:embed files
var files embed.FS

// A File is a file of a project. Its name is relative to the project's directory.
type File struct{ Name, Text string }

// A Project has the files for a resource type.
type Project struct {
	Files []File
	Notes []string // parts of the schema that the types do not express
}

// Empty returns a schema to begin with: two properties and an attribute as examples.
func Empty(typeName string) *schema.Schema {
	s, err := schema.Read([]byte(`{
		"typeName": "` + typeName + `",
		"properties": {
			"Name": {"type": "string", "description": "Another name is another resource."},
			"Size": {"type": "integer", "description": "Changed in place."},
			"Arn": {"type": "string", "description": "What !GetAtt reads."}
		},
		"required": ["Name"],
		"createOnlyProperties": ["/properties/Name"],
		"readOnlyProperties": ["/properties/Arn"]
	}`))
	if err != nil { // the name has a quote
		return &schema.Schema{TypeName: typeName}
	}
	return s
}

// Options are choices for a project.
type Options struct {
	ServiceIDs bool // the service chooses the IDs, and the handler finds its things by a mark
}

// New returns the project for a resource type. The type of its custom resources is Custom:: with the
// last part of the schema's name.
func New(s *schema.Schema, o Options) (*Project, error) {
	m, err := newModel(s)
	if err != nil {
		return nil, err
	}
	m.Found = o.ServiceIDs
	kind := "files/named/*.tmpl"
	if m.Found {
		kind = "files/found/*.tmpl"
	}
	p := &Project{Notes: m.notes}
	// Execute each template of the kind, and format Go files.
	all, err := template.New("").Delims("«", "»").Funcs(template.FuncMap{"lower": lower}).ParseFS(files, "files/*.tmpl", kind)
	if err != nil {
		return nil, err
	}
	byName := func(a, b *template.Template) int { return strings.Compare(a.Name(), b.Name()) }
	for _, t := range slices.SortedFunc(slices.Values(all.Templates()), byName) {
		var b bytes.Buffer
		if err := t.Execute(&b, m); err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(t.Name(), ".tmpl")
		name = strings.Replace(name, "handler.go", strings.ToLower(m.Handler)+".go", 1)
		text := b.String()
		if strings.HasSuffix(name, ".go") {
			formatted, err := format.Source(b.Bytes())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			text = string(formatted)
		}
		p.Files = append(p.Files, File{name, text})
	}
	return p, nil
}
