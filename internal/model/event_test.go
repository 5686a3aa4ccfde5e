package model

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// An event is a request as CloudFormation writes it.
type event struct {
	requestType string
	requestID   string
	physicalID  string
	properties  template
	old         template
	born        time.Time
}

// A template is what the stack's template says about the resource: properties,
// or some that nobody can read.
type template struct {
	properties
	malformed string // the name of the property that has a value of the wrong kind
	absent    bool   // there is none
}

func (t template) String() string {
	s := strings.Trim(t.identity(), "/") + " " + t.Note
	if t.malformed != "" {
		s += " with a malformed " + t.malformed
	}
	return s
}

// wire writes properties with all scalars as strings.
func (t template) wire() map[string]any {
	m := map[string]any{
		"ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:F",
		"Note":         t.Note,
		"Size":         strconv.Itoa(t.Size),
	}
	if t.Name != "" {
		m["Name"] = t.Name
	}
	if t.Topic != "" {
		m["Topic"] = t.Topic
	}
	switch t.malformed {
	case "Size":
		m["Size"] = "many"
	case "Topic", "Name":
		m[t.malformed] = map[string]any{"Fn": "typo"}
	}
	return m
}

func (ev event) String() string {
	s := ev.requestType + "("
	if ev.physicalID != "" {
		s += short(ev.physicalID) + "; "
	}
	s += ev.properties.String()
	if !ev.old.absent {
		s += "; old " + ev.old.String()
	}
	return s + ")"
}

func (ev event) payload() []byte {
	key := url.QueryEscape(stackID+"|"+logicalID+"|") + ev.requestID
	key = strings.ReplaceAll(key, "%2F", "/")
	m := map[string]any{
		"RequestType":  ev.requestType,
		"ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:F",
		"ResponseURL": "https://cloudformation-custom-resource-response-useast1.s3.us-east-1.amazonaws.com/" + key +
			"?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=" + ev.born.UTC().Format("20060102T150405Z") +
			"&X-Amz-SignedHeaders=host&X-Amz-Expires=7200&X-Amz-Credential=AKIDEXAMPLE%2F20211117%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature=0123",
		"StackId":            stackID,
		"RequestId":          ev.requestID,
		"LogicalResourceId":  logicalID,
		"ResourceType":       "Custom::Thing",
		"ResourceProperties": ev.properties.wire(),
	}
	if ev.requestType != "Create" {
		m["PhysicalResourceId"] = ev.physicalID
	}
	if !ev.old.absent {
		m["OldResourceProperties"] = ev.old.wire()
	}
	payload, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return payload
}

// refuses says why CloudFormation would not accept an answer.
func (ev event) refuses(a answer, size int) (why []string) {
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	refuse(size > 4096, "%d bytes", size)
	refuse(a.Status != "SUCCESS" && a.Status != "FAILED", "Status %q", a.Status)
	refuse(a.Status == "FAILED" && a.Reason == "", "FAILED without a Reason")
	refuse(a.PhysicalResourceId == "" || len(a.PhysicalResourceId) > 1024, "PhysicalResourceId %q", a.PhysicalResourceId)
	refuse(a.StackId != stackID || a.RequestId != ev.requestID || a.LogicalResourceId != logicalID, "the IDs of another request")
	refuse(ev.requestType == "Delete" && a.PhysicalResourceId != ev.physicalID, "the physical ID changed in a Delete")
	refuse(ev.requestType == "Delete" && len(a.Data) > 0, "Data in a Delete")
	refuse(strings.Contains(a.Reason, "X-Amz"), "a signed URL in the Reason")
	return why
}
