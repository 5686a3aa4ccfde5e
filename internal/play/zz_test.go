package play_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
)

func TestZZ(t *testing.T) {
	silence(t)
	five := strings.Split(os.Getenv("CHECKS"), ",")
	isFive := map[string]bool{}
	for _, c := range five {
		isFive[c] = true
	}
	began := time.Now()
	for _, w := range wrongHandlers {
		if only := os.Getenv("ONLY"); only != "" && !strings.Contains(only, w.name) {
			continue
		}
		want := map[string]bool{}
		for _, c := range w.checks {
			want[c] = true
		}
		for _, r := range play.RunChecks(t, w.contract(), five...) {
			got := r.Outcome == "failed"
			if got != want[r.Name] {
				fmt.Printf("WRONG %s %s %s: %s\n", w.name, r.Name, r.Outcome, r.Text)
			}
		}
	}
	for name, h := range rightHandlers {
		for _, r := range play.RunChecks(t, depotContract(h), five...) {
			if r.Outcome != "passed" || len(r.Warnings) > 0 {
				fmt.Printf("RIGHT %s %s %s: %s %q\n", name, r.Name, r.Outcome, r.Text, r.Warnings)
			}
		}
	}
	fmt.Println("took", time.Since(began))
}
