package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/examples"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// programs is the directory of the programs that tests run beside cfnlocal: the handler, a
// registered type's, and examples. It is in PATH.
var programs string

// A linker is a [testing.M] that makes and removes the directory.
type linker struct{ *testing.M }

// Run runs the tests.
func (l linker) Run() int {
	var err error
	if programs, err = os.MkdirTemp("", "programs-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(programs) }()
	if err := os.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	return l.M.Run()
}

// linkPrograms links the programs, all at once: that is most of what a run of the tests costs.
func linkPrograms(t testing.TB) {
	t.Helper()
	if err := link(); err != nil {
		t.Fatal(err)
	}
}

// exampleNames are the examples to test.
func exampleNames() []string {
	if *update {
		return examples.Names()
	}
	return testrun.Examples(examples.Names())
}

var link = sync.OnceValue(func() error {
	args := []string{"build", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", programs + string(filepath.Separator),
		"./cfnlocal/testdata/handler", "./registry/testdata/depot", "./examples/webhook/fakeapi", "./examples/subscription"}
	for _, name := range exampleNames() {
		args = append(args, "./examples/"+name)
	}
	build := exec.Command("go", args...)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})
