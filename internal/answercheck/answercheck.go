// Package answercheck reads answers as CloudFormation does. It reports everything that CloudFormation
// would refuse, or silently read as something else. It is strict where CloudFormation is lenient,
// or may be: internal/cfn/engine is as lenient as CloudFormation. It shares no code with package
// response, so that it finds the mistakes made there.
package answercheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Response is what CloudFormation reads of the answer to an event. Its form
// has been checked; its contents are for the test to judge.
type Response struct {
	Status             string // "SUCCESS" or "FAILED"
	Reason             string // never empty with FAILED
	PhysicalResourceID string
	NoEcho             bool           // whether Data holds secrets
	Data               map[string]any // strings and lists, by the name that Fn::GetAtt uses

	Invocations int // that the event took; 0 if they were not counted
}

// What CloudFormation accepts (Template reference, "Custom resource response objects"), in bytes.
const (
	MaxAnswer     = 4096
	maxPhysicalID = 1024
)

// A Request is the part of an event that its answer is checked against.
type Request struct {
	RequestType        string `json:"RequestType"`
	StackID            string `json:"StackId"`
	RequestID          string `json:"RequestId"`
	LogicalResourceID  string `json:"LogicalResourceId"`
	PhysicalResourceID string `json:"PhysicalResourceId"`
}

// ReadRequest reads the part of an event that its answer is checked against.
func ReadRequest(event []byte) (Request, error) {
	var req Request
	if err := json.Unmarshal(event, &req); err != nil {
		return req, fmt.Errorf("the event is not a JSON object with strings for its IDs: %w", err)
	}
	if req.StackID == "" || req.RequestID == "" || req.LogicalResourceID == "" {
		return req, errors.New("the event has no StackId, RequestId or LogicalResourceId, so no answer to it can be checked")
	}
	return req, nil
}

// Read decodes the answer to req. Its error is a line for each fault.
func Read(req Request, body []byte) (Response, error) {
	// bad are the lines of the error, in the order of what follows.
	var bad []error
	wrong := func(format string, args ...any) { bad = append(bad, fmt.Errorf(format, args...)) }

	// The body.
	if len(body) > MaxAnswer {
		wrong("it has %d bytes: CloudFormation refuses more than %d (\"Response object is too long.\")", len(body), MaxAnswer)
	}
	if !utf8.Valid(body) {
		wrong("it is not valid UTF-8")
	}
	fields, err := readObject(body)
	if err != nil {
		wrong("it is not one JSON object: %w", err)
		return Response{}, errors.Join(bad...)
	}

	// The names of its fields.
	known := []string{"Status", "Reason", "PhysicalResourceId", "StackId", "RequestId", "LogicalResourceId", "NoEcho", "Data"}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			wrong("it has the field %q, which CloudFormation does not know", name)
		}
		if fields[name] == nil {
			wrong("its %s is null: leave it out", name)
		}
	}
	text := func(name string) string {
		s, isString := fields[name].(string)
		if !isString && fields[name] != nil {
			wrong("its %s is not a string", name)
		}
		return s
	}

	// The status, the reason and the IDs.
	a := Response{Status: text("Status"), Reason: text("Reason"), PhysicalResourceID: text("PhysicalResourceId")}
	if a.Status != "SUCCESS" && a.Status != "FAILED" {
		wrong("its Status is %q, neither SUCCESS nor FAILED", a.Status)
	}
	if a.Status == "FAILED" && strings.TrimSpace(a.Reason) == "" {
		wrong("it is FAILED without a Reason")
	}
	if strings.ContainsFunc(a.Reason, unicode.IsControl) {
		wrong("its Reason has control characters, with which the stack's events cannot be listed")
	}
	for _, err := range checkPhysicalID(req, a.PhysicalResourceID) {
		wrong("%w", err)
	}
	for _, id := range []struct{ name, want string }{{"StackId", req.StackID}, {"RequestId", req.RequestID}, {"LogicalResourceId", req.LogicalResourceID}} {
		if got := text(id.name); got != id.want {
			wrong("its %s is %q, the event's is %q", id.name, got, id.want)
		}
	}
	// What other resources read.
	var isBoolean bool
	if a.NoEcho, isBoolean = fields["NoEcho"].(bool); !isBoolean && fields["NoEcho"] != nil {
		wrong("its NoEcho is not a boolean")
	}
	if value, ok := fields["Data"]; ok {
		var errs []error
		a.Data, errs = readData(value)
		bad = append(bad, errs...)
		if req.RequestType == "Delete" {
			wrong("it has Data, which is not supported in the answer to a Delete")
		}
	}
	return a, errors.Join(bad...)
}

// readObject decodes one JSON object and nothing after it. Unlike a struct, a
// map tells "status" from "Status", as CloudFormation does.
func readObject(body []byte) (fields map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if value == nil {
		return nil, errors.New("it is null")
	}
	fields, isObject := value.(map[string]any)
	if !isObject {
		return nil, errors.New("it is a list, or a single value")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows it")
	}
	return fields, nil
}

func checkPhysicalID(req Request, id string) (errs []error) {
	if strings.TrimSpace(id) == "" {
		errs = append(errs, errors.New("its PhysicalResourceId is missing or empty: CloudFormation would report \"Invalid PhysicalResourceId\" instead of its Reason"))
	}
	if len(id) > maxPhysicalID {
		errs = append(errs, fmt.Errorf("its PhysicalResourceId has %d bytes: CloudFormation refuses more than %d", len(id), maxPhysicalID))
	}
	if strings.ContainsFunc(id, unicode.IsControl) {
		errs = append(errs, errors.New("its PhysicalResourceId has control characters"))
	}
	if req.RequestType == "Delete" && id != req.PhysicalResourceID {
		errs = append(errs, fmt.Errorf("its PhysicalResourceId is %q, and a Delete cannot change it from %q", id, req.PhysicalResourceID))
	}
	return errs
}

// readData reads what Fn::GetAtt reads: it looks a name up as it stands, and
// does not reach into objects.
func readData(value any) (data map[string]any, errs []error) {
	data, isObject := value.(map[string]any)
	if !isObject && value != nil {
		return nil, []error{errors.New("its Data is not an object")}
	}
	for _, name := range slices.Sorted(maps.Keys(data)) {
		switch value := data[name].(type) {
		case string:
		case []any:
			if !holdsTexts(value) {
				errs = append(errs, fmt.Errorf("its Data has a list as %q with an element that is no string: write each as a string, as a template reads it", name))
			}
		case nil:
			errs = append(errs, fmt.Errorf("its Data has null as %q: leave it out", name))
		case map[string]any:
			errs = append(errs, fmt.Errorf("its Data has an object as %q, which Fn::GetAtt cannot reach into", name))
		default:
			errs = append(errs, fmt.Errorf("its Data has a %T as %q: write it as a string, as a template reads it", value, name))
		}
	}
	return data, errs
}

// holdsTexts reports whether a value is a string, or all that a list or an object holds are strings.
func holdsTexts(value any) bool {
	not := func(v any) bool { return !holdsTexts(v) }
	switch v := value.(type) {
	case string:
		return true
	case []any:
		return !slices.ContainsFunc(v, not)
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), not)
	}
	return false
}
