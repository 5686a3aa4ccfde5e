package main

import (
	"os"
	"path/filepath"
	"testing"

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
