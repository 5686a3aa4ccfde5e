package testrun_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

func TestAShareIsAllInAThoroughRun(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		set    string
		share  int
		sample []int
	}{{"", 3, []int{0, 3, 6}}, {"1", 7, all}} {
		t.Setenv("TEST_THOROUGH", c.set)
		if got := testrun.Share(3, len(all)); got != c.share {
			t.Errorf("%q: a share of %d, want %d", c.set, got, c.share)
		}
		if diff := cmp.Diff(c.sample, testrun.Sample(3, all)); diff != "" {
			t.Errorf("%q: sample (-want +got):\n%s", c.set, diff)
		}
		if got, all := len(testrun.Examples([]string{"a", "b", "c"})), c.set != ""; (got == 3) != all {
			t.Errorf("%q: %d of 3 examples", c.set, got)
		}
		ran := t.Run("only thorough", func(t *testing.T) {
			testrun.OnlyThorough(t, "it is a test")
			if c.set == "" {
				t.Error("it runs")
			}
		})
		if !ran {
			t.Fail()
		}
	}
}
