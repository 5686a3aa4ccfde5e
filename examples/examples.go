// Package examples holds the examples as files, for cfnlocal new.
package examples

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// here has the examples that are part of this module.
//
//go:embed lookup monitor several subscription webhook
var here embed.FS

// elsewhere has what go:embed does not reach from here: the examples with modules of their own, and
// from above .gitignore and a go.sum for all examples. A test writes it and compares it.
//
//go:embed elsewhere.zip
var elsewhere []byte

// goMod is the go.mod of an example that is part of this module. go mod tidy adds what
// the example imports, in the versions that the SDK requires.
const goMod = `module github.com/cfnresource/sdk-go/examples/example

go 1.26

require (
	github.com/cfnresource/sdk-go v0.0.0
)

replace github.com/cfnresource/sdk-go => ../..
`

// A File is a file of an example.
type File struct {
	Name string // within the example, slash-separated
	Text string
}

// Names returns the names of the examples, sorted.
func Names() (names []string) {
	for _, files := range trees() {
		templates, _ := fs.Glob(files, "*/template.yaml") // the pattern is valid
		for _, file := range templates {
			names = append(names, path.Dir(file))
		}
	}
	slices.Sort(names)
	return names
}

// Files returns the files of an example, or [fs.ErrNotExist]. Its go.mod leads to the
// SDK above it, and its go.sum may have too much.
func Files(name string) ([]File, error) {
	if !slices.Contains(Names(), name) {
		return nil, fs.ErrNotExist
	}
	tree := trees()[0]
	if _, err := fs.Stat(tree, name); err != nil {
		tree = trees()[1]
	}
	files, err := base()
	if err != nil {
		return nil, err
	}
	if text, err := fs.ReadFile(tree, name+"/go.mod"); err == nil {
		files[0].Text = string(text)
	}
	err = fs.WalkDir(tree, name, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isSource(file) {
			return err
		}
		text, err := fs.ReadFile(tree, file)
		files = append(files, File{strings.TrimPrefix(file, name+"/"), string(text)})
		return err
	})
	return files, err
}

// base returns what every example has besides its sources: go.mod, go.sum and .gitignore.
func base() ([]File, error) {
	files := []File{{"go.mod", goMod}}
	for _, name := range []string{"go.sum", ".gitignore"} {
		text, err := fs.ReadFile(trees()[1], name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, string(text)})
	}
	return files, nil
}

// isSource reports whether a file belongs to an example. What its builds and its
// service leave behind does not.
func isSource(file string) bool {
	return strings.Contains(file, "/testdata/") || path.Base(file) == "Makefile" ||
		slices.Contains([]string{".go", ".yaml", ".md", ".txt", ".sql"}, path.Ext(file))
}

// trees returns the examples here and elsewhere.
func trees() [2]fs.FS {
	archive, err := zip.NewReader(bytes.NewReader(elsewhere), int64(len(elsewhere)))
	if err != nil { // a test reads it
		return [2]fs.FS{here, embed.FS{}}
	}
	return [2]fs.FS{here, archive}
}
