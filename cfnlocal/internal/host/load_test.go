package host

import "testing"

// TestLoadFactorOf: runnable tasks share the CPUs. The factor is never below one, and is one for
// text that cannot be read.
func TestLoadFactorOf(t *testing.T) {
	for text, want := range map[string]int{
		"0.50 0.40 0.30 1/250 4711\n":   1,
		"2.00 0.40 0.30 2/250 4711\n":   1,
		"9.00 0.40 0.30 3/250 4711\n":   2,
		"27.8 20.0 14.6 9/258 5255\n":   5,
		"99.8 20.0 14.6 800/900 5255\n": maxLoad,
		"":                              1, "0 0 0": 1, "0 0 0 many/250 1": 1,
	} {
		if got := loadFactorOf([]byte(text), 2); got != want {
			t.Errorf("%q on two CPUs: %d, want %d", text, got, want)
		}
	}
}
