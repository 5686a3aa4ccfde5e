package cfnresource_test

import (
	"encoding/json"
	"maps"
	"strings"
	"time"
)

type object = map[string]any

// A payload is made when it is sent, since it holds the time: in a bubble of
// virtual time that is another one.
type payload func() []byte

// event returns an event of the resource Topic, changed by fields; a field
// that is nil is left out. The field "age" says how old it is.
func event(requestType string, fields object) payload {
	return func() []byte {
		age, _ := fields["age"].(time.Duration)
		ev := object{
			"RequestType":        requestType,
			"ServiceToken":       "arn:aws:lambda:us-west-2:123456789012:function:topics",
			"ResponseURL":        signedURL(time.Now().Add(-age), "r1"),
			"StackId":            stackID,
			"RequestId":          "r1",
			"LogicalResourceId":  "Topic",
			"ResourceType":       "Custom::Topic",
			"ResourceProperties": object{"Name": "a", "Size": "1"},
		}
		if requestType == "Update" {
			ev["OldResourceProperties"] = object{"Name": "a", "Size": "2"}
		}
		maps.Copy(ev, fields)
		delete(ev, "age")
		maps.DeleteFunc(ev, func(_ string, v any) bool { return v == nil })
		return encode(ev)
	}
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func created(fields object) payload { return event("Create", fields) }

func deleted(id string) payload { return event("Delete", object{"PhysicalResourceId": id}) }

func updated(id, from, to string) payload {
	return event("Update", object{
		"PhysicalResourceId":    id,
		"ResourceProperties":    object{"Name": to, "Size": "1"},
		"OldResourceProperties": object{"Name": from, "Size": "1"},
	})
}

// updatedTo is an Update from some properties to others.
func updatedTo(id string, to, from object) payload {
	return event("Update", object{"PhysicalResourceId": id, "ResourceProperties": to, "OldResourceProperties": from})
}

// signedURL has the shape of a real one.
func signedURL(born time.Time, request string) string {
	return "https://cloudformation-custom-resource-response-uswest2.s3-us-west-2.amazonaws.com/" +
		strings.NewReplacer(":", "%3A", "|", "%7C").Replace(stackID+"|Topic|"+request) +
		"?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=" + born.UTC().Format("20060102T150405Z") +
		"&X-Amz-SignedHeaders=host&X-Amz-Expires=7200&X-Amz-Credential=AKIAEXAMPLE&X-Amz-Signature=5ec2e7"
}

// died returns the record that an on-failure destination gets of an event.
func died(p payload) payload {
	return func() []byte {
		return encode(object{
			"version":         "1.0",
			"requestContext":  object{"condition": "RetriesExhausted", "approximateInvokeCount": 3},
			"requestPayload":  json.RawMessage(p()),
			"responseContext": object{"statusCode": 200, "functionError": "Unhandled"},
			"responsePayload": object{"errorType": "Runtime.ExitError", "errorMessage": "Runtime exited with error: signal: killed"},
		})
	}
}
