package local

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
)

// A Package is a resource type's package for CloudFormation's RegisterType.
type Package struct {
	TypeName string
	Refused  []string // why the registry would refuse the schema
	Zip      []byte
}

// An InputError reports a file for the registry's contract tests that cannot be packed.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the file.
func (e *InputError) Unwrap() error { return e.Err }

// NewPackage builds the Go program in a directory and packs it with its schema. It reads the schema from
// a file or, if file is "", asks the program for it. The same sources give the same bytes. The error is an *InputError if a
// file of the contract tests is to be corrected.
//
// The contents follow the sources of CloudFormation's command line and its plugin for Go.
func NewPackage(ctx context.Context, dir, file string) (*Package, error) {
	out, err := os.MkdirTemp("", "cfnlocal-package-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }() // it only takes room

	// CloudFormation must accept the schema, and what its contract tests read.
	raw, err := schemaOf(ctx, dir, file, filepath.Join(out, "here"))
	if err != nil {
		return nil, err
	}
	s, err := schema.Read(raw)
	if err != nil {
		return nil, err
	}
	if _, err := s.Registered(); err != nil {
		return nil, err
	}
	contractTests, err := contractTestFiles(dir)
	if err != nil {
		return nil, &InputError{err}
	}

	// The program is built for Lambda.
	program := filepath.Join(out, "bootstrap")
	if err := host.BuildForLambda(ctx, dir, program); err != nil {
		return nil, err
	}
	bootstrap, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	handler, err := zipped(packageFile{"bootstrap", bootstrap, 0o755})
	if err != nil {
		return nil, err
	}

	// Add the files that CloudFormation's command line would write.
	parts, err := packageSettings(s.TypeName, raw)
	if err != nil {
		return nil, err
	}
	p := &Package{TypeName: s.TypeName, Refused: schema.Refusals(raw)}
	var text bytes.Buffer
	if err := json.Indent(&text, raw, "", "  "); err != nil {
		return nil, err
	}
	p.Zip, err = zipped(append(append(parts, packageFile{"schema.json", text.Bytes(), 0o644}, packageFile{"handler.zip", handler, 0o644}), contractTests...)...)
	return p, err
}

func schemaOf(ctx context.Context, dir, file, program string) (json.RawMessage, error) {
	if file != "" {
		return record.ReadFile(file)
	}
	if err := host.Build(ctx, dir, program); err != nil {
		return nil, err
	}
	return describeType(ctx, host.Function{Command: []string{program}}, func(host.Event) {})
}

// packageSettings returns the files that CloudFormation's command line writes.
func packageSettings(typeName string, raw []byte) ([]packageFile, error) {
	config, err := json.MarshalIndent(map[string]any{
		"artifact_type": "RESOURCE", "typeName": typeName, "language": "go", "runtime": "provided.al2023", "entrypoint": "bootstrap", "testEntrypoint": "bootstrap",
		"settings": map[string]string{"protocolVersion": "2.0.0"},
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	parts := []packageFile{{".rpdk-config", config, 0o644}, {".cfn_metadata.json", []byte("{}"), 0o644}}
	var whole struct {
		Configuration map[string]json.RawMessage `json:"typeConfiguration"`
		Definitions   json.RawMessage            `json:"definitions"`
	}
	if err := json.Unmarshal(raw, &whole); err != nil || whole.Configuration == nil {
		return parts, err
	}
	if whole.Definitions == nil {
		whole.Definitions = json.RawMessage("{}")
	}
	name, _ := json.Marshal(typeName) // a string: it can be written
	whole.Configuration["definitions"], whole.Configuration["typeName"] = whole.Definitions, name
	configuration, err := json.MarshalIndent(whole.Configuration, "", "  ")
	return append(parts, packageFile{"configuration-schema.json", configuration, 0o644}), err
}

// contractTestFiles returns the files in the program's directory that configure the
// registry's contract tests.
func contractTestFiles(dir string) (parts []packageFile, err error) {
	root, err := os.OpenRoot(dir) // a package is published: it must not follow links out of the directory
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	inputs, err := fs.Glob(root.FS(), "inputs/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range append(inputs, "overrides.json") {
		info, err := root.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular(): // opening a pipe would wait for its writer
			return nil, fmt.Errorf("%s is no regular file", filepath.Join(dir, name))
		}
		content, err := root.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if !json.Valid(content) {
			return nil, fmt.Errorf("%s is not JSON", filepath.Join(dir, name))
		}
		parts = append(parts, packageFile{filepath.ToSlash(name), content, 0o644})
	}
	return parts, nil
}

// A packageFile is a file in a package.
type packageFile struct {
	name    string
	content []byte
	mode    fs.FileMode
}

// zipEpoch is the earliest time that a zip can hold.
var zipEpoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// zipped packs files in the order of their names, all with the same time.
func zipped(parts ...packageFile) ([]byte, error) {
	slices.SortFunc(parts, func(a, b packageFile) int { return strings.Compare(a.name, b.name) })
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: zipEpoch}
		h.SetMode(p.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(p.content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
