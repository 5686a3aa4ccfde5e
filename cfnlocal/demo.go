package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

type demoCmd struct {
	Logs bool `help:"Print what the handler writes."`
	Keep bool `help:"Keep the directory that the demo works in, with its stacks."`
}

// A demoRun is one run of the demo: the webhook example, and the API whose webhooks it manages.
type demoRun struct {
	app     *app
	printer *printer
	home    *local.Home
	dir     string // of the example
	program string // the function's
	url     string // of the API
	token   string
	service *local.Service
}

const demoExample = "github.com/cfnresource/sdk-go/examples/webhook"

// Run runs the chapters.
func (c *demoCmd) Run(a *app) (err error) {
	began := time.Now()
	temp, err := os.MkdirTemp("", "cfnlocal-demo-")
	if err != nil {
		return err
	}
	if !c.Keep {
		defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	}

	// Set the example and its API up in a directory of their own.
	s := &demoRun{app: a, printer: newPrinter(a, c.Logs), token: rand.Text()}
	s.printer.custom, s.printer.width, s.printer.indent = true, 8, "  "
	s.tell(prologue)
	if err := s.setUp(temp); err != nil {
		return &failure{err, "go run ./cfnlocal demo in a checkout of the project, with Go installed", exitRefused}
	}
	defer func() { s.service.Stop(); err = errors.Join(err, s.home.Close()) }()

	// Play one chapter after another.
	s.printer.start()
	defer s.printer.stop()
	for i, chapter := range chapters {
		s.tell(fmt.Sprintf("%d. %s", i+1, chapter.title))
		s.tell(chapter.before)
		if err := s.playChapter(chapter); err != nil {
			return &failure{fmt.Errorf("the demo's chapter %q: %w", chapter.title, err), "cfnlocal demo --logs --keep shows more; its stacks are in " + temp, exitFailed}
		}
		s.tell(chapter.after)
	}

	// Each chapter has checked the API's webhooks: after the last there are none.
	took := time.Since(began).Seconds()
	a.tell(fmt.Sprintf("\nThe API has no webhooks. %s\n(%.1f s, including the builds.)", s.printer.palette.bold("Nothing is left behind."), took),
		map[string]any{"Result": "nothing is left behind", "Seconds": took})
	if !a.json {
		s.tell(epilogue)
	}
	return nil
}

func (d *demoRun) setUp(temp string) (err error) {
	ctx := d.app.ctx
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", demoExample).Output()
	if err != nil {
		return fmt.Errorf("the example %s cannot be found from here: %w", demoExample, err)
	}
	d.dir = strings.TrimSpace(string(out))

	// Build the function and the server, both at once.
	program := filepath.Join(temp, "fakeapi")
	d.program = filepath.Join(temp, "webhook")
	built := make(chan error, 1)
	go func() { built <- host.Build(ctx, d.dir, d.program) }()
	err = host.Build(ctx, filepath.Join(d.dir, "fakeapi"), program)
	if err := errors.Join(err, <-built); err != nil {
		return err
	}

	// Start the server, whose first line has its address.
	found := make(chan string, 1)
	d.service, err = local.StartService(ctx, local.ServiceConfig{
		Command: "'" + program + "' -addr 127.0.0.1:0 -state '" + filepath.Join(temp, "api.json") + "'", Dir: temp, Env: []string{"API_TOKEN=" + d.token},
		Log: func(line string) {
			if url := regexp.MustCompile(`http://[0-9.:]+`).FindString(line); url != "" {
				select {
				case found <- url:
				default:
				}
			}
		}})
	if err != nil {
		return err
	}
	select {
	case d.url = <-found:
	case <-d.service.Exited():
		d.service.Stop()
		return errors.New("the API's server did not print its address: " + d.service.Why())
	case <-ctx.Done():
		d.service.Stop()
		return context.Cause(ctx)
	}

	// Keep the stacks beside both.
	if d.home, err = local.Open(filepath.Join(temp, "stacks")); err != nil {
		d.service.Stop()
		return err
	}
	_ = d.home.Trust() // for --keep; if it fails, a later command asks
	return nil
}

func (d *demoRun) playChapter(c chapter) error {
	rev, err := record.Read(filepath.Join(d.dir, "template.yaml"))
	if err != nil {
		return err
	}

	// Take the example's template, with the chapter's edits and values.
	body := rev.Body
	for old, changed := range c.edit {
		body = strings.Replace(body, old, changed, 1)
	}
	if len(c.edit) > 0 && body == rev.Body {
		return errors.New("the demo cannot edit the example's template, which has changed")
	}
	rev.Body = body
	rev.Parameters = map[string]string{"ApiUrl": d.url, "ApiToken": d.token, "Endpoint": c.endpoint}
	rev.Commands = map[string]string{"WebhookFunction": "'" + d.program + "'", "FailureFunction": "'" + d.program + "'"}

	// Play the operation.
	settings := local.Settings{Watcher: d.printer, Options: engine.Options{Seed: 1}}
	if c.fault != "" {
		fault, err := local.ParseFault(c.fault)
		if err != nil {
			return err
		}
		settings.Faults = local.NewFaults(1, fault)
	}
	from := positionBefore(d.home, c.stack).requests
	var stack *engine.Stack
	if c.endpoint == "" {
		stack, err = d.home.Delete(d.app.ctx, c.stack, nil, false, settings)
	} else {
		stack, err = d.home.CreateOrUpdate(d.app.ctx, c.stack, local.Change{Revision: rev}, nil, settings)
	}
	if err != nil {
		return err
	}

	// Show the requests and the API's webhooks, and compare them with the text.
	hooks, err := d.webhooks(d.app.ctx)
	if err != nil {
		return err
	}
	d.requests(stack.Requests[from:])
	d.tell("The API has " + cmp.Or(strings.Join(hooks, ", "), "no webhooks") + ".")
	if stack.Status != c.status {
		return fmt.Errorf("the stack is in %s instead of %s", stack.Status, c.status)
	}
	if got := strings.Join(hooks, " "); got != c.webhooks {
		return fmt.Errorf("the API has the webhooks %q instead of %q", got, c.webhooks)
	}
	return nil
}

func (d *demoRun) webhooks(ctx context.Context) (ids []string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+"/webhooks", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var hooks []struct {
		ID string `json:"id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&hooks); err != nil {
		return nil, fmt.Errorf("the API's list of webhooks: %w", err)
	}
	for _, h := range hooks {
		ids = append(ids, h.ID)
	}
	return ids, nil
}

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

const prologue = `A team's template contains a webhook, which is a custom resource: CloudFormation
does not know webhooks, so it asks a Lambda function to create, change and delete
them. The function is examples/webhook. The service is a small API that comes with
the example and numbers its webhooks hook-1, hook-2, and so on.

This machine plays CloudFormation, Lambda and S3. The template, the function's
program and the API are real. Building both programs …`

const epilogue = `
Next, deploy your own template: cfnlocal deploy TEMPLATE. To see what can go wrong
on the way: cfnlocal deploy --help-faults.`

var chapters = []chapter{{
	title: "Creation", stack: "demo", endpoint: "https://example.com/orders", status: "CREATE_COMPLETE", webhooks: "hook-1",
	before: `CloudFormation sends Create, and waits up to an hour for an answer at a signed
URL. (The template also has the function, its role and its log group. They are
stand-ins here, and left out below.)`,
	after: `The answer names hook-1. From now on this is the resource's physical ID, and
CloudFormation sends it with each request. The handler also tagged the webhook
with an ID that it can compute from any request. Chapter 5 shows why.`,
}, {
	title: "An update in place", stack: "demo", endpoint: "https://example.com/orders", status: "UPDATE_COMPLETE", webhooks: "hook-1",
	edit:   map[string]string{"[created, paid]": "[created, paid, refunded]"},
	before: `Somebody adds an event to the list in the template.`,
	after: `CloudFormation sent Update with the new properties and the old ones. The answer
had the same physical ID, and only that makes this an update in place: had it
named another ID, CloudFormation would have deleted hook-1.`,
}, {
	title: "A replacement", stack: "demo", endpoint: "https://example.com/returns", status: "UPDATE_COMPLETE", webhooks: "hook-2",
	before: `Somebody changes the URL that the webhook calls. The handler's type marks this
property as createOnly: a webhook with another URL is another webhook.`,
	after: `The SDK called the handler's Create while the old webhook kept working, and
answered with the new ID. Only then, in the cleanup, did CloudFormation send
Delete for hook-1.`,
}, {
	title: "An update that fails, and its rollback", stack: "demo", endpoint: "http://example.com/returns", status: "UPDATE_ROLLBACK_COMPLETE", webhooks: "hook-2",
	before: `Somebody writes http instead of https, which the handler refuses.`,
	after: `CloudFormation rolled back with a second Update, in which the old and the new
properties are swapped. Nothing in it says that it is a rollback. Its old
properties never took effect, and are not even valid. The SDK does not pass them
to the handler: it finds hook-2 where it was, and answers with its ID. A handler
that mistakes the swapped properties for a replacement creates a third webhook
here, and CloudFormation then deletes the second.`,
}, {
	title: "A creation that is cancelled", stack: "second", endpoint: "https://example.com/second", status: "DELETE_COMPLETE", webhooks: "hook-2",
	fault: "cancel-while-running@Create", edit: map[string]string{"Timeout: 30": "Timeout: 3"},
	before: `Somebody deletes another stack while its Create is still running. CloudFormation
stops waiting just before the answer comes. (In this stack, the function's timeout
is three seconds. The reason follows.)`,
	after: `The handler had created the webhook, but CloudFormation no longer read the answer
with its ID. It made an ID up, and sent Delete with that. A handler that deletes
by this ID finds nothing, answers SUCCESS, and leaves a webhook behind that no
stack knows. The SDK recognised that the ID is not one of its own, and called the
handler's Find, which found the webhook by its tag. Now it is deleted. Because
such a Delete can overtake its Create, the SDK looked a second time after the
function's timeout, when no Create could still be running.`,
}, {
	title: "Deletion", stack: "demo", status: "DELETE_COMPLETE", webhooks: "",
	before: `The first stack is deleted.`,
	after:  `Deleting it again would also have succeeded: CloudFormation may send Delete twice.`,
}}

func (d *demoRun) tell(text string) {
	shown := text
	if text[0] >= '1' && text[0] <= '9' { // a chapter's title
		shown = "\n" + d.printer.palette.bold(text)
	}
	d.app.tell(shown, map[string]any{"Text": text})
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
		d.app.tell("  request: "+printable.Line(line), map[string]any{"Request": line})
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
