package describe

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestElsewhere: a program for another machine is not started.
func TestElsewhere(t *testing.T) {
	for want, settings := range map[string][]debug.BuildSetting{
		"": {{Key: "-trimpath", Value: "true"}, {Key: "GOARCH", Value: runtime.GOARCH}, {Key: "GOOS", Value: runtime.GOOS}},
		"it is built for another machine, with GOARCH=mips": {{Key: "GOARCH", Value: "mips"}, {Key: "GOOS", Value: runtime.GOOS}},
		"it is built for another machine, with GOOS=plan9":  {{Key: "GOARCH", Value: runtime.GOARCH}, {Key: "GOOS", Value: "plan9"}},
	} {
		if got := elsewhere(settings); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
