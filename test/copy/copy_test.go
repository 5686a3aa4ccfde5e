//go:build unix

package copy

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An example that is copied, as its README says, is a project of its own: it can
// be built for Lambda, by itself and as sam build does it, and tested.
func TestCopies(t *testing.T) {
	checkout := setUp(t)
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			original := filepath.Join(checkout, "examples", name)
			commands := parse(read(t, original, "README.md")).commands(func(section string) bool { return section == "Copy it" })
			if len(commands) < 2 {
				t.Fatalf("the README does not say how to copy it: %q", commands)
			}
			dir := filepath.Join(t.TempDir(), name)
			copyTree(t, original, dir)

			// The SDK is this one, as long as none is published.
			t.Setenv("GOPROXY", "off")
			t.Setenv("GOSUMDB", "off")
			shell(t, dir, time.Minute, commands[:1])
			run(t, dir, "go", "mod", "edit", "-replace", sdk+"="+checkout)
			shell(t, dir, 5*time.Minute, commands[1:])
			if t.Failed() {
				return
			}
			for file, text := range sources(t, dir) {
				if strings.Contains(text, `"`+sdk+"/examples/") {
					t.Errorf("%s imports a part of the example, instead of the copy's", file)
				}
			}

			run(t, dir, "make", "build")
			arm64(t, filepath.Join(dir, "bootstrap"))
			for _, function := range functions(t, dir) {
				artifacts := t.TempDir()
				run(t, dir, "make", "build-"+function, "ARTIFACTS_DIR="+artifacts)
				arm64(t, filepath.Join(artifacts, "bootstrap"))
			}
			run(t, dir, "go", "vet", "./...")
			run(t, dir, "go", "test", "./...")
		})
	}
}

// A project that cfnlocal new makes of an example is complete.
func TestNew(t *testing.T) {
	checkout := setUp(t)
	cfnlocal := filepath.Join(t.TempDir(), "cfnlocal")
	run(t, checkout, "go", "build", "-o", cfnlocal, "./cmd/cfnlocal")
	t.Setenv("GOPROXY", "off")
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			run(t, dir, cfnlocal, "new", "example.com/me/mine", "--from", name, "--sdk", checkout)
			dir = filepath.Join(dir, "mine")
			run(t, dir, "go", "mod", "tidy", "-diff")
			run(t, dir, "go", "vet", "./...")
			run(t, dir, "make", "build")
			arm64(t, filepath.Join(dir, "bootstrap"))
		})
	}
}

// setUp sees to it that all modules but the SDK's own are in the cache, where a
// copy finds them without a network, and returns the directory of this checkout.
func setUp(t *testing.T) (checkout string) {
	t.Helper()
	if os.Getenv("TEST_COPIES") == "" {
		t.Skip("TEST_COPIES is not set: .ci/run copy copies each example, builds and tests it")
	}
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	download(t, checkout)
	for _, name := range examples(t) {
		if dir := filepath.Join(checkout, "examples", name); exists(filepath.Join(dir, "go.mod")) {
			download(t, dir)
		}
	}
	return checkout
}

// download downloads all that go mod tidy may ask for in a module. The go command
// notes what it finds in go.sum, of which it gets a copy.
func download(t *testing.T, dir string) {
	t.Helper()
	scratch := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(read(t, dir, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "go", "mod", "download", "-modfile="+filepath.Join(scratch, "go.mod"), "all")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{"bootstrap", ".cfnlocal", ".aws-sam"} {
		if err := os.RemoveAll(filepath.Join(to, left)); err != nil {
			t.Fatal(err)
		}
	}
}

func sources(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			texts[path] = read(t, path)
		}
		return err
	})
	if err != nil || len(texts) == 0 {
		t.Fatalf("Go files of %s: %d, %v", dir, len(texts), err)
	}
	return texts
}

// run runs a command that must succeed, within ten minutes.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	shell(t, dir, 10*time.Minute, []string{quote(append([]string{name}, args...))})
	if t.Failed() {
		t.FailNow()
	}
}

func quote(args []string) string {
	quoted := make([]string, 0, len(args))
	for _, arg := range args {
		quoted = append(quoted, "'"+strings.ReplaceAll(arg, "'", `'\''`)+"'")
	}
	return strings.Join(quoted, " ")
}

// arm64 fails the test unless a file is a program that Lambda's arm64 can run
// without any library.
func arm64(t *testing.T, file string) {
	t.Helper()
	program, err := elf.Open(file)
	if err != nil {
		t.Error(err)
		return
	}
	defer program.Close()
	libraries, err := program.ImportedLibraries()
	if program.Machine != elf.EM_AARCH64 || err != nil || len(libraries) > 0 {
		t.Errorf("%s is for %v and needs the libraries %v (%v)", file, program.Machine, libraries, err)
	}
}

// functions returns the logical IDs of a template's functions.
func functions(t *testing.T, dir string) (ids []string) {
	t.Helper()
	for id, resource := range template(t, read(t, dir, "template.yaml")).get("Resources").all() {
		if resource.get("Type").text() == "AWS::Serverless::Function" {
			ids = append(ids, id)
		}
	}
	return ids
}
