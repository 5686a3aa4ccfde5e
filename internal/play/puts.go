package play

// putsOver reports whether in two calls Create succeeded though its thing was
// there the second time, and did not call Created: as it has to be where a
// service makes and changes by PUT and cannot be asked. Such a Create does not
// know what it has made. What it leaves when it fails is the service's limit.
func putsOver(calls []Call) bool {
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

// putsOver reports whether the handler's Create is such a one.
func (s *suite) putsOver() bool {
	p := s.play()
	p.inject(Fault{What: Redeliver, Request: "Create"})
	p.deploy(s.Properties)
	var calls []Call
	for _, d := range p.deliveries("Create") {
		calls = append(calls, d.Calls...)
	}
	return p.err == nil && putsOver(calls)
}

// probe finds out whether the handler's Create is such a one.
func (x *explorer) probe() {
	x.puts = x.playAlone(history{{what: original, fault: &mishap{kind: Redeliver, request: 1}}}).putsOver
}
