package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// TestReadmesHoldTheTables: the README of each example has the tables of the
// properties and attributes that its function describes.
func TestReadmesHoldTheTables(t *testing.T) {
	linkPrograms(t)
	for _, name := range exampleNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("../examples", name)
			cmd := exec.CommandContext(t.Context(), "cfnlocal", "--dir", t.TempDir(), "schema", "template.yaml", "--markdown")
			cmd.Args = append(cmd.Args, functionFlags(t, name)...)
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			testrun.Written(t, filepath.Join(dir, "README.md"), "written by: cfnlocal schema template.yaml --markdown", string(want), *update, "make projects")
		})
	}
}
