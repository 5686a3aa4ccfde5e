package play

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/cfnresource/sdk-go/internal/effect"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// stringifiedProperties compares what the handler makes of native numbers and booleans
// with what it makes of strings, which is what CloudFormation sends.
func stringifiedProperties(s *suite) error {
	sent := s.createEvent(s.Properties)
	asWritten := withNativeValues(sent, s.Properties)
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
		return r.failf("the state is\n\t%s\nand with native numbers and booleans\n\t%s", effect.Shorten(texts), effect.Shorten(natives))
	}
	return nil
}

// withNativeValues returns the event with numbers and booleans as a template has them.
// It returns event itself if there are none.
func withNativeValues(event []byte, props any) []byte {
	var written map[string]any
	d := json.NewDecoder(bytes.NewReader(simulate.JSON(props)))
	d.UseNumber()
	if d.Decode(&written) != nil {
		return event
	}
	sent := simulate.Properties(props)
	changed := false
	for name, value := range written {
		if value == nil || reflect.DeepEqual(sent[name], value) {
			continue
		}
		text, _ := sent[name].(string)
		if _, number := value.(json.Number); number && text != fmt.Sprint(value) {
			continue // a time.Duration, which templates write with its unit
		}
		changed = true
		sent[name] = value
	}
	var fields map[string]json.RawMessage
	if !changed || json.Unmarshal(event, &fields) != nil {
		return event
	}
	sent["ServiceToken"] = simulate.ServiceToken
	fields["ResourceProperties"] = simulate.JSON(sent)
	return simulate.JSON(fields)
}

// undecodable returns properties of the same names, each of another shape than the
// original, as an older program may have defined them.
func undecodable(props any) map[string]any {
	out := simulate.Properties(props)
	for name, value := range out {
		if _, ok := value.(string); ok {
			out[name] = []any{map[string]any{"Shape": "another"}}
		} else {
			out[name] = "another shape"
		}
	}
	return out
}
