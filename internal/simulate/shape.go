package simulate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// NativeValues returns the event with numbers and booleans as a template has them.
// It returns event itself if there are none.
func NativeValues(event []byte, props any) []byte {
	var written map[string]any
	d := json.NewDecoder(bytes.NewReader(JSON(props)))
	d.UseNumber()
	if d.Decode(&written) != nil {
		return event
	}
	sent := Properties(props)
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
	sent["ServiceToken"] = ServiceToken
	fields["ResourceProperties"] = JSON(sent)
	return JSON(fields)
}

// Undecodable returns properties of the same names, each of another shape than the
// original, as an older program may have defined them.
func Undecodable(props any) map[string]any {
	out := Properties(props)
	for name, value := range out {
		if _, ok := value.(string); ok {
			out[name] = []any{map[string]any{"Shape": "another"}}
		} else {
			out[name] = "another shape"
		}
	}
	return out
}
