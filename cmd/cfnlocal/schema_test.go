package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/examples"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

const (
	tablesBegin = "<!-- written by: cfnlocal schema template.yaml --markdown -->\n"
	tablesEnd   = "<!-- end -->\n"
)

// TestReadmesHoldTheTables: the README of each example has the tables of the
// properties and attributes that its function describes.
func TestReadmesHoldTheTables(t *testing.T) {
	names := examples.Names()
	if !*update {
		names = testrun.Examples(names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("../../examples", name)
			cmd := exec.CommandContext(t.Context(), "cfnlocal", "--dir", t.TempDir(), "schema", "template.yaml", "--markdown")
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "README.md")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, rest, begins := strings.Cut(string(text), tablesBegin)
			got, after, ends := strings.Cut(rest, tablesEnd)
			if !begins || !ends {
				t.Fatalf("%s has no tables between %s and %s", file, tablesBegin, tablesEnd)
			}
			if *update {
				if err := os.WriteFile(file, []byte(before+tablesBegin+string(want)+tablesEnd+after), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s is not what the function says; make projects writes it (-want +got):\n%s", file, diff)
			}
		})
	}
}
