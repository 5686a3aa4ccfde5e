package blackbox

import "time"

// props returns properties with a Name, which determines the identity, and a behavior.
func props(name, how string, pairs ...any) map[string]any {
	return withBehavior(how, append([]any{"Name", name}, pairs...))
}

func identityCases() []testCase {
	from := func(id string, old, properties map[string]any) event {
		return event{request: "Update", physicalID: id, properties: properties, oldProperties: old}
	}
	gone := func(id string, properties map[string]any) event {
		return event{request: "Delete", physicalID: id, properties: properties}
	}
	made := func(properties map[string]any) event { return event{request: "Create", properties: properties} }
	aged := func(e event, age time.Duration) event { e.age = age; return e }
	a, b := props("a", ""), props("b", "")
	createA := step{event: made(a), status: "SUCCESS", id: "stable", calls: "Create"}
	const marker = "cfnresource:not-created"

	cases := []testCase{
		// Updates in place.
		{name: "identity unchanged, the ID is the StableID", thingsLeft: "1", steps: []step{createA, {event: from("$1", a, a), status: "SUCCESS", id: "$1", calls: "Update"}}},
		{name: "identity unchanged, the ID is an older library's", steps: []step{{event: from(oldID, a, a), status: "SUCCESS", id: "event", calls: "Update"}}},
		{name: "identity unchanged, the ID is one that CloudFormation made up", steps: []step{{event: from(generated, a, a), status: "SUCCESS", id: "event", calls: "Update"}}},
		{name: "identity unknown: no old properties", thingsLeft: "1", steps: []step{createA, {
			event:  event{request: "Update", physicalID: "$1", properties: b, change: set("OldResourceProperties", nil)},
			status: "SUCCESS", id: "$1", calls: "Update",
		}}},
		{name: "identity unknown: old properties that cannot be read", thingsLeft: "1", steps: []step{createA, {
			event:  from("$1", map[string]any{"Name": []any{"a"}}, b),
			status: "SUCCESS", id: "$1", calls: "Update",
		}}},
		{name: "identity changed, and the ID is explained by neither: in place", steps: []step{
			{event: from(oldID, a, props("b", "identity")), status: "SUCCESS", id: "event", calls: "Update", data: map[string]any{"IdentityChanged": "true"}},
		}},
		{name: "ServiceToken and ServiceTimeout are no identity", thingsLeft: "1", steps: []step{createA, {
			event:  from("$1", props("a", "", "ServiceTimeout", "30", "ServiceToken", "arn:aws:lambda:us-west-2:1:function:old"), props("a", "", "ServiceTimeout", "60")),
			status: "SUCCESS", id: "$1", calls: "Update",
		}}},

		// Replacements.
		{name: "replacement: a new ID, and the old one is deleted", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, b), status: "SUCCESS", id: "new", replaces: true, calls: "Create"},
			{event: gone("$1", a), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "replacement rolled back after it succeeded: back to the first", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, b), status: "SUCCESS", id: "new", replaces: true, calls: "Create"},
			{event: from("$2", b, a), status: "SUCCESS", id: "$1", replaces: true, calls: "Create"},
			{event: gone("$2", b), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "replacement rolled back: what exists is adopted", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, b), status: "SUCCESS", id: "new", replaces: true, calls: "Create"},
			{event: from("$2", b, props("a", "refuses-existing")), status: "SUCCESS", id: "$1", replaces: true, calls: "Create Update"},
			{event: gone("$2", b), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "replacement fails, nothing made: the event's ID, and the way back is in place", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, props("b", "Create:error")), status: "FAILED", id: "$1", calls: "Create"},
			{event: from("$1", props("b", "Create:error"), a), status: "SUCCESS", id: "$1", calls: "Update"},
		}},
		{name: "replacement fails after it made something: undone, the event's ID", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, props("b", "Create:error", "Made", "true")), status: "FAILED", id: "$1", calls: "Create Delete"},
			{event: from("$1", b, a), status: "SUCCESS", id: "$1", calls: "Update"},
		}},
		{name: "replacement fails and cannot be undone: the new ID, so that it is deleted", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, props("b", "error", "Made", "true")), status: "FAILED", id: "new", replaces: true, calls: "Create Delete"},
			{event: gone("$2", b), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "replacement refused by its properties: the event's ID", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, props("b", "", "Count", "x")), status: "FAILED", id: "$1", calls: ""},
			{event: from("$1", props("b", "", "Count", "x"), a), status: "SUCCESS", id: "$1", calls: "Update"},
		}},
		{name: "replacement panics before it made anything: the event's ID", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, props("b", "Create:panic")), status: "FAILED", id: "$1", calls: "*"},
		}},
		{name: "replacement meets what is somebody else's: the event's ID", thingsLeft: "1", steps: []step{
			createA,
			{event: from("$1", a, props("b", "exists-elsewhere")), status: "FAILED", id: "$1", calls: "Create"},
		}},
		{name: "replacement whose process dies: the event's ID", steps: []step{
			createA,
			{event: from("$1", a, props("b", "Create:exit")), status: "FAILED", id: "$1", calls: "Create Create Create", attempts: 3, answeredByDestination: true},
		}},

		// Creates and their rollbacks.
		{name: "Create fails after the thing was made: its ID, and the rollback removes it", thingsLeft: "0", steps: []step{
			{event: create("Create:error", "Made", "true"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "Create panics after the thing was made", thingsLeft: "0", steps: []step{
			{event: create("Create:panic", "Made", "true"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "Create runs out of time after the thing was made", thingsLeft: "0", newProcess: true, steps: []step{
			{event: create("Create:deadlock", "Made", "true"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "Create outlives its time, and the Delete in the same process waits for it", thingsLeft: "0", steps: []step{
			{event: create("Create:outlasts-context", "Made", "true"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "Create never ends, and the Delete in the same process goes on", thingsLeft: "0", steps: []step{
			{event: create("Create:deadlock", "Made", "true"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "Create answers with too much data after the thing was made", thingsLeft: "0", steps: []step{
			{event: create("Create:data-5kB", "Made", "true"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "the process dies after the thing was made", thingsLeft: "0", steps: []step{
			{event: create("Create:killed", "Made", "true"), status: "FAILED", id: "stable", calls: "Create Create Create", attempts: 3, answeredByDestination: true},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "Create meets its own earlier self: adopted", steps: []step{
			{event: create("Create:exists"), status: "SUCCESS", id: "stable", calls: "Create Update"},
		}},
		{name: "Create meets somebody else's: the marker, whose Delete reaches nobody", thingsLeft: "0", steps: []step{
			{event: create("exists-elsewhere"), status: "FAILED", id: "marker", reason: []string{"somebody-elses"}, calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: ""},
		}},
		{name: "Create refused by its properties: the marker, whose Delete reaches nobody", steps: []step{
			{event: create("", "Count", "x"), status: "FAILED", id: "marker", calls: ""},
			{event: remove("$1", "", "Count", "x"), status: "SUCCESS", id: "event", calls: ""},
		}},
		{name: "Update of the marker is a Create", thingsLeft: "1", steps: []step{
			{event: from(marker, a, a), status: "SUCCESS", id: "new", replaces: true, calls: "Create"},
		}},
		{name: "Update of the marker that fails", thingsLeft: "0", steps: []step{
			{event: from(marker, a, props("a", "error")), status: "FAILED", id: "", replaces: true, calls: "Create"},
			{event: gone("$1", a), status: "SUCCESS", id: "event", calls: "*"},
		}},

		// Handlers whose service chooses the names.
		{name: "plain: error before anything was made: the marker", kind: "plain", thingsLeft: "0", steps: []step{
			{event: create("error"), status: "FAILED", id: "marker", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: ""},
		}},
		{name: "plain: panic before anything was tracked: the StableID, whose Delete hits nobody", kind: "plain", thingsLeft: "0", steps: []step{
			{event: create("Create:panic"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "plain: out of its own context's time: the StableID", kind: "plain", steps: []step{
			{event: create("waits-for-context"), status: "FAILED", id: "stable", calls: "Create"},
		}},
		{name: "plain: tracked, then an error", kind: "plain", thingsLeft: "0", steps: []step{
			{event: create("Create:error", "Made", "true"), status: "FAILED", id: "svc-1", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "plain: tracked, then out of time", kind: "plain", steps: []step{
			{event: create("Create:deadlock", "Made", "true"), status: "FAILED", id: "svc-1", calls: "Create"},
		}},
		{name: "plain: tracked, then data that cannot be encoded", kind: "plain", steps: []step{
			{event: create("Create:data-chan", "Made", "true"), status: "FAILED", id: "svc-1", calls: "Create"},
		}},
		{name: "plain: an ID beside an error counts as tracked", kind: "plain", thingsLeft: "0", steps: []step{
			{event: create("", "ReturnID", "beside-error"), status: "FAILED", id: "svc-1", reason: []string{"does not start"}, calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "plain: identity changed: never replaced", kind: "plain", thingsLeft: "1", steps: []step{
			{event: made(a), status: "SUCCESS", id: "svc-1", calls: "Create"},
			{event: from("$1", a, props("b", "identity")), status: "SUCCESS", id: "$1", calls: "Update", data: map[string]any{"IdentityChanged": "true"}},
		}},
		{name: "found: a whole life with a replacement", kind: "found", thingsLeft: "0", steps: []step{
			{event: made(a), status: "SUCCESS", id: "svc-1", calls: "Create"},
			{event: from("$1", a, a), status: "SUCCESS", id: "$1", calls: "Update"},
			{event: from("$1", a, b), status: "SUCCESS", id: "svc-2", replaces: true, calls: "Create"},
			{event: gone("$1", a), status: "SUCCESS", id: "event", calls: "Delete"},
			{event: gone("$3", b), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
		{name: "found: a replacement that fails leads back in place", kind: "found", thingsLeft: "1", steps: []step{
			{event: made(a), status: "SUCCESS", id: "svc-1", calls: "Create"},
			{event: from("$1", a, props("b", "Create:error")), status: "FAILED", id: "$1", calls: "Create"},
			{event: from("$1", b, a), status: "SUCCESS", id: "$1", calls: "Update"},
		}},
		{name: "found: error before anything was made: the StableID, whose Delete goes through Find", kind: "found", thingsLeft: "0", steps: []step{
			{event: create("Create:error"), status: "FAILED", id: "stable", calls: "Create"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "*", attempts: -1},
		}},
		{name: "found: the process dies after the thing was made: found and removed", kind: "found", thingsLeft: "0", steps: []step{
			{event: create("killed", "Made", "true"), status: "FAILED", id: "stable", calls: "Create Update Update", attempts: 3, answeredByDestination: true},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "*", attempts: -1},
		}},
		{name: "found: a Create that is delivered again after a crash is adopted", kind: "found", thingsLeft: "1", steps: []step{
			{event: create("Create:killed", "Made", "true"), status: "SUCCESS", id: "svc-1", calls: "Create Update", attempts: 2},
		}},
		{name: "found: Find fails on Create", kind: "found", thingsLeft: "0", steps: []step{
			{event: create("find-error"), status: "FAILED", id: "stable", calls: ""},
		}},

		// IDs that CloudFormation generated.
		{name: "made-up ID: what the Create made is found by its StableID", thingsLeft: "0", steps: []step{
			createA,
			{event: gone(generated, a), status: "SUCCESS", id: "event", calls: "*"},
		}},
		{name: "made-up ID: what the Create made is found with Find", kind: "found", thingsLeft: "0", steps: []step{
			{event: made(a), status: "SUCCESS", id: "svc-1", calls: "Create"},
			{event: gone(generated, a), status: "SUCCESS", id: "event", calls: "*"},
		}},
		{name: "made-up ID: nothing was made", thingsLeft: "0", steps: []step{{event: gone(generated, a), status: "SUCCESS", id: "event", calls: "Delete Delete Delete"}}},
		{name: "made-up ID: nothing was made, long ago: the Create may have come as late", thingsLeft: "0", steps: []step{
			{event: aged(gone(generated, a), time.Minute), status: "SUCCESS", id: "event", calls: "Delete Delete Delete"},
		}},
		{name: "made-up ID: an invalid request is not found", steps: []step{{event: gone(generated, props("a", "invalid-request")), status: "SUCCESS", id: "event", calls: "*"}}},
		{name: "made-up ID: a failure is a failure", steps: []step{{event: gone(generated, props("a", "error")), status: "FAILED", id: "event", calls: "*"}}},
		{name: "made-up ID: plain", kind: "plain", steps: []step{{event: gone(generated, a), status: "SUCCESS", id: "event", calls: "*"}}},

		// Deliveries.
		{name: "a Create is delivered twice to one process", thingsLeft: "1", steps: []step{
			createA, {event: event{repeat: true, request: "Create"}, status: "SUCCESS", id: "$1", calls: "*"},
		}},
		{name: "a Create is delivered twice to two processes", thingsLeft: "1", newProcess: true, steps: []step{
			createA, {event: event{repeat: true, request: "Create"}, status: "SUCCESS", id: "$1", calls: "Create"},
		}},
		{name: "a Create is delivered twice to two processes, with Find", kind: "found", thingsLeft: "1", newProcess: true, steps: []step{
			{event: made(a), status: "SUCCESS", id: "svc-1", calls: "Create"},
			{event: event{repeat: true, request: "Create"}, status: "SUCCESS", id: "svc-1", calls: "Update"},
		}},
		{name: "an Update is delivered twice", newProcess: true, steps: []step{
			{event: from(oldID, a, a), status: "SUCCESS", id: "event", calls: "Update"},
			{event: event{repeat: true, request: "Update"}, status: "SUCCESS", id: "event", calls: "Update"},
		}},
		{name: "a replacement is delivered twice to two processes", thingsLeft: "2", newProcess: true, steps: []step{
			createA,
			{event: from("$1", a, b), status: "SUCCESS", id: "new", replaces: true, calls: "Create"},
			{event: event{repeat: true, request: "Update"}, status: "SUCCESS", id: "$2", replaces: true, calls: "Create"},
		}},
		{name: "a Delete is delivered twice", thingsLeft: "0", newProcess: true, steps: []step{
			createA,
			{event: gone("$1", a), status: "SUCCESS", id: "event", calls: "Delete"},
			{event: event{repeat: true, request: "Delete"}, status: "SUCCESS", id: "event", calls: "Delete"},
		}},

		// Secrets.
		{name: "a secret attribute sets NoEcho", kind: "secret", thingsLeft: "0", steps: []step{
			{event: create(""), status: "SUCCESS", id: "stable", noEcho: true, data: map[string]any{"Password": password}, calls: "Create"},
			{event: update("$1", ""), status: "SUCCESS", id: "event", noEcho: true, data: map[string]any{"Password": password}, calls: "Update"},
			{event: remove("$1", ""), status: "SUCCESS", id: "event", calls: "Delete"},
		}},
	}
	return cases
}
