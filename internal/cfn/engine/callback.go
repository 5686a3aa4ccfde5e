package engine

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

// Registered reports whether the request is to a handler of a registered type,
// which returns its answer.
func (r *Request) Registered() bool { return r.Calls > 0 }

// Waits reports whether the request waits for the next call to its handler, at NextCall.
func (r *Request) Waits() bool { return r.Outcome == Pending && !r.NextCall.IsZero() }

// scheduleCall schedules the next call to a request's handler.
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
