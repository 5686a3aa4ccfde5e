package cfntest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/internal/properties"
)

// An Event holds what the events of this package are made of. Options change
// its fields:
//
//	cfntest.CreateEvent(props, func(e *cfntest.Event) { e.LogicalID = "Second" })
type Event struct {
	RequestType  string // "Create", "Update" or "Delete"
	ServiceToken string // the function's ARN
	StackID      string // the stack's ARN; its Region is that of the signed URL
	RequestID    string // a new one for each event
	LogicalID    string
	ResourceType string // "Custom::NAME" or "AWS::CloudFormation::CustomResource"
	PhysicalID   string // sent with Update and Delete

	// Properties, and for an Update OldProperties, are a struct or a map, as
	// for encoding/json. They are sent as CloudFormation sends them: numbers
	// and booleans as strings at any depth, nulls left out, ServiceToken and
	// ServiceTimeout among them.
	Properties, OldProperties any

	// ServiceTimeout is how many seconds CloudFormation waits for the answer.
	// If zero, the template does not say, and CloudFormation waits an hour.
	ServiceTimeout int

	// Sent is when CloudFormation sent the event, which the signed URL tells.
	// It is the time of the call unless an option changes it.
	Sent time.Time

	// ResponseHost is the scheme and host of the signed URL. If empty, it is
	// that of CloudFormation's bucket in the stack's Region.
	ResponseHost string

	// ResponseURL is where the answer goes. If empty, it is made of the other
	// fields, in the form of CloudFormation's signed URLs; its signature is
	// made up.
	ResponseURL string

	made func(Event, []byte) // called with the event once it is made
}

// CreateEvent returns the event that asks for a resource with properties, a
// struct or a map. A time.Duration is sent as a template writes it, as 1m30s.
//
// A struct's zero fields are properties that the template sets to zero. For
// properties that the template leaves out, use a map, or omitempty in the
// field's json tag.
//
// CreateEvent, like [UpdateEvent] and [DeleteEvent], panics if the properties
// cannot be marshalled to a JSON object, since no template can hold them.
func CreateEvent(properties any, optFns ...func(*Event)) []byte {
	return newEvent(Event{RequestType: "Create", Properties: properties}, optFns)
}

// UpdateEvent returns the event that asks for the resource physicalID to
// change from oldProperties to properties.
func UpdateEvent(physicalID string, properties, oldProperties any, optFns ...func(*Event)) []byte {
	return newEvent(Event{RequestType: "Update", PhysicalID: physicalID, Properties: properties, OldProperties: oldProperties}, optFns)
}

// DeleteEvent returns the event that asks for the resource physicalID, which
// has properties, to be deleted.
//
// An ID such as "my-stack-MyResource-1ABCDEFGHIJKL" is of the form that
// CloudFormation makes up where it never learned one. The dispatcher deletes
// twice then, as late as its deadline permits: test that in virtual time.
func DeleteEvent(physicalID string, properties any, optFns ...func(*Event)) []byte {
	return newEvent(Event{RequestType: "Delete", PhysicalID: physicalID, Properties: properties}, optFns)
}

func newEvent(e Event, optFns []func(*Event)) []byte {
	e.ServiceToken = "arn:aws:lambda:us-west-2:123456789012:function:my-function"
	e.StackID = "arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/8f3c1b60-6b52-11f0-9c1d-0a58a9feac02"
	e.RequestID = uuid.NewString()
	e.LogicalID = "MyResource"
	e.ResourceType = "Custom::MyResource"
	e.Sent = time.Now()
	for _, fn := range optFns {
		fn(&e)
	}
	if e.ResponseURL == "" {
		e.ResponseURL = signedURL(e)
	}
	payload := e.encode()
	if e.made != nil {
		e.made(e, payload)
	}
	return payload
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

func (e Event) encode() []byte {
	w := wireEvent{
		RequestType:        e.RequestType,
		ServiceToken:       e.ServiceToken,
		ResponseURL:        e.ResponseURL,
		StackID:            e.StackID,
		RequestID:          e.RequestID,
		LogicalResourceID:  e.LogicalID,
		PhysicalResourceID: e.PhysicalID,
		ResourceType:       e.ResourceType,
		ResourceProperties: e.wireProperties(e.Properties),
	}
	if e.ServiceTimeout != 0 {
		w.ServiceTimeout = strconv.Itoa(e.ServiceTimeout)
	}
	if e.RequestType == "Update" {
		w.OldResourceProperties = e.wireProperties(e.OldProperties)
	}
	return encode(w)
}

// wireProperties returns v as CloudFormation sends it.
func (e Event) wireProperties(v any) map[string]any {
	props := map[string]any{}
	if v != nil {
		d := json.NewDecoder(bytes.NewReader(encode(v)))
		d.UseNumber() // a number's text is sent as it stands
		if err := d.Decode(&props); err != nil {
			panic(fmt.Sprintf("cfntest: properties of type %T are not a JSON object: pass a struct or a map", v))
		}
	}
	wire := map[string]any{"ServiceToken": e.ServiceToken}
	if e.ServiceTimeout != 0 {
		wire["ServiceTimeout"] = strconv.Itoa(e.ServiceTimeout)
	}
	withDurations(reflect.ValueOf(v), props)
	for name, value := range props {
		if value != nil {
			wire[name] = properties.Stringify(value)
		}
	}
	return wire
}

// encode is json.Marshal without the escapes for HTML, which real events lack.
func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("cfntest: %T cannot be sent as JSON: %v", v, err))
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
