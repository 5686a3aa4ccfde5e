package hint

import (
	"slices"
	"strings"
)

// Advice that several checks share, and Explore.
const (
	OwnName = "Name what Create makes by StableID and answer AlreadyExists where it is there, or mark it with StableID and implement Find: docs/rules-for-a-handler.md#three-kinds-of-handlers. " +
		"Where the service takes a client token, pass IdempotencyToken: docs/recipes.md#client-tokens"
	CallCreated = "Call Created in the line after the call that made the thing: docs/rough_edges.md#updates-and-replacements. Where a PUT does not say whether it made it, ask first: docs/recipes.md#put-only"
	AllSteps    = "Have each operation of the fake call cfntest.Step before its effect and after it, or wrap the client's transport in cfntest.Steps: docs/testing.md#the-service. " +
		"A service that cannot have Steps skips this check"
	AllData = "Have Update return all Data that Create returns, since it finishes what an earlier delivery began: docs/rules-for-a-handler.md#update. " +
		"What the service shows once only goes into a store before the answer: docs/recipes.md#a-secret-that-is-shown-once"
)

// Advice says, by the name of a check, what helps most handlers that fail it, and
// where to read about it.
var Advice = map[string]string{
	"steps-around-effects":             AllSteps,
	"create-redelivered-one-resource":  OwnName,
	"create-error-after-making":        OwnName,
	"create-out-of-time-nothing-left":  OwnName,
	"create-died-half-way-is-finished": OwnName,
	"create-cancelled-while-running":   OwnName,
	"delete-lost-create":               OwnName,
	"replace-redelivered-one-resource": OwnName,
	"create-refused-nothing-left":      OwnName,
	"create-never-ready-nothing-left":  OwnName,
	"replace-failed-nothing-left":      CallCreated,
	"replace-refused-nothing-left":     CallCreated,
	"replace-never-ready-nothing-left": CallCreated,
	"find-reads-the-id-first":          "Read the thing under the event's PhysicalID before searching: docs/recipes.md#lists-that-lag",
	"sibling-is-left-alone":            "If there can be only one such thing, as with an account's setting, put this check into the Contract's Skip with that reason: docs/testing.md#what-else-there-is",
	"continue-succeeds-when-ready":     "A Poll is for waiting until a thing is ready. What is to be tried again until the service takes it belongs into Retry: docs/recipes.md#throttling-and-conflicts",
}

// WhatHelps returns the line with which a failure ends, or "" if no advice is given.
func WhatHelps(advice ...string) string {
	advice = slices.DeleteFunc(advice, func(text string) bool { return text == "" })
	if len(advice) == 0 {
		return ""
	}
	return "\nWhat helps: " + strings.Join(advice, ". ") + "."
}
