package blackbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// All events are about this stack.
const (
	account   = "123456789012"
	stackName = "my-stack"
	stackUUID = "96896520-7ca9-11f1-99e5-06858cc65c2f"
	logicalID = "Thing"
	// generated is an ID in the form that CloudFormation generates if it never learned
	// the resource's ID.
	generated = stackName + "-" + logicalID + "-1CSUXRDAWQ7WW"
)

// note is the value of a property, and password that of a secret one. Nothing but the
// handler may see them.
const (
	note     = "a-note-that-nobody-else-reads-7f3a"
	password = "correct-horse-battery-staple-91c4"
)

// An event describes a request of CloudFormation.
type event struct {
	request                   string // "Create", "Update" or "Delete"
	physicalID                string // the physical ID; "$1" is the ID in the answer to the first step
	resourceType              string // "" is Custom::Thing
	properties, oldProperties map[string]any
	logicalID                 string // "" is Thing

	age     time.Duration // how long ago CloudFormation sent it
	v2      bool          // whether the URL has signature version 2, as until 2019
	host    int           // which of the bucket's hosts
	url     func(signed string) string
	change  func(event map[string]any)
	repeat  bool                      // whether to send the event of the previous step again
	payload func(event []byte) []byte // puts the event into an envelope; nil is none
}

// A delivery is an event that is ready to be sent, with what its answer must match.
type delivery struct {
	payload  []byte
	request  string
	id       string // of the request
	physical string
	stackID  string
	logical  string
	signed   string // its ResponseURL
}

// key returns the answer's key in the bucket.
func (d *delivery) key() string { return d.stackID + "|" + d.logical + "|" + d.id }

// deliver makes the event with index n of a case. It adds a ServiceToken, a note and a
// password to the properties.
func (e event) deliver(n int, region string, answered []string) *delivery {
	// What names the request and the resource.
	stackID := "arn:" + engine.PartitionOf(region).Name + ":cloudformation:" + region + ":" + account + ":stack/" + stackName + "/" + stackUUID
	d := &delivery{request: e.request, id: fmt.Sprintf("6245fb70-1335-46ef-8452-%012d", n+1), physical: e.physicalID, stackID: stackID, logical: e.logicalID}
	if d.logical == "" {
		d.logical = logicalID
	}
	if strings.HasPrefix(e.physicalID, "$") {
		d.physical = answered[e.physicalID[1]-'1']
	}

	// The URL to answer to, signed when the event was sent.
	path := "/" + strings.ReplaceAll(url.QueryEscape(d.key()), "%2F", "/")
	hosts, birth := hostsOf(region), time.Now().Add(-e.age)
	if host := hosts[min(e.host, len(hosts)-1)]; e.v2 {
		d.signed = presignV2(host, path, birth)
	} else {
		d.signed = presignV4(host, path, region, birth)
	}
	if e.url != nil {
		d.signed = e.url(d.signed)
	}

	// The event, with the members that its kind of request has.
	token := "arn:aws:lambda:" + region + ":" + account + ":function:provider"
	properties := func(own map[string]any) map[string]any {
		all := map[string]any{"ServiceToken": token, "Note": note, "Password": password}
		maps.Copy(all, own)
		return all
	}
	typ := e.resourceType
	if typ == "" {
		typ = "Custom::Thing"
	}
	m := map[string]any{
		"RequestType": e.request, "ServiceToken": token, "ResponseURL": d.signed, "StackId": d.stackID, "RequestId": d.id,
		"LogicalResourceId": d.logical, "ResourceType": typ, "ResourceProperties": properties(e.properties),
	}
	if e.request == "Update" {
		m["OldResourceProperties"] = properties(e.oldProperties)
	}
	if e.request != "Create" {
		m["PhysicalResourceId"] = d.physical
	}

	// What the case changes in it, or in its JSON.
	if e.change != nil {
		e.change(m)
	}
	d.payload = encode(m)
	if e.payload != nil {
		d.payload = e.payload(d.payload)
	}
	return d
}

func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// notification returns an SNS notification with one record per event.
func notification(messages ...string) []byte {
	var records []any
	for i, message := range messages {
		records = append(records, map[string]any{
			"EventSource": "aws:sns", "EventVersion": "1.0",
			"EventSubscriptionArn": "arn:aws:sns:us-west-2:" + account + ":topic:2bcfbf39-05c3-41de-beaa-fcfcc21c8f55",
			"Sns": map[string]any{
				"Type": "Notification", "MessageId": fmt.Sprintf("95df01b4-ee98-5cb9-9903-%012d", i),
				"TopicArn": "arn:aws:sns:us-west-2:" + account + ":topic", "Subject": "AWS CloudFormation custom resource request",
				"Message": message, "Timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
				"SignatureVersion": "1", "MessageAttributes": map[string]any{},
			},
		})
	}
	return encode(map[string]any{"Records": records})
}

// set is an event's change: a field gets another value, or is removed if that is nil.
func set(field string, value any) func(map[string]any) {
	return func(m map[string]any) {
		if m[field] = value; value == nil {
			delete(m, field)
		}
	}
}
