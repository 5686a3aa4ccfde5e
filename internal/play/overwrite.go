package play

// createOverwritesIn reports whether in two calls Create succeeded though its thing was
// there the second time, and did not call Created: as it has to be where a
// service makes and changes by PUT and cannot be asked. Such a Create does not
// know what it has made. What it leaves when it fails is the service's limit.
func createOverwritesIn(calls []Call) bool {
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

// createOverwrites reports whether the handler's Create is such a one.
func (s *suite) createOverwrites() bool {
	p := s.newRun()
	p.inject(Fault{Kind: Redeliver, Request: "Create"})
	p.deploy(s.Properties)
	var calls []Call
	for _, d := range p.deliveries("Create") {
		calls = append(calls, d.Calls...)
	}
	return p.err == nil && createOverwritesIn(calls)
}

// probeCreate finds out whether the handler's Create is such a one.
func (x *explorer) probeCreate() {
	x.overwrites = x.runAlone(history{{what: original, fault: &plannedFault{kind: Redeliver, request: 1}}}).createOverwrites
}
