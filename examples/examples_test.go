package examples

import (
	"archive/zip"
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write elsewhere.zip anew")

// elsewhere.zip is what its files are now. The bytes of an archive may differ from
// one version of Go to another.
func TestTheArchiveIsUpToDate(t *testing.T) {
	want := outOfReach(t)
	if *update {
		if err := os.WriteFile("elsewhere.zip", archive(t, want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got := make(map[string]string)
	err := fs.WalkDir(trees()[1], ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got[file] = read(t, trees()[1], file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elsewhere.zip is not what the files are now: run make projects (-files +archive):\n%s", diff)
	}
}

// No example is forgotten, and each has all files that a project needs.
func TestExamplesAreComplete(t *testing.T) {
	directories, err := fs.Glob(os.DirFS("."), "*/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range directories {
		directories[i] = path.Dir(file)
	}
	if diff := cmp.Diff(directories, Names()); diff != "" {
		t.Errorf("the examples (-directories +names):\n%s", diff)
	}
	for _, name := range Names() {
		files, err := Files(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"main.go", "template.yaml", "Makefile", "README.md", "go.mod", "go.sum", ".gitignore"} {
			if !slices.ContainsFunc(files, func(f File) bool { return f.Name == part && f.Text != "" }) {
				t.Errorf("%s has no %s", name, part)
			}
		}
	}
	for _, name := range []string{"", ".", "surprise", "../examples/lookup", "lookup/fakeissuer"} {
		if _, err := Files(name); err == nil {
			t.Errorf("there is an example %q", name)
		}
	}
}

// The SDK and an example need the same version of Go.
func TestTheVersionOfGo(t *testing.T) {
	line := func(goMod string) string {
		_, rest, _ := strings.Cut(goMod, "\ngo ")
		version, _, _ := strings.Cut(rest, "\n")
		return version
	}
	if want, got := line(read(t, os.DirFS(".."), "go.mod")), line(goMod); got != want {
		t.Errorf("an example's go.mod says go %s, want %s", got, want)
	}
}

// outOfReach returns the files of elsewhere.zip, by name.
func outOfReach(t *testing.T) map[string]string {
	t.Helper()
	above, examples := os.DirFS(".."), os.DirFS(".")
	_, ignored, ok := strings.Cut(read(t, above, ".gitignore"), "# what a Lambda build and cfnlocal leave behind\n")
	if !ok {
		t.Fatal(".gitignore does not say what a Lambda build and cfnlocal leave behind")
	}
	want := map[string]string{".gitignore": ignored}
	sums := lines(read(t, above, "go.sum"))
	modules, err := fs.Glob(examples, "*/go.mod")
	if err != nil || len(modules) == 0 {
		t.Fatalf("examples with a go.mod: %v, %v", modules, err)
	}
	for _, module := range modules {
		if _, err := fs.Stat(examples, path.Dir(module)+"/template.yaml"); err != nil {
			continue // cfnlocal new cannot make it: its template is synthesized
		}
		want[module] = read(t, examples, module)
		sums = append(sums, lines(read(t, examples, path.Dir(module)+"/go.sum"))...)
		err := fs.WalkDir(examples, path.Dir(module), func(file string, d fs.DirEntry, err error) error {
			switch {
			case err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case err == nil && !d.IsDir() && isSource(file):
				want[file] = read(t, examples, file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(sums)
	want["go.sum"] = strings.Join(slices.Compact(sums), "\n") + "\n"
	return want
}

// archive returns files as a zip archive, in the order of their names.
func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(t *testing.T, root fs.FS, file string) string {
	t.Helper()
	text, err := fs.ReadFile(root, file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
