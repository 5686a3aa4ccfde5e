package play_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

func TestYY(t *testing.T) {
	silence(t)
	for _, w := range wrongHandlers {
		if only := os.Getenv("ONLY"); only != "" && !slices.Contains(strings.Split(only, ","), w.name) {
			continue
		}
		var got []string
		for _, r := range play.RunChecks(t, w.contract()) {
			if r.Outcome == "failed" {
				got = append(got, r.Name)
				if !slices.Contains(w.checks, r.Name) {
					fmt.Printf("EXTRA %s %s: %s\n", w.name, r.Name, r.Text)
				}
			}
		}
		for _, c := range w.checks {
			if !slices.Contains(got, c) {
				fmt.Printf("LOST %s %s\n", w.name, c)
			}
		}
	}
}
