package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// A chapter is an operation of the demo, with the text before and after it.
type chapter struct {
	title, before, after string
	stack                string
	endpoint             string            // "" deletes the stack
	edit                 map[string]string // of the template
	fault                string
	status               string // in which the stack ends
	webhooks             string // the API's webhooks after the operation
}

const prologue = `A team's template has a webhook in it, a custom resource: CloudFormation knows
nothing of webhooks, and asks a Lambda function to make, change and delete them.
The function is examples/webhook, and the service is a small API of the
example's own, which numbers its webhooks hook-1, hook-2, and so on.

CloudFormation, Lambda and S3 are played on this machine; the template, the
function's program and the API are real. Both programs are being built.`

const epilogue = `
Your own template: cfnlocal deploy TEMPLATE, and cfnlocal deploy --help-faults
for all that can go wrong on the way.`

var chapters = []chapter{{
	title: "Creation", stack: "demo", endpoint: "https://example.com/orders", status: "CREATE_COMPLETE", webhooks: "hook-1",
	before: `CloudFormation sends Create and waits for an answer at a signed URL, an hour at
most. (The function, its role and its log group are in the template, too. They
are stand-ins here, and left out below.)`,
	after: `The answer names hook-1: from now on this is the resource's physical ID, and
CloudFormation hands it back with each request. The webhook was tagged with an ID
that can be computed from any request, which will matter in chapter 5.`,
}, {
	title: "An update in place", stack: "demo", endpoint: "https://example.com/orders", status: "UPDATE_COMPLETE", webhooks: "hook-1",
	edit:   map[string]string{"[created, paid]": "[created, paid, refunded]"},
	before: `Somebody adds an event to the list in the template.`,
	after: `Update came with the new properties and the old ones, and was answered with the
same physical ID. That is all that makes it an update in place: had the answer
named another ID, CloudFormation would have deleted hook-1.`,
}, {
	title: "A replacement", stack: "demo", endpoint: "https://example.com/returns", status: "UPDATE_COMPLETE", webhooks: "hook-2",
	before: `The webhook is to call another URL. The handler's type says that this property
makes another webhook (cfn:"createOnly").`,
	after: `The SDK had the handler Create beside the old webhook, which kept working
meanwhile, and answered with the new ID. Only then, in the cleanup, CloudFormation
sent Delete for hook-1.`,
}, {
	title: "An update that fails, and its rollback", stack: "demo", endpoint: "http://example.com/returns", status: "UPDATE_ROLLBACK_COMPLETE", webhooks: "hook-2",
	before: `The URL loses its s, which the handler refuses.`,
	after: `CloudFormation rolled back with a second Update whose properties are swapped: new
is what was old. Nothing in it says that it is a rollback. It leads away from
properties that never took effect, and are not valid; the SDK does not ask the
handler for these, finds hook-2 where it was, and answers with its ID. A handler
that takes the swapped properties for a replacement makes a third webhook here,
and has the second one deleted.`,
}, {
	title: "A creation that is cancelled", stack: "second", endpoint: "https://example.com/second", status: "DELETE_COMPLETE", webhooks: "hook-2",
	fault: "cancel-while-running@Create", edit: map[string]string{"Timeout: 30": "Timeout: 3"},
	before: `Another stack. While its Create is at work, somebody deletes the stack:
CloudFormation stops waiting just before the answer comes. (The function's timeout
is three seconds in this one, for a reason that follows.)`,
	after: `The webhook had been made, and the answer with its ID came when nobody read it.
CloudFormation never learned the ID, made one up, and sent Delete with that. A
handler that deletes by this ID finds nothing, says SUCCESS, and leaves a webhook
that nobody knows of. The SDK saw that the ID is not its own, and had the handler
Find the webhook by its tag: it is gone. Since such a Delete can overtake its
Create, the SDK looked once more when a Create could not be at work any longer,
which is after the function's timeout.`,
}, {
	title: "Deletion", stack: "demo", status: "DELETE_COMPLETE", webhooks: "",
	before: `The first stack is deleted.`,
	after:  `What is gone already would have been a success as well: Delete can come twice.`,
}}

func (d *demoRun) tell(text string) {
	shown := text
	if text[0] >= '1' && text[0] <= '9' { // a chapter's title
		shown = "\n" + d.printer.palette.bold(text)
	}
	d.app.tell(shown, map[string]any{"Told": text})
}

func (d *demoRun) requests(requests []*engine.Request) {
	for _, q := range requests {
		id := ""
		if q.RequestType != "Create" {
			id = " " + q.PhysicalID
		}
		came := ""
		var a struct{ Status, PhysicalResourceId string }
		text, late := q.Answer, slices.Clone(q.Late)
		if text == "" && len(late) > 0 {
			text, came = late[0], ", which came too late"
		}
		_ = json.Unmarshal([]byte(text), &a) // without an answer the status is empty
		changed := ""
		if q.RequestType == "Update" {
			changed = describeUpdate(q)
		}
		line := fmt.Sprintf("%s%s%s => %s %s%s", q.RequestType, id, changed, a.Status, a.PhysicalResourceId, came)
		d.app.tell("  asked:  "+printable.Line(line), map[string]any{"Asked": line})
	}
}

func describeUpdate(q *engine.Request) string {
	now, old := q.Properties.Map(), q.OldProperties.Map()
	var parts []string
	for _, name := range []string{"Url", "Events"} {
		if from, to := fmt.Sprint(old[name]), fmt.Sprint(now[name]); from != to {
			parts = append(parts, fmt.Sprintf("%s from %s to %s", name, from, to))
		}
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
