package main

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// The program that the guide leads with holds what CloudFormation demands.
func TestContract(t *testing.T) {
	cfntest.TestHandler(t, cfntest.Contract{
		New: func(t testing.TB) cfntest.Service {
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = root.Close() })
			return cfntest.Service{
				Function: func() cfntest.Function { return cfnresource.New(&Directory{root}) },
				State: func(id string) any {
					if quota, err := os.ReadFile(filepath.Join(dir, id, ".quota")); err == nil {
						return string(quota)
					}
					return nil
				},
				List: func() (names []string) {
					entries, _ := os.ReadDir(dir)
					for _, e := range entries {
						names = append(names, e.Name())
					}
					return names
				},
			}
		},
		Properties: Props{Team: "red", Quota: 1},
		InPlace:    Props{Team: "red", Quota: 2},
		Replacing:  Props{Team: "blue", Quota: 1},
		Skip:       map[string]string{"steps-around-effects": "the handler writes files itself"},
	})
}

// What docs/physical-ids.md says of replacement: the new directory is made beside the old one,
// which goes in the cleanup, and the way back leads to the first.
func TestAnotherTeamIsAnotherDirectory(t *testing.T) {
	root := t.TempDir()
	t.Setenv("ROOT", root)
	synctest.Test(t, func(t *testing.T) {
		stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
			return cfnresource.New(cfnresource.Lazy(open))
		}})
		deploy := func(props Props) (path string) {
			t.Helper()
			stack.Deploy(cfntest.Template{"Directory": {Properties: props}})
			path, _ = stack.Data("Directory")["Path"].(string)
			if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 || root+"/"+entries[0].Name() != path {
				t.Fatalf("there are %v, and Path is %q (%v), after\n%s", entries, path, err, stack.Story())
			}
			return path
		}
		first := deploy(Props{Team: "red"})
		if got := deploy(Props{Team: "red", Quota: 2}); got != first {
			t.Errorf("another quota: %q in place of %q", got, first)
		}
		if got := deploy(Props{Team: "blue"}); got == first {
			t.Errorf("another team has the directory of the first")
		}
		if got := deploy(Props{Team: "red"}); got != first {
			t.Errorf("back again: %q in place of %q", got, first)
		}
		stack.Destroy()
		if entries, _ := os.ReadDir(root); len(entries) > 0 {
			t.Errorf("%v are left", entries)
		}
	})
}
