package main

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// The export is complete when the other program is done, and is what Update and Delete find.
func TestExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close() }()
		props := Props{Project: "map"}
		start := time.Now()
		go func() {
			<-time.After(time.Minute)
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if err := os.WriteFile(filepath.Join(dir, e.Name(), "done"), nil, 0o600); err != nil {
					t.Error(err)
				}
			}
		}()
		made := cfntest.Invoke(t, cfnresource.New(&Export{root}), cfntest.CreateEvent(props))
		if made.Status != "SUCCESS" || time.Since(start) < time.Minute {
			t.Fatalf("after %s: %+v", time.Since(start), made)
		}
		if got := cfntest.Invoke(t, cfnresource.New(&Export{root}), cfntest.DeleteEvent(made.PhysicalResourceID, props)); got.Status != "SUCCESS" {
			t.Errorf("%+v", got)
		}
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("%v is left", entries)
		}
	})
}
