package cfnresource_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
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

// Each event in an SNS notification is answered; those that cannot be are told.
func TestSNSNotification(t *testing.T) {
	bubble(t, func(t *testing.T) {
		message := func(p payload) object { return object{"EventSource": "aws:sns", "Sns": object{"Message": string(p())}} }
		other := object{"RequestId": "r2", "LogicalResourceId": "Other"}
		h := &fake{}
		var logged bytes.Buffer
		d := dispatcher(h, func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
		answers, err := send(t, d, func() []byte {
			return encode(object{"Records": []object{message(created(nil)), message(func() []byte { return []byte("hello") }), message(created(other))}})
		}, new(recorder))
		if len(answers) != 2 || len(h.calls) != 2 {
			t.Errorf("%d answers, calls %q; want both events handled", len(answers), h.calls)
		}
		if err != nil {
			t.Errorf("error %v would have Lambda deliver again what is answered", err)
		}
		if !strings.Contains(logged.String(), "record 2 of 3") {
			t.Errorf("the log does not name the record that is no event:\n%s", &logged)
		}
	})
}

// A payload that nobody can be answered for is an error that says so, and reaches no handler.
func TestUnanswerablePayloads(t *testing.T) {
	for _, tt := range []struct{ name, payload, want string }{
		{"empty", "", "not JSON"},
		{"not JSON", "hello", "not JSON at byte 1"},
		{"not an object", "[]", "not a JSON object"},
		{"another event", `{"source":"aws.events"}`, "no ResponseURL"},
		{"a ResponseURL that is no string", `{"ResponseURL":7}`, "no ResponseURL"},
		{"a ResponseURL that is no URL", `{"ResponseURL":"::"}`, "ResponseURL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{}
			answers, err := send(t, dispatcher(h), func() []byte { return []byte(tt.payload) }, new(recorder))
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(answers) > 0 || len(h.calls) > 0 {
				t.Errorf("error %v, want one that says %q; answers %v, calls %q", err, tt.want, answers, h.calls)
			}
		})
	}
}

// An event that is wrong but can be answered is answered.
func TestMalformedEventsAreAnswered(t *testing.T) {
	for _, tt := range []struct {
		name   string
		event  payload
		id     string
		reason string
	}{
		{"unknown RequestType", event("Import", object{"PhysicalResourceId": "svc-1"}), "svc-1", "RequestType"},
		{"RequestType in the wrong case", event("create", nil), marker, "RequestType"},
		{"no RequestType", event("Create", object{"RequestType": nil}), marker, "RequestType"},
		{"Update without an ID", event("Update", nil), marker, "PhysicalResourceId"},
		{"Delete without an ID", event("Delete", nil), marker, "PhysicalResourceId"},
		{"a LogicalResourceId that is no string", created(object{"LogicalResourceId": 7}), marker, "LogicalResourceId is not a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{}
			got := invoke(t, dispatcher(h), tt.event)
			if got.Status != "FAILED" || got.PhysicalResourceId != tt.id || !strings.Contains(got.Reason, tt.reason) || len(h.calls) > 0 {
				t.Errorf("%s %s (%s), calls %q; want FAILED %s, one that says %q", got.Status, got.PhysicalResourceId, got.Reason, h.calls, tt.id, tt.reason)
			}
		})
	}
}
