package simulate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/properties"
)

// An Event is cfntest's Event.
type Event struct {
	RequestType  string
	ServiceToken string
	StackID      string
	RequestID    string
	LogicalID    string
	ResourceType string
	PhysicalID   string

	Properties, OldProperties any

	ServiceTimeout int
	Sent           time.Time
	ResponseHost   string
	ResponseURL    string // if empty, Encode makes a signed URL
}

// NewEvent returns an event about the default resource.
func NewEvent(requestType, physicalID string, properties, oldProperties any) Event {
	return Event{
		RequestType:   requestType,
		ServiceToken:  serviceToken,
		StackID:       "arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/8f3c1b60-6b52-11f0-9c1d-0a58a9feac02",
		RequestID:     uuid.NewString(),
		LogicalID:     "MyResource",
		ResourceType:  "Custom::MyResource",
		PhysicalID:    physicalID,
		Properties:    properties,
		OldProperties: oldProperties,
		Sent:          time.Now(),
	}
}

// wireEvent has the fields in the order of real events.
type wireEvent struct {
	RequestType           string         `json:"RequestType"`
	ServiceToken          string         `json:"ServiceToken"`
	ServiceTimeout        string         `json:"ServiceTimeout,omitempty"`
	ResponseURL           string         `json:"ResponseURL"`
	StackID               string         `json:"StackId"`
	RequestID             string         `json:"RequestId"`
	LogicalResourceID     string         `json:"LogicalResourceId"`
	PhysicalResourceID    string         `json:"PhysicalResourceId,omitempty"`
	ResourceType          string         `json:"ResourceType"`
	ResourceProperties    map[string]any `json:"ResourceProperties"`
	OldResourceProperties map[string]any `json:"OldResourceProperties,omitempty"`
}

// Encode returns the event as CloudFormation sends it. It panics if properties are no JSON object.
func (e Event) Encode() []byte {
	if e.ResponseURL == "" {
		e.ResponseURL = e.SignedURL()
	}
	w := wireEvent{
		RequestType:        e.RequestType,
		ServiceToken:       e.ServiceToken,
		ResponseURL:        e.ResponseURL,
		StackID:            e.StackID,
		RequestID:          e.RequestID,
		LogicalResourceID:  e.LogicalID,
		PhysicalResourceID: e.PhysicalID,
		ResourceType:       e.ResourceType,
		ResourceProperties: e.wireProperties(Sent(e.Properties)),
	}
	if e.ServiceTimeout != 0 {
		w.ServiceTimeout = strconv.Itoa(e.ServiceTimeout)
	}
	if e.RequestType == "Update" {
		w.OldResourceProperties = e.wireProperties(Sent(e.OldProperties))
	}
	return JSON(w)
}

// Properties returns v, a struct or a map, as CloudFormation sends it, without the properties
// that it adds. Like Encode it panics if v is no JSON object.
func Properties(v any) map[string]any {
	sent := Sent(v)
	delete(sent, "ServiceToken")
	return sent
}

// wireProperties returns properties with those that CloudFormation adds.
func (e Event) wireProperties(sent map[string]any) map[string]any {
	wire := map[string]any{"ServiceToken": e.ServiceToken}
	if e.ServiceTimeout != 0 {
		wire["ServiceTimeout"] = strconv.Itoa(e.ServiceTimeout)
	}
	maps.Copy(wire, sent)
	return wire
}

// Sent is Properties with a ServiceToken that v has of its own.
func Sent(v any) map[string]any {
	props := map[string]any{}
	if v != nil {
		d := json.NewDecoder(bytes.NewReader(JSON(v)))
		d.UseNumber() // a number's text is sent as it stands
		if err := d.Decode(&props); err != nil {
			panic(fmt.Sprintf("cfntest: properties of type %T are not a JSON object: pass a struct or a map", v))
		}
	}
	withDurations(reflect.ValueOf(v), props)
	sent := make(map[string]any, len(props))
	for name, value := range props {
		if value != nil {
			sent[name] = properties.Stringify(value)
		}
	}
	return sent
}

// JSON is json.Marshal without escapes for HTML, which real events do not have.
func JSON(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("cfntest: %T cannot be sent as JSON: %v", v, err))
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// SignedURL returns a URL of the form of CloudFormation's: an object in the
// Region's bucket, named by stack, resource and request, with the query of an
// S3 signature of version 4 that is valid for two hours.
func (e Event) SignedURL() string {
	region := regionOf(e.StackID)
	host := e.ResponseHost
	if host == "" {
		host = "https://" + bucketHost(region)
	}
	// Everything is escaped but the slashes of the stack's ARN.
	key := url.QueryEscape(e.StackID + "|" + e.LogicalID + "|" + e.RequestID)
	key = strings.ReplaceAll(key, "%2F", "/")

	sent := e.Sent.UTC()
	credential := "AKIAIOSFODNN7EXAMPLE/" + sent.Format("20060102") + "/" + region + "/s3/aws4_request"
	signature := sha256.Sum256([]byte(key + sent.String()))
	return host + "/" + key +
		"?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
		"&X-Amz-Date=" + sent.Format("20060102T150405Z") +
		"&X-Amz-SignedHeaders=host" +
		"&X-Amz-Expires=7200" +
		"&X-Amz-Credential=" + url.QueryEscape(credential) +
		"&X-Amz-Signature=" + hex.EncodeToString(signature[:])
}

// bucketHost returns the host of the bucket that CloudFormation takes answers
// from. Its form depends on the Region's age.
func bucketHost(region string) string {
	s3 := "s3." + region
	switch region {
	case "us-east-1":
		s3 = "s3"
	case "us-east-2", "us-west-2", "eu-west-1", "ap-southeast-2":
		s3 = "s3-" + region
	}
	return "cloudformation-custom-resource-response-" + strings.ReplaceAll(region, "-", "") + "." + s3 + "." + engine.PartitionOf(region).Suffix
}

// regionOf returns the Region of an ARN.
func regionOf(arn string) string {
	fields := strings.SplitN(arn, ":", 6)
	if len(fields) < 6 {
		return "us-west-2"
	}
	return fields[3]
}

// A Template is cfntest's Template: resources, by their logical IDs.
type Template map[string]Resource

// A Resource is cfntest's Resource.
type Resource struct {
	Type       string
	Properties map[string]any // as they are sent: see Sent
	DependsOn  []string

	DeletionPolicy      string
	UpdateReplacePolicy string

	ServiceTimeout int
	Fails          string
}

// handled reports whether a resource is the handler's.
func (r Resource) handled() bool {
	return r.Type == "" || engine.IsCustomResource(r.Type)
}

// serviceToken is every resource's ServiceToken: there is one function.
const serviceToken = "arn:aws:lambda:us-west-2:123456789012:function:my-function" //nolint:gosec // an ARN is no credential

// failing is the property of a stand-in that makes it differ from one that
// does not fail, so that it is updated.
const failing = "Fails"

// mark is the property that no event has, by which CloudFormation takes properties for others.
const mark = "cfntest:again"

// withoutMark returns an event whose properties do not have the mark, which is a number, nor one of the commas beside it.
func withoutMark(event []byte) []byte {
	for {
		before, rest, isMarked := bytes.Cut(event, []byte(`"`+mark+`":"`))
		if !isMarked {
			return event
		}
		_, after, _ := bytes.Cut(rest, []byte(`"`))
		before, isBehind := bytes.CutSuffix(before, []byte(","))
		if !isBehind {
			after = bytes.TrimPrefix(after, []byte(","))
		}
		event = slices.Concat(before, after)
	}
}

// rewrite returns an event with other properties in a field, if it has that.
func rewrite(event []byte, field string, change func(props map[string]any) map[string]any) []byte {
	var fields map[string]json.RawMessage
	var props map[string]any
	switch {
	case json.Unmarshal(event, &fields) != nil, fields[field] == nil, json.Unmarshal(fields[field], &props) != nil:
		return event
	}
	fields[field] = JSON(change(props))
	return JSON(fields)
}

// check refuses what a test means otherwise than CloudFormation reads it.
func (t Template) check() error {
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(t)) {
		r := t[id]
		if !logicalID.MatchString(id) {
			errs = append(errs, fmt.Errorf("the logical ID %q is not alphanumeric", id))
		}
		if r.handled() && r.Fails != "" {
			errs = append(errs, fmt.Errorf("%s is the handler's, which decides whether it fails: leave Fails out", id))
		}
		errs = append(errs,
			oneOf("DeletionPolicy of "+id, r.DeletionPolicy, "Delete", "Retain", "RetainExceptOnCreate"),
			oneOf("UpdateReplacePolicy of "+id, r.UpdateReplacePolicy, "Delete", "Retain"))
	}
	return errors.Join(errs...)
}

// logicalID matches the names of resources in a template.
var logicalID = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// oneOf returns an error if a word is set, and is none of some.
func oneOf(what, word string, words ...string) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("the %s is %q: want one of %s", what, word, strings.Join(words, ", "))
}

// build returns the template as the engine takes it, its resources in the order of their logical
// IDs. again says how often each is updated although no property differs.
func (t Template) build(again map[string]int) *engine.Template {
	out := new(engine.Template)
	for _, id := range slices.Sorted(maps.Keys(t)) {
		r := t[id]
		e := Event{ServiceToken: serviceToken, ServiceTimeout: r.ServiceTimeout}
		properties := e.wireProperties(r.Properties)
		if !r.handled() && r.Fails != "" {
			properties[failing] = r.Fails
		}
		if n := again[id]; n > 0 {
			properties[mark] = strconv.Itoa(n)
		}
		out.Resources = append(out.Resources, engine.Resource{
			LogicalID:           id,
			Type:                cmp.Or(r.Type, "Custom::Resource"),
			DependsOn:           slices.Sorted(slices.Values(r.DependsOn)),
			Properties:          func(engine.Refs) (map[string]any, error) { return properties, nil },
			DeletionPolicy:      r.DeletionPolicy,
			UpdateReplacePolicy: r.UpdateReplacePolicy,
		})
	}
	return out
}

// standIn makes a stand-in fail if the template gives a reason.
func standIn(operation string, r *engine.StackResource) engine.Fate {
	reason, _ := r.Properties.Map()[failing].(string)
	if operation == "Delete" {
		reason = ""
	}
	return engine.Fate{Failure: reason}
}

var (
	durationType      = reflect.TypeFor[time.Duration]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// withDurations returns wire, which encoding/json made of v, with durations as
// a template writes them: 30s and not a number of nanoseconds.
func withDurations(v reflect.Value, wire any) any {
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Interface}, v.Kind()) {
		v = v.Elem()
	}
	if v.Kind() == reflect.Invalid {
		return wire
	}
	if v.Type() == durationType {
		if _, ok := wire.(json.Number); ok {
			return v.Interface().(time.Duration).String()
		}
		return wire
	}
	if t := reflect.PointerTo(v.Type()); t.Implements(marshalerType) || t.Implements(textMarshalerType) {
		return wire // the type knows best
	}
	switch wire := wire.(type) {
	case []any: // of a slice or an array
		for i := range wire {
			wire[i] = withDurations(v.Index(i), wire[i])
		}
	case map[string]any:
		for name, value := range members(v) {
			if w, ok := wire[name]; ok {
				wire[name] = withDurations(value, w)
			}
		}
	}
	return wire
}

// members returns the values in v, a map or struct, by their names in JSON.
func members(v reflect.Value) map[string]reflect.Value {
	out := make(map[string]reflect.Value)
	switch v.Kind() {
	case reflect.Map:
		for key, value := range v.Seq2() {
			out[fmt.Sprint(key.Interface())] = value
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			field, err := v.FieldByIndexErr(f.Index)
			if err != nil || !f.IsExported() {
				continue // of an embedded nil pointer, or not sent
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			out[name] = field
		}
	}
	return out
}
