package blackbox

import (
	"encoding/json"
	"strings"
	"time"
)

// rawEvent is an event with this text as its payload.
func rawEvent(text string) event {
	return event{request: "Create", payload: func([]byte) []byte { return []byte(text) }}
}

// withURL is an event with a changed ResponseURL.
func withURL(change func(signed string) string) event { return event{request: "Create", url: change} }

func eventCases() []testCase {
	var cases []testCase
	one := func(name string, s step) { cases = append(cases, testCase{name: name, steps: []step{s}}) }
	unanswerable := func(name string, e event, says ...string) {
		cases = append(cases, testCase{name: name, steps: []step{{event: e, status: unanswerable, reason: says, calls: ""}}})
	}

	unanswerable("the event is not JSON", rawEvent("hello"))
	unanswerable("the event is empty", rawEvent(""))
	unanswerable("the event is null", rawEvent("null"))
	unanswerable("the event is a list", rawEvent("[]"))
	unanswerable("the event is of another kind", rawEvent(`{"Records":[{"eventSource":"aws:s3","s3":{"bucket":{"name":"b"}}}]}`))
	unanswerable("the event is a notification without records", rawEvent(`{"Records":[]}`))
	unanswerable("the event is cut", event{request: "Create", payload: func(b []byte) []byte { return b[:len(b)/2] }})
	unanswerable("no ResponseURL", event{request: "Create", change: set("ResponseURL", nil)}, "ResponseURL")
	unanswerable("ResponseURL is empty", event{request: "Create", change: set("ResponseURL", "")}, "ResponseURL")
	unanswerable("ResponseURL is a number", event{request: "Create", change: set("ResponseURL", 7)})

	const host = "cloudformation-custom-resource-response-uswest2.s3-us-west-2.amazonaws.com"
	instead := func(other string) func(string) string {
		return func(signed string) string { return strings.Replace(signed, "https://"+host, other, 1) }
	}
	for name, other := range map[string]string{ // TestCheck of package response has them all
		"a foreign host":                      "https://evil.example.com",
		"the bucket's name at a foreign host": "https://" + host + ".evil.example.com",
		"the bucket's name as a user":         "https://" + host + "@evil.example.com",
		"the bucket of another region":        "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com",
		"plain HTTP":                          "http://" + host,
		"a line break in the host":            "https://" + host + "\r\nX-Evil: 1",
	} {
		unanswerable("ResponseURL leads to "+name, withURL(instead(other)), "response: ")
	}

	// Signed URLs of both versions, in both forms of the host.
	signed := func(name, region string, e event) {
		cases = append(cases, testCase{name: "signed URL: " + name, region: region, steps: []step{{event: e, status: "SUCCESS", id: "stable", calls: "Create"}}})
	}
	signed("version 2", "us-west-2", event{request: "Create", v2: true})
	signed("version 4, the dotted host", "us-west-2", event{request: "Create", host: 1})
	signed("us-east-1 by its full name, version 2", "us-east-1", event{request: "Create", v2: true, host: 1})
	signed("China", "cn-north-1", event{request: "Create", host: 1})
	cases = append(cases, testCase{
		name: "a host that the function's owner allows", hosts: []string{"answers.example.com"}, env: []string{"CFNRESOURCE_RESPONSE_HOSTS=answers.example.com"},
		steps: []step{{event: event{request: "Create", v2: true, url: func(string) string {
			return presignV2("answers.example.com", "/arn%3Aaws%3Acloudformation%3Aus-west-2%3A123456789012%3Astack/my-stack/"+stackUUID+"%7CThing%7C6245fb70-1335-46ef-8452-000000000001", time.Now())
		}}, status: "SUCCESS", id: "stable", calls: "Create"}},
	})

	// Unusual events that can be answered.
	one("RequestType is unknown", step{event: event{request: "Create", change: set("RequestType", "Read")}, status: "FAILED", reason: []string{"RequestType"}, calls: ""})
	one("RequestType is missing", step{event: event{request: "Create", change: set("RequestType", nil)}, status: "FAILED", reason: []string{"RequestType"}, calls: ""})
	one("RequestType is unknown, of an existing resource", step{event: event{request: "Update", physicalID: oldID, change: set("RequestType", "Import")}, status: "FAILED", id: "event", reason: []string{"RequestType"}, calls: ""})
	one("RequestType in lower case", step{event: event{request: "Create", change: set("RequestType", "create")}, status: "FAILED", reason: []string{"RequestType"}, calls: ""})
	one("RequestType is a number", step{event: event{request: "Create", change: set("RequestType", 1)}, status: "FAILED", calls: ""})
	one("Update without PhysicalResourceId", step{event: event{request: "Update", change: set("PhysicalResourceId", nil)}, status: "FAILED", reason: []string{"PhysicalResourceId"}, calls: ""})
	one("PhysicalResourceId is a number", step{event: event{request: "Update", change: set("PhysicalResourceId", 7)}, status: "FAILED", calls: ""})
	one("Create with a PhysicalResourceId", step{event: event{request: "Create", change: set("PhysicalResourceId", "odd")}, status: "SUCCESS", id: "stable", calls: "Create"})
	one("unknown fields", step{event: event{request: "Create", change: set("Tags", map[string]any{"a": []any{1, nil, true}})}, status: "SUCCESS", id: "stable", calls: "Create"})
	one("ServiceTimeout at the top, as a number", step{event: event{request: "Create", change: set("ServiceTimeout", 30)}, status: "SUCCESS", id: "stable", calls: "Create"})
	one("ResourceType of AWS", step{event: event{request: "Create", resourceType: "AWS::CloudFormation::CustomResource"}, status: "SUCCESS", id: "stable", calls: "Create"})
	one("a logical ID of 255 characters", step{event: event{request: "Create", logicalID: strings.Repeat("Thing", 51)}, status: "SUCCESS", id: "stable", calls: "Create"})
	one("200 kB of properties", step{event: create("", "Labels", map[string]any{"a": strings.Repeat("é", 100_000)}), status: "SUCCESS", id: "stable", calls: "Create"})
	one("ten thousand properties deep", step{
		event:  event{request: "Create", change: func(m map[string]any) { m["Deep"] = nested(9000) }},
		status: "SUCCESS", id: "stable", calls: "Create",
	})

	// Properties.
	typed := map[string]any{
		"Name": "n", "Count": "14", "Ratio": "1.5", "Enabled": "true", "Ports": []any{"80", "443"}, "Labels": map[string]any{"a": "true"},
		"Rule": map[string]any{"Port": "8080"}, "ServiceTimeout": "60",
	}
	native := map[string]any{
		"Name": "n", "Count": 14, "Ratio": 1.5, "Enabled": true, "Ports": []any{80, 443}, "Labels": map[string]any{"a": "b"},
		"Rule": map[string]any{"Port": 8080}, "ServiceTimeout": 60,
	}
	one("properties stringified", step{event: event{request: "Create", properties: typed}, status: "SUCCESS", id: "stable", calls: "Create"})
	one("properties of native types", step{event: event{request: "Create", properties: native}, status: "SUCCESS", id: "stable", calls: "Create"})
	for name, value := range map[string]any{"absent": nil, "null": jsonNull{}} {
		one("ResourceProperties "+name+" on Create", step{event: event{request: "Create", change: set("ResourceProperties", value)}, status: "SUCCESS", id: "stable", calls: "Create"})
		one("ResourceProperties "+name+" on Update", step{event: event{request: "Update", physicalID: oldID, change: set("ResourceProperties", value)}, status: "SUCCESS", id: "event", calls: "Update"})
		one("ResourceProperties "+name+" on Delete", step{event: event{request: "Delete", physicalID: oldID, change: set("ResourceProperties", value)}, status: "SUCCESS", id: "event", calls: "Delete"})
		one("OldResourceProperties "+name, step{event: event{request: "Update", physicalID: oldID, change: set("OldResourceProperties", value)}, status: "SUCCESS", id: "event", calls: "Update"})
	}
	for name, value := range map[string]any{"a string": "props", "a list": []any{"a"}, "a number": 7} {
		one("ResourceProperties "+name+" on Create", step{event: event{request: "Create", change: set("ResourceProperties", value)}, status: "FAILED", id: "marker", reason: []string{"object"}, calls: ""})
		one("ResourceProperties "+name+" on Update", step{event: event{request: "Update", physicalID: oldID, change: set("ResourceProperties", value)}, status: "FAILED", id: "event", calls: ""})
		one("ResourceProperties "+name+" on Delete", step{event: event{request: "Delete", physicalID: oldID, change: set("ResourceProperties", value)}, status: "SUCCESS", id: "event", calls: "Delete"})
		one("OldResourceProperties "+name, step{event: event{request: "Update", physicalID: oldID, change: set("OldResourceProperties", value)}, status: "SUCCESS", id: "event", calls: "Update"})
	}
	bad := func(name string, path string, pairs ...any) {
		one(name+" on Create", step{event: create("", pairs...), status: "FAILED", id: "marker", reason: []string{path}, calls: ""})
		one(name+" on Update", step{event: update(oldID, "", pairs...), status: "FAILED", id: "event", reason: []string{path}, calls: ""})
		one(name+" on Delete", step{event: remove(oldID, "properties-error", pairs...), status: "SUCCESS", id: "event", calls: "Delete"})
	}
	bad("a number that is none", "Count", "Count", note)
	bad("a field of a field", "Rule.Port", "Rule", map[string]any{"Port": "-1"})
	bad("two mistakes", "Enabled", "Count", "x", "Enabled", "y")
	bad("a secret of another type", "Password", "Password", []any{password})

	one("an unknown property on Create is a typo", step{event: create("", "Nmae", "n"), status: "FAILED", id: "marker", reason: []string{"Nmae", "Name"}, calls: ""})
	one("an unknown property on Update", step{event: update(oldID, "", "Nmae", "n"), status: "SUCCESS", id: "event", calls: "Update"})
	one("an unknown property on Delete", step{event: remove(oldID, "", "Nmae", "n"), status: "SUCCESS", id: "event", calls: "Delete"})
	one("an unresolved reference on Create", step{event: create("", "Name", "{{resolve:secretsmanager:db:SecretString:password}}"), status: "FAILED", id: "marker", reason: []string{"Name"}, calls: ""})
	one("an unresolved reference in a longer text", step{event: create("", "Name", "db-{{resolve:secretsmanager:db}}"), status: "FAILED", id: "marker", reason: []string{"Name"}, calls: ""})
	one("an unresolved reference on Update", step{
		event:  event{request: "Update", physicalID: oldID, properties: map[string]any{"Labels": map[string]any{"a": "{{resolve:ssm-secure:db:1}}"}}},
		status: "SUCCESS", id: "event", calls: "Update",
	})
	older := event{request: "Update", physicalID: oldID, properties: withBehavior("old", nil), oldProperties: map[string]any{"Count": "many", "Zone": "z", "Name": ""}}
	one("old properties of an older shape", step{event: older, status: "SUCCESS", id: "event", calls: "Update", data: map[string]any{"Old": "unreadable"}})

	// Field names in another case: encoding/json reads them, CloudFormation never sends them.
	wrongCase := func(name string, change func(map[string]any)) {
		cases = append(cases, testCase{name: name, steps: []step{{event: event{request: "Create", change: change}, status: eitherOrNone, calls: "*", attempts: -1}}})
	}
	wrongCase("keys in lower case", func(m map[string]any) {
		for key, value := range m {
			delete(m, key)
			m[strings.ToLower(key)] = value
		}
	})
	wrongCase("a second ResponseURL in lower case", set("responseurl", "https://evil.example.com/?Signature="+accessKey))
	wrongCase("a second RequestType in lower case", set("requesttype", "Delete"))
	one("properties in lower case", step{event: create("", "count", "7"), status: either, calls: "*"})
	return append(cases, timeCases()...)
}

func timeCases() []testCase {
	at := func(e event, age time.Duration) event { e.age = age; return e }
	const year = 365 * 24 * time.Hour
	one := func(name string, s step) testCase { return testCase{name: name, steps: []step{s}} }
	return []testCase{
		one("a Create a year old", step{event: at(create(""), year), status: expired, calls: ""}),
		one("a Create a year old, version 2", step{event: event{request: "Create", age: year, v2: true}, status: expired, calls: ""}),
		one("an Update a year old", step{event: at(update(oldID, ""), year), status: expired, calls: ""}),
		one("a Delete a year old", step{event: at(remove(oldID, ""), year), status: expired, calls: ""}),
		one("a Create of 90 minutes", step{event: at(create(""), 90*time.Minute), status: "FAILED", id: "stable", calls: ""}),
		one("a Create of 90 minutes, version 2", step{event: event{request: "Create", age: 90 * time.Minute, v2: true}, status: "FAILED", id: "stable", calls: ""}),
		one("an Update of 90 minutes", step{event: at(update(oldID, ""), 90*time.Minute), status: "FAILED", id: "event", calls: ""}),
		one("a Delete of 90 minutes", step{event: at(remove(oldID, ""), 90*time.Minute), status: "FAILED", id: "event", calls: ""}),
		one("a Create of ten minutes", step{event: at(create(""), 10*time.Minute), status: "SUCCESS", id: "stable", calls: "Create"}),
		one("a Create of ten minutes with a ServiceTimeout of five", step{event: at(create("", "ServiceTimeout", "300"), 10*time.Minute), status: "FAILED", id: "stable", calls: ""}),
		one("an Update of ten minutes with a ServiceTimeout of five", step{event: at(update(oldID, "", "ServiceTimeout", "300"), 10*time.Minute), status: "FAILED", id: "event", calls: ""}),
		one("a Delete of ten minutes", step{event: at(remove(oldID, ""), 10*time.Minute), status: "SUCCESS", id: "event", calls: "Delete"}),
		one("an event from the future: the clock is wrong", step{event: at(create(""), -10*time.Minute), status: "SUCCESS", id: "stable", calls: "Create"}),
		{name: "ServiceTimeout ends before the function's", timeout: time.Minute, steps: []step{
			{event: create("deadlock", "ServiceTimeout", "7"), status: "FAILED", id: "stable", calls: "Create", maxTime: 30 * time.Second},
		}},
		{name: "ServiceTimeout that is no number", steps: []step{
			{event: create("", "ServiceTimeout", "soon"), status: either, calls: "*"},
		}},
	}
}

// jsonNull is a null in JSON. A nil value removes the field.
type jsonNull struct{}

func (jsonNull) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// nested is a list with this depth of nesting.
type nested int

func (n nested) MarshalJSON() ([]byte, error) {
	return []byte(strings.Repeat("[", int(n)) + strings.Repeat("]", int(n))), nil
}

// failedEvent is an event in the failure record of a process that exited.
func failedEvent(e event) event {
	e.payload = func(b []byte) []byte {
		return failureRecord("8476a536-e9f4-11e8-9739-000000000000", b, 3, errorPayload("Runtime.ExitError", "RequestId: 8476a536 Error: Runtime exited with error: signal: killed"))
	}
	return e
}

// alteredRecord is a failure record with a changed field.
func alteredRecord(e event, change func(map[string]any)) event {
	inner := failedEvent(e).payload
	e.payload = func(b []byte) []byte {
		var m map[string]any
		if err := json.Unmarshal(inner(b), &m); err != nil {
			panic(err)
		}
		change(m)
		return encode(m)
	}
	return e
}

func envelopeCases() []testCase {
	named := func(e event, logical string) event { e.logicalID = logical; return e }
	snsOf := func(messages ...string) event {
		return event{request: "Create", payload: func(b []byte) []byte { return notification(append([]string{string(b)}, messages...)...) }}
	}
	aged := func(m map[string]any) {
		m["requestContext"].(map[string]any)["condition"] = "EventAgeExceeded"
		m["requestContext"].(map[string]any)["approximateInvokeCount"] = 0
		delete(m, "responsePayload")
		delete(m, "responseContext")
	}
	succeeded := func(m map[string]any) {
		m["requestContext"].(map[string]any)["condition"] = "Success"
		m["responseContext"] = map[string]any{"statusCode": 200, "executedVersion": "$LATEST"}
		m["responsePayload"] = nil
	}
	cases := []testCase{
		{name: "SNS with one record", steps: []step{{event: create(""), sns: true, status: "SUCCESS", id: "stable", calls: "Create"}}},
		{name: "SNS with three records", steps: []step{{
			event: create(""), also: []event{named(create(""), "Second"), named(create(""), "Third")}, sns: true,
			status: "SUCCESS", id: "stable", calls: "Create Create Create",
		}}},
		{name: "SNS with records that fail", steps: []step{{
			event: create("panic"), also: []event{named(create("error"), "Second")}, sns: true,
			status: "FAILED", id: "stable", calls: "Create Create",
		}}},
		{name: "SNS with a record that is no event beside a good one", steps: []step{{event: snsOf("hello"), status: "SUCCESS", id: "stable", calls: "*", attempts: -1}}},
		{name: "SNS with a record for a foreign host beside a good one", steps: []step{{
			event:  snsOf(`{"RequestType":"Create","ResponseURL":"https://evil.example.com/x","StackId":"s","RequestId":"r","LogicalResourceId":"l"}`),
			status: "SUCCESS", id: "stable", calls: "*", attempts: -1,
		}}},
		{name: "SNS of a process that dies", steps: []step{{event: create("exit"), sns: true, status: "FAILED", id: "stable", calls: "Create Create Create", attempts: 3, answeredByDestination: true}}},
		{name: "SNS of a process that dies at the first of two", steps: []step{{
			event: create("exit"), also: []event{named(create("exit"), "Second")}, sns: true,
			status: "FAILED", id: "stable", calls: "*", attempts: 3, answeredByDestination: true,
		}}},
		{name: "SNS while the network is down", steps: []step{{
			event: create(""), also: []event{named(create(""), "Second")}, sns: true, attemptsOffline: 1,
			status: "SUCCESS", id: "stable", calls: "Create Create", attempts: 2,
		}}},
	}
	one := func(name string, s step) { cases = append(cases, testCase{name: name, steps: []step{s}}) }
	one("on-failure record of a Create", step{event: failedEvent(create("")), status: "FAILED", id: "stable", calls: ""})
	one("on-failure record of an Update", step{event: failedEvent(update(oldID, "")), status: "FAILED", id: "event", calls: ""})
	one("on-failure record of a Delete", step{event: failedEvent(remove(oldID, "")), status: "FAILED", id: "event", calls: ""})
	one("on-failure record of a Create with bad properties", step{event: failedEvent(create("", "Count", "x")), status: "FAILED", calls: ""})
	one("on-failure record of the Delete of a marker", step{event: failedEvent(remove("cfnresource:not-created", "")), status: "SUCCESS", id: "event", calls: ""})
	one("on-failure record of a replacement", step{
		event:  failedEvent(event{request: "Update", physicalID: oldID, properties: map[string]any{"Name": "b"}, oldProperties: map[string]any{"Name": "a"}}),
		status: "FAILED", id: "event", calls: "",
	})
	one("on-failure record of an event that was too old", step{event: alteredRecord(create(""), aged), status: "FAILED", id: "stable", calls: ""})
	one("record of an invocation that succeeded", step{event: alteredRecord(create(""), succeeded), status: unanswerable, calls: ""})
	one("on-failure record of no event", step{event: alteredRecord(create(""), func(m map[string]any) { m["requestPayload"] = "hello" }), status: unanswerable, calls: ""})
	one("on-failure record for a foreign host", step{
		event:  failedEvent(event{request: "Create", url: func(string) string { return "https://evil.example.com/?Signature=lO8PFwIr" }}),
		status: unanswerable, calls: "",
	})
	cases = append(cases, testCase{name: "on-failure record in a handler with Find", kind: "found", steps: []step{
		{event: failedEvent(create("")), status: "FAILED", id: "stable", calls: ""},
	}})
	return cases
}
