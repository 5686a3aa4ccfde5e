package play

import (
	"bytes"
	"cmp"
	"reflect"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// stringifiedProperties compares what the handler makes of native numbers and booleans
// with what it makes of strings, which is what CloudFormation sends.
func stringifiedProperties(s *suite) error {
	sent := s.createEvent(s.Properties)
	asWritten := simulate.NativeValues(sent, s.Properties)
	if bytes.Equal(asWritten, sent) {
		return missingError("no property is a number or a boolean")
	}
	r, other := s.newRun(), s.newRun()
	want := other.deliver(asWritten)
	got := r.deliver(s.createEvent(s.Properties)) // a new event: sent's deadline may have passed
	switch {
	case other.err != nil || r.err != nil:
		return cmp.Or(other.err, r.err)
	case got.Status != "SUCCESS" && want.Status != "SUCCESS":
		return unjudgedError("a Create is not answered SUCCESS")
	case got.Status != "SUCCESS":
		return r.failf("the Create is answered FAILED, and with native numbers and booleans it succeeds")
	case want.Status != "SUCCESS":
		return nil // and CloudFormation sends none
	}
	texts, natives := r.state(got.PhysicalResourceID), other.state(want.PhysicalResourceID)
	if !reflect.DeepEqual(texts, natives) {
		return r.failf("the state is\n\t%s\nand with native numbers and booleans\n\t%s", shorten(texts), shorten(natives))
	}
	return nil
}
