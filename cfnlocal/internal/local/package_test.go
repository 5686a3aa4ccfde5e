package local

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestZipped: the same files give the same bytes, in whatever order; the program
// can be run once it is unpacked.
func TestZipped(t *testing.T) {
	a, b := packageFile{"bootstrap", []byte("program"), 0o755}, packageFile{"a.json", []byte("{}"), 0o644}
	one, err := zipped(a, b)
	if err != nil {
		t.Fatal(err)
	}
	other, err := zipped(b, a)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("the order of the files shows, or %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		if want := map[string]os.FileMode{"bootstrap": 0o755, "a.json": 0o644}[f.Name]; f.Mode() != want {
			t.Errorf("%s has mode %v, want %v", f.Name, f.Mode(), want)
		}
	}
	if diff := cmp.Diff([]string{"a.json", "bootstrap"}, names); diff != "" {
		t.Error(diff)
	}
	r, err := z.Open("bootstrap")
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(r); err != nil || string(content) != "program" {
		t.Errorf("the program is %q, %v", content, err)
	}
}

// TestSettings: the schema of a type's configuration is a file of its own, with
// the definitions that it may refer to.
func TestSettings(t *testing.T) {
	for schema, want := range map[string][]string{
		`{"typeName":"A::B::C"}`: {".rpdk-config", ".cfn_metadata.json"},
		`{"typeConfiguration":{"properties":{}},"definitions":{"X":{}}}`: {".rpdk-config", ".cfn_metadata.json", "configuration-schema.json"},
	} {
		parts, err := packageSettings("Example::Depot::Crate", []byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range parts {
			names = append(names, p.name)
			if p.name != "configuration-schema.json" {
				continue
			}
			var got any
			want := map[string]any{"properties": map[string]any{}, "definitions": map[string]any{"X": map[string]any{}}, "typeName": "Example::Depot::Crate"}
			if err := json.Unmarshal(p.content, &got); err != nil || !cmp.Equal(any(want), got) {
				t.Errorf("the configuration is %s, %v", p.content, err)
			}
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
	}
}

// TestContractTestFiles: inputs and overrides are packed where there are some, and what is
// no JSON is an error.
func TestContractTestFiles(t *testing.T) {
	dir := t.TempDir()
	if parts, err := contractTestFiles(dir); len(parts) > 0 || err != nil {
		t.Errorf("of nothing there are %d files, %v", len(parts), err)
	}
	if err := os.Mkdir(filepath.Join(dir, "inputs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"inputs/inputs_1_create.json": "{}", "overrides.json": "{}", "inputs/notes.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := contractTestFiles(dir)
	if err != nil || len(parts) != 2 || parts[0].name != "inputs/inputs_1_create.json" || parts[1].name != "overrides.json" {
		t.Errorf("there are %+v, %v", parts, err)
	}
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "inputs", "inputs_2_create.json")
	if err := os.Symlink(secret, link); err == nil {
		if parts, err := contractTestFiles(dir); err == nil {
			t.Errorf("a file of elsewhere is published: %+v", parts)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "overrides.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := contractTestFiles(dir); err == nil {
		t.Error("what is no JSON is packed")
	}
}
