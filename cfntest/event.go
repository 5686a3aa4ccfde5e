package cfntest

import (
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// An Event holds what the events of this package are made of. Options change its fields:
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

	// Properties, and for an Update OldProperties, are a struct or a map, as for encoding/json.
	// They are sent as CloudFormation sends them: with ServiceToken and ServiceTimeout, numbers and
	// booleans as strings at any depth, nulls left out. A dynamic reference is sent as its text, as
	// CloudFormation sends one to Secrets Manager: in place of one to a parameter, write its value.
	Properties, OldProperties any

	// ServiceTimeout is how many seconds CloudFormation waits for the answer.
	// If zero, the template does not say, and CloudFormation waits an hour.
	ServiceTimeout int

	// Sent is when CloudFormation sent the event, which the signed URL shows.
	// It is the time of the call unless an option changes it.
	Sent time.Time

	// ResponseHost is the scheme and host of the signed URL. If empty, it is
	// that of CloudFormation's bucket in the stack's Region.
	ResponseHost string

	// ResponseURL is where the answer goes. If empty, it is made of the other fields, in the form
	// of CloudFormation's signed URLs; its signature is made up.
	ResponseURL string

	made func(Event, []byte) // called with the event once it is made
}

// CreateEvent returns the event that asks for a resource with properties, a
// struct or a map. A time.Duration is sent as a template writes it, as 1m30s.
//
// A struct's zero fields are properties that the template sets to zero. For properties that the
// template leaves out, use a map, or omitempty in the field's json tag.
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
// CloudFormation makes up where it never learned one. The dispatcher then
// deletes twice, as late as its deadline permits: test that in virtual time.
func DeleteEvent(physicalID string, properties any, optFns ...func(*Event)) []byte {
	return newEvent(Event{RequestType: "Delete", PhysicalID: physicalID, Properties: properties}, optFns)
}

func newEvent(e Event, optFns []func(*Event)) []byte {
	d := simulate.NewEvent(e.RequestType, e.PhysicalID, e.Properties, e.OldProperties)
	e.ServiceToken, e.StackID, e.RequestID, e.LogicalID, e.ResourceType, e.Sent = d.ServiceToken, d.StackID, d.RequestID, d.LogicalID, d.ResourceType, d.Sent
	for _, fn := range optFns {
		fn(&e)
	}
	// The URL is made of what the options have left, such as another time or stack.
	if e.ResponseURL == "" {
		e.ResponseURL = e.behind().SignedURL()
	}
	payload := e.behind().Encode()
	if e.made != nil {
		e.made(e, payload)
	}
	return payload
}

func (e Event) behind() simulate.Event {
	return simulate.Event{
		RequestType: e.RequestType, ServiceToken: e.ServiceToken, StackID: e.StackID, RequestID: e.RequestID,
		LogicalID: e.LogicalID, ResourceType: e.ResourceType, PhysicalID: e.PhysicalID,
		Properties: e.Properties, OldProperties: e.OldProperties,
		ServiceTimeout: e.ServiceTimeout, Sent: e.Sent, ResponseHost: e.ResponseHost, ResponseURL: e.ResponseURL,
	}
}
