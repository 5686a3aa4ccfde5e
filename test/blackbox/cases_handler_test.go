package blackbox

import "time"

// create, update and remove return events. how is the handler's behavior, and pairs are
// further properties: name, value, …
func create(how string, pairs ...any) event {
	return event{request: "Create", properties: withBehavior(how, pairs)}
}

func update(id, how string, pairs ...any) event {
	return event{request: "Update", physicalID: id, properties: withBehavior(how, pairs)}
}

func remove(id, how string, pairs ...any) event {
	return event{request: "Delete", physicalID: id, properties: withBehavior(how, pairs)}
}

func withBehavior(how string, pairs []any) map[string]any {
	m := map[string]any{}
	if how != "" {
		m["Behave"] = how
	}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

const oldID = "an-older-library-made-this"

// failures are the behaviors that lead to an immediate FAILED answer to each request type.
var failures = []struct {
	how    string
	reason []string
}{
	{"error", []string{"the service said no"}},
	{"error-6kB", []string{"the service said no"}},
	{"error-empty", nil},
	{"error-control", []string{"red"}},
	{"error-utf8", []string{"caf", "closed"}},
	{"error-secret", []string{"login as admin with *** failed"}},
	{"error-panics", nil},
	{"error-nil-pointer", nil},
	{"panic", nil},
	{"panic-secret", nil},
	{"panic-nil-map", nil},
	{"panic-error-panics", nil},
	{"goexit", nil},
}

// timeouts are the behaviors that take longer than the timeout.
var timeouts = []string{"deadlock", "ignores-context", "waits-for-context", "waits-for-cause"}

// crashes are the behaviors that end the process.
var crashes = []string{"exit", "exit-0", "killed", "goroutine-panic", "stack-overflow"}

// badData is Data that no answer can contain. TestFlattenErrors of internal/properties has all of it.
var badData = []struct {
	how    string
	reason []string
}{
	{"data-5kB", []string{"Large"}},
	{"data-escaped", []string{"Large"}},
	{"data-chan", nil},
	{"data-cycle", nil},
	{"data-collides", []string{"a.b"}},
	{"data-marshal-panics", nil},
}

func handlerCases() []testCase {
	const thrice = "Create Create Create"
	var cases []testCase
	one := func(name string, s step) { cases = append(cases, testCase{name: name, steps: []step{s}}) }

	one("Create succeeds", step{event: create(""), status: "SUCCESS", id: "stable", data: map[string]any{"Echo": "done"}, calls: "Create"})
	one("Update succeeds", step{event: update(oldID, ""), status: "SUCCESS", id: "event", calls: "Update"})
	one("Delete succeeds", step{event: remove(oldID, ""), status: "SUCCESS", id: "event", calls: "Delete"})
	one("Create is slow", step{event: create("slow"), status: "SUCCESS", id: "stable", calls: "Create"})

	for _, f := range failures {
		one("Create: "+f.how, step{event: create(f.how), status: "FAILED", id: "stable", reason: f.reason, calls: "Create"})
		one("Update: "+f.how, step{event: update(oldID, f.how), status: "FAILED", id: "event", reason: f.reason, calls: "Update"})
		one("Delete: "+f.how, step{event: remove(oldID, f.how), status: "FAILED", id: "event", reason: f.reason, calls: "Delete"})
	}
	for _, how := range timeouts {
		one("Create: "+how, step{event: create(how), status: "FAILED", id: "stable", calls: "Create"})
		one("Update: "+how, step{event: update(oldID, how), status: "FAILED", id: "event", calls: "Update"})
		one("Delete: "+how, step{event: remove(oldID, how), status: "FAILED", id: "event", calls: "Delete"})
	}
	cases = append(cases, testCase{name: "Create: waits in a function of three seconds", timeout: 3 * time.Second, steps: []step{
		{event: create("waits-for-context"), status: "FAILED", id: "stable", calls: "Create"},
	}})
	one("Create: spins until after the deadline", step{event: create("spins"), status: "FAILED", id: "stable", reason: []string{"Create"}, calls: "Create"})
	one("Create: succeeds when its context ends", step{event: create("late-success"), status: either, id: "stable", calls: "Create"})
	one("Update: old secret in the error", step{
		event: event{request: "Update", physicalID: oldID, properties: withBehavior("old-secret", []any{"Password", "a-new-one"})}, status: "FAILED", id: "event", reason: []string{"the old password was ***"}, calls: "Update",
	})
	for _, how := range crashes {
		one("Create: "+how, step{event: create(how), status: "FAILED", id: "stable", calls: thrice, attempts: 3, answeredByDestination: true})
	}
	for _, how := range []string{"exit", "goroutine-panic"} {
		one("Update: "+how, step{event: update(oldID, how), status: "FAILED", id: "event", calls: "Update Update Update", attempts: 3, answeredByDestination: true})
		one("Delete: "+how, step{event: remove(oldID, how), status: "FAILED", id: "event", calls: "Delete Delete Delete", attempts: 3, answeredByDestination: true})
	}
	for _, b := range badData {
		one("Create: "+b.how, step{event: create(b.how), status: "FAILED", id: "stable", reason: b.reason, calls: "Create"})
	}
	for _, how := range []string{"data-5kB", "data-chan", "data-cycle"} {
		one("Update: "+how, step{event: update(oldID, how), status: "FAILED", id: "event", calls: "Update"})
	}
	one("Create: data of 3 kB fits", step{event: create("data-3500"), status: "SUCCESS", id: "stable", calls: "Create"})
	one("Create: data that is not UTF-8", step{event: create("data-utf8"), status: either, id: "stable", calls: "Create"})
	one("Create: nested data is flattened", step{
		event: create("data-nested"), status: "SUCCESS", id: "stable", calls: "Create",
		data: map[string]any{"Endpoint.Port": "8080", "Endpoint.TLS": "true", "None": nil, "List": "[a b]"},
	})

	add := func(c testCase) { cases = append(cases, c) }
	// A physical ID that CloudFormation cannot store may still name a thing. An invalid
	// name never reaches a Delete.
	for how, calls := range map[string]string{"long": "Create Delete", "control": "Create Delete", "utf8": "Create Delete", "blank": "Create", "marker": "Create"} {
		add(testCase{name: "Create returns a bad ID: " + how, steps: []step{
			{event: create("", "ReturnID", how), status: "FAILED", id: "stable", calls: calls},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}, thingsLeft: "0"})
	}
	add(testCase{name: "Create returns an ID of 1024 bytes", steps: []step{{event: create("", "ReturnID", "longest"), status: "SUCCESS", calls: "Create"}}})

	add(testCase{name: "Update: conflicts are tried again", steps: []step{{event: update(oldID, "conflict"), status: "SUCCESS", id: "event", calls: "Update Update Update"}}})
	add(testCase{name: "Delete: throttling is tried again", steps: []step{{event: remove(oldID, "conflict"), status: "SUCCESS", id: "event", calls: "Delete Delete Delete"}}})
	add(testCase{name: "Update: not updatable", steps: []step{{event: update(oldID, "not-updatable"), status: "FAILED", id: "event", reason: []string{"engine cannot be changed"}, calls: "Update"}}})
	add(testCase{name: "Delete: not found is success", steps: []step{{event: remove(oldID, "not-found"), status: "SUCCESS", id: "event", calls: "Delete"}}})
	add(testCase{name: "Delete: not found in part is failure", steps: []step{{event: remove(oldID, "not-found-in-part"), status: "FAILED", id: "event", calls: "Delete"}}})
	add(testCase{name: "Delete: invalid request is failure where the ID is not made up", steps: []step{{event: remove(oldID, "invalid-request"), status: "FAILED", id: "event", calls: "Delete"}}})

	add(testCase{name: "Validate refuses", steps: []step{
		{event: create("invalid"), status: "FAILED", id: "marker", reason: []string{"do not go together"}, calls: ""},
		{event: update(oldID, "invalid"), status: "FAILED", id: "event", reason: []string{"do not go together"}, calls: ""},
		{event: remove(oldID, "invalid"), status: either, id: "event", calls: "Delete"},
	}})
	add(testCase{name: "Validate panics", steps: []step{
		{event: create("validate-panics"), status: "FAILED", calls: ""},
		{event: update(oldID, "validate-panics"), status: "FAILED", id: "event", calls: ""},
	}})
	add(testCase{name: "Lazy: opening fails, and succeeds at the next event", kind: "lazy", steps: []step{
		{event: create(""), status: "FAILED", reason: []string{"settings cannot be read"}, calls: ""},
		{event: create(""), status: "SUCCESS", id: "stable", calls: "Create"},
		{event: remove("$2", ""), status: "SUCCESS", id: "event", calls: "Delete"},
	}, thingsLeft: "0"})
	add(testCase{name: "Lazy: opening fails on Delete", kind: "lazy", steps: []step{{event: remove(oldID, ""), status: "FAILED", id: "event", reason: []string{"settings cannot be read"}, calls: ""}}})
	add(testCase{name: "Lazy: opening panics", kind: "lazy-panics", steps: []step{
		{event: create(""), status: "FAILED", calls: ""},
		{event: update(oldID, ""), status: "FAILED", id: "event", calls: ""},
	}})
	add(testCase{name: "Action runs on Create and Update, and has nothing to delete", kind: "action", steps: []step{
		{event: create(""), status: "SUCCESS", calls: "Run"},
		{event: update("$1", ""), status: "SUCCESS", id: "event", calls: "Run"},
		{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: ""},
	}})
	add(testCase{name: "a Dispatcher knows its types and refuses others", kind: "several", steps: []step{
		{event: create(""), status: "SUCCESS", id: "stable", calls: "Create"},
		{event: event{request: "Create", resourceType: "Custom::Found", logicalID: "Other"}, status: "SUCCESS", id: "svc-1", calls: "Create"},
		{event: event{request: "Create", resourceType: "Custom::Unknown", logicalID: "Third"}, status: "FAILED", id: "marker", reason: []string{"Custom::Unknown"}, calls: ""},
		{event: event{request: "Delete", resourceType: "Custom::Unknown", logicalID: "Third", physicalID: "$3"}, status: "SUCCESS", id: "event", calls: ""},
		{event: event{request: "Update", resourceType: "Custom::Unknown", logicalID: "Third", physicalID: oldID}, status: "FAILED", id: "event", reason: []string{"Custom::Unknown"}, calls: ""},
	}})
	for kind, what := range map[string]string{"bad-tag": "a tag that does not exist", "nil": "a nil handler", "several-twice": "one type twice"} {
		add(testCase{name: "configuration: " + what, kind: kind, steps: []step{
			{event: create(""), status: "FAILED", id: "marker", calls: ""},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: ""},
			{event: update(oldID, ""), status: "FAILED", id: "event", calls: ""},
			{event: remove(oldID, ""), status: "FAILED", id: "event", calls: ""},
		}})
	}
	for _, kind := range []string{"exits-at-init", "panics-at-init"} {
		cases = append(cases, testCase{name: "the process " + kind, kind: kind, steps: []step{
			{event: create(""), status: "FAILED", id: "stable", calls: "", attempts: 3, answeredByDestination: true},
		}})
	}
	return cases
}
