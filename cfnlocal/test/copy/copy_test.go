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
	setEnv(t, publish(t, checkout))
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			original := filepath.Join(checkout, "examples", name)
			commands := parse(read(t, original, "README.md")).commands(func(section string) bool { return section == "Copy it" })
			if len(commands) < 2 {
				t.Fatalf("the README does not say how to copy it: %q", commands)
			}
			dir := filepath.Join(t.TempDir(), name)
			copyTree(t, original, dir)

			shell(t, dir, 5*time.Minute, commands)
			if t.Failed() {
				return
			}
			for file, text := range sources(t, dir) {
				if strings.Contains(text, `"`+sdk+"/examples/") {
					t.Errorf("%s imports a part of the example, instead of the copy's", file)
				}
			}

			run(t, dir, "make", "build")
			checkARM64(t, filepath.Join(dir, "bootstrap"))
			for _, function := range functions(t, dir) {
				artifacts := t.TempDir()
				run(t, dir, "make", "build-"+function, "ARTIFACTS_DIR="+artifacts)
				checkARM64(t, filepath.Join(artifacts, "bootstrap"))
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
	run(t, filepath.Join(checkout, "cfnlocal"), "go", "build", "-o", cfnlocal, ".")
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			run(t, dir, cfnlocal, "new", name, "--module", "example.com/me/mine", "--sdk", checkout)
			dir = filepath.Join(dir, "mine")
			run(t, dir, "go", "mod", "tidy", "-diff")
			run(t, dir, "go", "vet", "./...")
			run(t, dir, "make", "build")
			checkARM64(t, filepath.Join(dir, "bootstrap"))
		})
	}
}

// setUp returns the directory of this checkout, which copies are outside of.
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
	return checkout
}

func setEnv(t *testing.T, variables []string) {
	t.Helper()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
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

// checkARM64 fails the test unless a file is a program that Lambda's arm64 can run
// without any library.
func checkARM64(t *testing.T, file string) {
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
