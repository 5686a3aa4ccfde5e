package host

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be built is an error that says where, why and what to do.
func TestBuildErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) string {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Dir(path)
	}
	write("go.mod", "module example\n\ngo 1.26\n")
	// Something is wrong with the program.
	for _, test := range []struct{ name, dir, why, output string }{
		{"not a directory", filepath.Join(dir, "gone"), "no such directory", ""},
		{"a file", filepath.Join(dir, "go.mod"), "not a directory", ""},
		{"no Go files", write("empty/README", ""), "finds no package", "no Go files"},
		{"a library", write("library/lib.go", "package library\n"), "it is package library, not package main", ""},
		{"a type error", write("wrong/main.go", "package main\n\nfunc main() { var x int = \"\" }\n"), "the compiler refuses it", "main.go:3"},
		{"a syntax error", write("syntax/main.go", "package main\n\nfunc main() {\n"), "", "main.go:"},
		{"a module that is not required", write("module/main.go", "package main\n\nimport _ \"example.com/missing\"\n\nfunc main() {}\n"), "", "example.com/missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "bootstrap")
			err := Build(t.Context(), test.dir, file)
			var e *BuildError
			if !errors.As(err, &e) || e.Dir != test.dir || !strings.Contains(e.Why, test.why) || !strings.Contains(e.Output, test.output) {
				t.Fatalf("Build: %v, want %q and %q in it", err, test.why, test.output)
			}
			if !strings.Contains(err.Error(), test.dir) {
				t.Errorf("the error %q does not say where", err)
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("a file was made")
			}
		})
	}
	// Something is wrong around it.
	t.Run("no go command", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if err := Build(t.Context(), dir, filepath.Join(dir, "x")); err == nil || !strings.Contains(err.Error(), "install Go") {
			t.Errorf("Build: %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Build(ctx, "testdata/function", filepath.Join(dir, "x")); !errors.Is(err, context.Canceled) {
			t.Errorf("Build: %v", err)
		}
	})
}

// Another target in the environment does not matter: what is built runs here.
func TestBuildIsForThisMachine(t *testing.T) {
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "386")
	file := filepath.Join(t.TempDir(), "function.exe")
	if err := Build(t.Context(), "testdata/function", file); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(file).CombinedOutput(); err != nil || string(out) != "it runs\n" {
		t.Errorf("it says %q, %v", out, err)
	}
}

// TestLoadFactorOf: runnable tasks share the CPUs. The factor is never below one, and is one for
// text that cannot be read.
func TestLoadFactorOf(t *testing.T) {
	for text, want := range map[string]int{
		"0.50 0.40 0.30 1/250 4711\n":   1,
		"2.00 0.40 0.30 2/250 4711\n":   1,
		"9.00 0.40 0.30 3/250 4711\n":   2,
		"27.8 20.0 14.6 9/258 5255\n":   5,
		"99.8 20.0 14.6 800/900 5255\n": maxLoad,
		"":                              1, "0 0 0": 1, "0 0 0 many/250 1": 1,
	} {
		if got := loadFactorOf([]byte(text), 2); got != want {
			t.Errorf("%q on two CPUs: %d, want %d", text, got, want)
		}
	}
}
