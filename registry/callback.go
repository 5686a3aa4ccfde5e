package registry

import (
	"bytes"
	"encoding/json"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A callback is what one call tells the next of the same request, as its
// callbackContext. CloudFormation keeps it, and sends it back.
type callback struct {
	Version int    `json:"cfnresource"`
	Action  action `json:"action"`
	Token   string `json:"token"`             // of the request
	Calls   int    `json:"calls"`             // how many there were
	Created string `json:"created,omitempty"` // the ID of what they created
	Settled string `json:"settled,omitempty"` // the ID of what is done, as Read does not show yet
	Reads   int    `json:"reads,omitempty"`   // how many calls Read has not shown it
	// Secrets are the names of the properties that came with a secret in them.
	Secrets []string `json:"secrets,omitempty"`
}

const callbackVersion = 1

// maxCalls bounds a chain. With the longest timeout that a schema may give,
// 2160 minutes, and the delay between calls, there are fewer.
const maxCalls = 1 << 16

// callbackOf returns the request's callbackContext, nil if it has none, and an error if it is none
// that this type answered to this request: with the callback if it is another request's.
func callbackOf(r *request) (*callback, error) {
	if isNull(r.CallbackContext) || string(bytes.TrimSpace(r.CallbackContext)) == "{}" {
		return nil, nil
	}
	c := new(callback)
	d := json.NewDecoder(bytes.NewReader(r.CallbackContext))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	valid := func(id string) bool { return id == "" || physicalid.Validate(id) == nil }
	if err != nil || c.Version != callbackVersion || c.Action != r.Action ||
		c.Calls < 1 || c.Calls > maxCalls || c.Reads < 0 || !valid(c.Created) || !valid(c.Settled) {
		return nil, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the callbackContext is none that this type answered to this %s: nothing was done", r.Action)
	}
	if c.Token != r.BearerToken {
		return c, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the callbackContext is that of another bearerToken: nothing was done")
	}
	return c, nil
}

// chain is the callback as a Dispatcher of custom resources reads it. The length
// of the chain is not its concern.
func (c *callback) chain() event.Chain {
	return event.Chain{Links: 1, CreatedID: c.Created, StartPhase: phases[c.Action]}
}

// another returns what the call after this one is told.
func (c *call) another() *callback {
	n := callback{Version: callbackVersion, Action: c.r.Action, Token: c.r.BearerToken, Secrets: c.d.res.secretIn(c.props)}
	if c.back != nil {
		n = *c.back
	}
	n.Calls++
	return &n
}
