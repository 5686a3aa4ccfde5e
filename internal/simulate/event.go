package simulate

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

// An Event is cfntest's.
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

// NewEvent returns an event about the resource that events are about unless they say otherwise.
func NewEvent(requestType, physicalID string, properties, oldProperties any) Event {
	return Event{
		RequestType:   requestType,
		ServiceToken:  ServiceToken,
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
		ResourceProperties: e.wireProperties(e.Properties),
	}
	if e.ServiceTimeout != 0 {
		w.ServiceTimeout = strconv.Itoa(e.ServiceTimeout)
	}
	if e.RequestType == "Update" {
		w.OldResourceProperties = e.wireProperties(e.OldProperties)
	}
	return JSON(w)
}

// Properties returns v, a struct or a map, as CloudFormation sends it, without what it
// adds. Like Encode it panics if v is no JSON object.
func Properties(v any) map[string]any {
	sent := Event{}.wireProperties(v)
	delete(sent, "ServiceToken")
	return sent
}

// wireProperties returns v as CloudFormation sends it.
func (e Event) wireProperties(v any) map[string]any {
	props := map[string]any{}
	if v != nil {
		d := json.NewDecoder(bytes.NewReader(JSON(v)))
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

// JSON is json.Marshal without the escapes for HTML, which real events lack.
func JSON(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("cfntest: %T cannot be sent as JSON: %v", v, err))
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
