package engine

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Request is what a handler was asked to do, and what came of it.
type Request struct {
	RequestType    string // Create, Update or Delete
	RequestID      string
	StackID        string
	LogicalID      string
	Type           string
	PhysicalID     string // "" in a Create
	ServiceToken   string
	ServiceTimeout string `json:",omitempty"` // the event's own field; the properties have it too
	Properties     Properties
	OldProperties  Properties `json:",omitempty"` // of an Update

	SentAt   time.Time
	Deadline time.Time // the answer is waited for until then
	Task     int       // in the current walk, while Pending

	Outcome  Outcome   `json:",omitempty"`
	Answer   string    `json:",omitempty"` // what was read
	Reason   string    `json:",omitempty"` // why it did not succeed
	ClosedAt time.Time `json:",omitzero"`  // when it was no longer waited for
	Late     []string  `json:",omitempty"` // answers that came after that: ignored, though their handlers did their work
	Lost     []string  `json:",omitempty"` // answers that never arrived: nothing acts on them

	// Interrupted is set if whoever sent it ended before an answer named anything: what its
	// handler made until then is not known.
	Interrupted bool `json:",omitempty"`
	// Settled is set once it is known that nothing is left of what it may have made besides the stack's own resources.
	Settled bool `json:",omitempty"`

	// Of a registered type, whose handler is called until it is done:
	Calls    int        `json:",omitempty"` // how many, including the one being made
	Retries  int        `json:",omitempty"` // of the latest call
	NextCall time.Time  `json:",omitzero"`  // it waits until then
	Context  Properties `json:",omitempty"` // the callbackContext
	Model    Properties `json:",omitempty"` // the resource as the handler answered it last
	Made     string     `json:",omitempty"` // the physical ID that a Create has named
}

// Changed returns the names of the properties that differ from the old ones.
func (r *Request) Changed() (names []string) {
	properties, old := r.Properties.Map(), r.OldProperties.Map()
	for name, value := range properties {
		was, ok := old[name]
		isSame := ok && reflect.DeepEqual(value, was)
		if !isSame {
			names = append(names, name)
		}
	}
	for name := range old {
		if _, ok := properties[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// An Outcome is what came of a request.
type Outcome string

const (
	Pending   Outcome = ""          // its answer is awaited
	Succeeded Outcome = "Succeeded" // answered SUCCESS
	Failed    Outcome = "Failed"    // answered FAILED
	Rejected  Outcome = "Rejected"  // answered in a form that is not accepted
	TimedOut  Outcome = "TimedOut"  // not answered in its ServiceTimeout
	Uncalled  Outcome = "Uncalled"  // the function or topic could not be called
	Cancelled Outcome = "Cancelled" // given up: another resource failed, or somebody cancelled
)

// Event returns the request as a handler gets it, with the fields in the order
// in which CloudFormation has them [O]. There is no mark of a rollback in it [D].
// The handler of a registered type gets no URL.
func (r *Request) Event(responseURL string) []byte {
	if r.Registered() {
		return r.call()
	}
	// The members are written by hand: properties are kept as JSON, and stay as they are.
	out := make([]byte, 0, 512+len(r.Properties)+len(r.OldProperties)+len(responseURL))
	out = append(out, '{')
	field := func(name, value string) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(appendString(out, name), ':')
		out = appendString(out, value)
	}
	object := func(name string, value Properties) {
		out = append(out, ',')
		out = append(appendString(out, name), ':')
		out = append(out, value...)
	}
	// The members, in the order in which CloudFormation sends them.
	field("RequestType", r.RequestType)
	field("ServiceToken", r.ServiceToken)
	if r.ServiceTimeout != "" {
		field("ServiceTimeout", r.ServiceTimeout)
	}
	field("ResponseURL", responseURL)
	field("StackId", r.StackID)
	field("RequestId", r.RequestID)
	field("LogicalResourceId", r.LogicalID)
	if r.RequestType != "Create" {
		field("PhysicalResourceId", r.PhysicalID)
	}
	field("ResourceType", r.Type)
	object("ResourceProperties", r.Properties)
	if r.RequestType == "Update" {
		object("OldResourceProperties", r.OldProperties)
	}
	return append(out, '}')
}

// Registered reports whether the request is to a handler of a registered type,
// which returns its answer.
func (r *Request) Registered() bool { return r.Calls > 0 }

// Waits reports whether the request waits for the next call to its handler, at NextCall.
func (r *Request) Waits() bool { return r.Outcome == Pending && !r.NextCall.IsZero() }

func (m *Machine) scheduleCall(q *Request, v verdict) {
	if v.retry {
		q.Retries++
	} else {
		q.Context, q.Model, q.Retries = Properties(v.context), v.model, 0
		if q.Context == "null" {
			q.Context = ""
		}
	}
	if q.Made == "" && q.RequestType == "Create" && v.physicalID != "" {
		q.Made = v.physicalID
		if r := m.taskResource(q.Task); r.Status == "CREATE_IN_PROGRESS" {
			r.PhysicalID = q.Made
			m.addResourceEvent(r, "CREATE_IN_PROGRESS", "Resource creation Initiated") // [V]
		}
	}
	q.NextCall = m.top.now.Add(v.delay)
	m.timers.add(q.NextCall, q)
	m.markRequest(q)
}

// callAgain makes the call that a request waits for.
func (m *Machine) callAgain(q *Request) {
	q.NextCall = time.Time{}
	q.Calls++
	m.markRequest(q)
	m.top.out = append(m.top.out, q)
}

// A call is what the handler of a registered type gets.
type call struct {
	Account string     `json:"awsAccountId"`
	Token   string     `json:"bearerToken"`
	Region  string     `json:"region"`
	Action  string     `json:"action"`
	Type    string     `json:"resourceType"`
	Version string     `json:"resourceTypeVersion"`
	Context Properties `json:"callbackContext,omitempty"`
	StackID string     `json:"stackId"`
	Data    callData   `json:"requestData"`
}

type callData struct {
	Caller     credentials       `json:"callerCredentials"`
	LogicalID  string            `json:"logicalResourceId"`
	Properties Properties        `json:"resourceProperties"`
	Previous   Properties        `json:"previousResourceProperties,omitempty"`
	StackTags  map[string]string `json:"stackTags"`
	SystemTags map[string]string `json:"systemTags"`
}

type credentials struct {
	AccessKeyID     string `json:"accessKeyId"`
	SecretAccessKey string `json:"secretAccessKey"`
	SessionToken    string `json:"sessionToken"`
}

// call returns the request as the handler of a registered type gets it. Its
// credentials are placeholders.
func (r *Request) call() []byte {
	arn := strings.Split(r.StackID, ":")
	for len(arn) < 5 {
		arn = append(arn, "")
	}
	out, _ := json.Marshal(call{ //nolint:gosec // strings and JSON that was read: it always can be, and the token is no secret
		Account: arn[4],
		Token:   r.RequestID,
		Region:  arn[3],
		Action:  strings.ToUpper(r.RequestType),
		Type:    r.Type,
		Version: "00000001",
		Context: r.Context,
		StackID: r.StackID,
		Data: callData{
			Caller:     credentials{"cfnlocal", "no-key-of-anybody", "no-token-of-anybody"},
			LogicalID:  r.LogicalID,
			Properties: cmp.Or(r.Model, r.Properties),
			Previous:   r.OldProperties,
			StackTags:  map[string]string{},
			SystemTags: map[string]string{"aws:cloudformation:stack-id": r.StackID, "aws:cloudformation:logical-id": r.LogicalID},
		},
	})
	return out
}
