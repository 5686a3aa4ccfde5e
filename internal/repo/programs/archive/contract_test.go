package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/lifecycle"
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
				Function: func() cfntest.Function { return cfnresource.New(&Archive{root}) },
				State: func(id string) any {
					if _, err := os.Stat(filepath.Join(dir, id)); err == nil {
						return "there"
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
		Properties: Props{Project: "map"},
		Replacing:  Props{Project: "plan"},
		Skip:       map[string]string{"steps-around-effects": "the handler writes files itself"},
	})
}

// Files are deleted where the stack goes, and nowhere else.
func TestFilesAreDeletedOnlyWhereThatIsMeant(t *testing.T) {
	for phase, want := range map[lifecycle.Phase]string{
		lifecycle.PhaseDeleting:           "SUCCESS",
		lifecycle.PhaseRemoval:            "FAILED",
		lifecycle.PhaseReplacementCleanup: "FAILED",
		lifecycle.PhaseCreateRollback:     "FAILED",
		lifecycle.PhaseUnknown:            "FAILED",
	} {
		t.Run("phase "+string(phase), func(t *testing.T) {
			root := t.TempDir()
			t.Setenv("ROOT", root)
			d := cfnresource.New(cfnresource.Lazy(open))
			created := cfntest.Invoke(t, d, cfntest.CreateEvent(Props{Project: "map"}))
			id := created.PhysicalResourceID
			file := filepath.Join(root, id, "plan.txt")
			if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx := cfntest.WithPhase(t.Context(), phase)
			deleted := cfntest.InvokeContext(ctx, t, d, cfntest.DeleteEvent(id, Props{Project: "map"}))
			_, err := os.Stat(file)
			if kept := err == nil; deleted.Status != want || kept == (want == "SUCCESS") {
				t.Errorf("%+v, and the file is there: %v", deleted, kept)
			}
			_ = os.Remove(file)
			if got := cfntest.InvokeContext(ctx, t, d, cfntest.DeleteEvent(id, Props{Project: "map"})); got.Status != "SUCCESS" {
				t.Errorf("an empty directory: %+v", got)
			}
		})
	}
}
