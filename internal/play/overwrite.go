package play

import "github.com/cfnresource/sdk-go/internal/simulate"

// createOverwritesIn reports whether Create succeeded twice, though its thing existed
// the second time, and did not call Created. This is right if the service creates and
// updates by PUT and cannot be asked what exists. Such a Create does not know what it
// has made, so what it leaves when it fails counts as a limit.
func createOverwritesIn(calls []simulate.Call) bool {
	creates := 0
	for _, c := range calls {
		switch {
		case c.Method != "Create":
		case c.Error != "" || c.Created != "":
			return false
		default:
			creates++
		}
	}
	return creates > 1
}

// createOverwrites reports whether the handler's Create overwrites: see
// createOverwritesIn.
func (s *suite) createOverwrites() bool {
	r, _ := s.playWith(s.creates(), simulate.Fault{Kind: simulate.Redeliver})
	var calls []simulate.Call
	for _, d := range r.deliveries("Create") {
		calls = append(calls, d.Calls...)
	}
	return r.err == nil && createOverwritesIn(calls)
}

// probeCreate finds out whether the handler's Create overwrites.
func (x *explorer) probeCreate() {
	x.overwrites = x.runAlone(history{{what: original, fault: &plannedFault{kind: simulate.Redeliver, request: 1}}}).createOverwrites
}
