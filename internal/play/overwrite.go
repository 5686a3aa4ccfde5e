package play

import (
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// createOverwrites reports whether the handler's Create overwrites: see createOverwrites.
func (s *suite) createOverwrites() bool {
	r, _ := s.playWith(s.creates(), simulate.Fault{Kind: simulate.Redeliver})
	var calls []simulate.Call
	for _, d := range r.deliveries("Create") {
		calls = append(calls, d.Calls...)
	}
	return r.err == nil && createOverwrites(calls)
}

// probeCreate finds out whether the handler's Create overwrites.
func (x *explorer) probeCreate() {
	x.overwrites = x.runAlone(history{{What: original, Fault: &plannedFault{Kind: simulate.Redeliver, Request: 1}}}).createOverwrites
}
