package blackbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An answer is what CloudFormation reads out of a response object.
type answer struct {
	Status, Reason, PhysicalResourceId string
	NoEcho                             bool
	Data                               map[string]any
}

// judge is CloudFormation's side of an answer: it returns the answer that
// stands in the bucket, and everything that CloudFormation would refuse, or
// could misread, about it (CloudFormation user guide, "Custom resource response
// objects"). Where CloudFormation is lenient or its leniency is not known, the judge is strict.
func judge(d *delivery, bodies []string) (a answer, faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	body := bodies[0]
	for i, other := range bodies[1:] {
		if other != body {
			fault("answer %d differs from the first: %s", i+2, other)
		}
	}
	if len(body) > 4096 {
		fault("Response object is too long: %d bytes", len(body))
	}
	if !utf8.ValidString(body) {
		fault("the body is not valid UTF-8")
	}
	var fields map[string]json.RawMessage
	dec := json.NewDecoder(strings.NewReader(body))
	if err := dec.Decode(&fields); err != nil {
		fault("the body is not a JSON object: %v", err)
		return a, faults
	}
	if _, err := dec.Token(); err != io.EOF {
		fault("there is more after the JSON object")
	}
	text := func(name string) (s string, ok bool) {
		raw, ok := fields[name]
		if !ok {
			return "", false
		}
		if json.Unmarshal(raw, &s) != nil || !bytes.HasPrefix(raw, []byte{'"'}) {
			fault("Invalid Response object: Value of property %s must be of type String", name)
		}
		return s, true
	}
	control := func(name, s string) {
		if i := strings.IndexFunc(s, unicode.IsControl); i >= 0 {
			fault("%s has a control character at %d: %q", name, i, s)
		}
	}

	a.Status, _ = text("Status")
	a.Reason, _ = text("Reason")
	a.PhysicalResourceId, _ = text("PhysicalResourceId")
	if a.Status != "SUCCESS" && a.Status != "FAILED" {
		fault("Invalid Response object: %q is not a valid ResponseStatus", a.Status)
	}
	if strings.TrimSpace(a.Reason) == "" && a.Status == "FAILED" {
		fault("FAILED without a Reason")
	}
	control("Reason", strings.ReplaceAll(a.Reason, "\n", " "))
	if strings.Contains(a.Reason, "\n") {
		fault("Reason has more than one line: %q", a.Reason)
	}
	if id := a.PhysicalResourceId; strings.TrimSpace(id) == "" || len(id) > 1024 {
		fault("Invalid PhysicalResourceId: %d bytes", len(id))
	}
	control("PhysicalResourceId", a.PhysicalResourceId)
	for name, want := range map[string]string{"StackId": d.stackID, "RequestId": d.id, "LogicalResourceId": d.logical} {
		if got, _ := text(name); got != want {
			fault("%s is %q, not %q", name, got, want)
		}
	}
	for name, raw := range fields {
		switch name {
		case "Status", "Reason", "PhysicalResourceId", "StackId", "RequestId", "LogicalResourceId":
		case "NoEcho":
			if json.Unmarshal(raw, &a.NoEcho) != nil {
				fault("NoEcho is not a boolean: %s", raw)
			}
		case "Data":
			if d.request == "Delete" {
				fault("Data in the answer to a Delete")
			}
			if json.Unmarshal(raw, &a.Data) != nil || a.Data == nil {
				fault("Data is not an object: %s", raw)
			}
			for key, value := range a.Data {
				if _, nested := value.(map[string]any); nested || value == nil {
					fault("Fn::GetAtt cannot read %q: %v", key, value)
				}
			}
		default:
			fault("there is no field %q in a response", name)
		}
	}
	return a, faults
}

// changed says whether an answer's ID makes CloudFormation take the resource
// for another one, which it then deletes, or refuses the answer.
func changed(d *delivery, a answer, replaces bool) bool {
	return d.request != "Create" && !replaces && a.PhysicalResourceId != d.physical
}
