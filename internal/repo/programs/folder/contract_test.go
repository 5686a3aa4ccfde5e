package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// The program that the package's documentation begins with passes the checks.
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
				Function: func() cfntest.Function { return cfnresource.New(&Folder{root}) },
				State: func(id string) any {
					if info, err := os.Stat(filepath.Join(dir, id)); err == nil {
						return info.IsDir()
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
		Properties: Props{Team: "red"},
		Replacing:  Props{Team: "blue"},
		Skip:       map[string]string{"steps-around-effects": "the handler writes files itself"},
	})
}
