package registry

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// An action is what the registry asks for.
type action string

const (
	create action = "CREATE"
	read   action = "READ"
	update action = "UPDATE"
	remove action = "DELETE"
	list   action = "LIST"
)

// members are those of a JSON object.
type members map[string]json.RawMessage

func (m members) json() json.RawMessage {
	raw, err := json.Marshal(m)
	if m == nil || err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// with returns the members with an identifier.
func (m members) with(id string) members {
	w := members{}
	maps.Copy(w, m)
	if id != "" {
		w[Identifier], _ = json.Marshal(id) // a string: it cannot fail
	}
	return w
}

// A request is what Lambda delivers.
type request struct {
	AccountID       string          `json:"awsAccountId"`
	BearerToken     string          `json:"bearerToken"`
	Region          string          `json:"region"`
	Action          action          `json:"action"`
	ResourceType    string          `json:"resourceType"`
	CallbackContext json.RawMessage `json:"callbackContext"`
	NextToken       string          `json:"nextToken"`
	MaxResults      int             `json:"maxResults"`
	StackID         string          `json:"stackId"`
	Data            struct {
		Caller        *credentials    `json:"callerCredentials"`
		Provider      *credentials    `json:"providerCredentials"`
		LogGroup      string          `json:"providerLogGroupName"`
		LogicalID     string          `json:"logicalResourceId"`
		Properties    json.RawMessage `json:"resourceProperties"`
		Previous      json.RawMessage `json:"previousResourceProperties"`
		Configuration json.RawMessage `json:"typeConfiguration"`
	} `json:"requestData"`
}

type credentials struct {
	AccessKeyID     string `json:"accessKeyId"`
	SecretAccessKey string `json:"secretAccessKey"`
	SessionToken    string `json:"sessionToken"`
}

func (c *credentials) complete() bool {
	return c.AccessKeyID != "" && c.SecretAccessKey != ""
}

// readMembers reads an object; null and nothing are an empty one.
func readMembers(raw json.RawMessage) (m members, ok bool) {
	if isNull(raw) {
		return members{}, true
	}
	return m, json.Unmarshal(raw, &m) == nil
}

func isNull(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// A status is how far a request has come.
type status string

const (
	inProgress status = "IN_PROGRESS"
	succeeded  status = "SUCCESS"
	failed     status = "FAILED"
)

// A progress is the answer: a ProgressEvent.
type progress struct {
	Status               status           `json:"status"`
	ErrorCode            cfnresource.Code `json:"errorCode,omitempty"`
	Message              string           `json:"message,omitempty"`
	CallbackContext      *callback        `json:"callbackContext,omitempty"`
	CallbackDelaySeconds int              `json:"callbackDelaySeconds"`
	ResourceModel        members          `json:"resourceModel,omitempty"`
	ResourceModels       *[]members       `json:"resourceModels,omitempty"`
	NextToken            string           `json:"nextToken,omitempty"`
	BearerToken          string           `json:"bearerToken,omitempty"`
}

func (p *progress) about(m members) *progress {
	p.ResourceModel = m
	return p
}
