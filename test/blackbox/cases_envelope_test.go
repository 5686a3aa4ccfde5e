package blackbox

import "encoding/json"

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
