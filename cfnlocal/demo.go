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
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/service"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
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
	service *service.Service
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
	s := &demoRun{app: a, printer: newPrinter(a, c.Logs), token: rand.Text()}
	s.printer.custom, s.printer.width, s.printer.indent = true, 8, "  "
	s.tell(prologue)
	if err := s.setUp(temp); err != nil {
		return &failure{err, "go run ./cfnlocal demo in a checkout of the project, with Go installed", exitRefused}
	}
	defer func() { s.service.Stop(); err = errors.Join(err, s.home.Close()) }()
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
	took := time.Since(began).Seconds()
	a.tell(fmt.Sprintf("\nThe API was asked: it has no webhooks. %s\n(%.1f s, the builds included.)", s.printer.palette.bold("Nothing is left behind."), took),
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
		return fmt.Errorf("the example %s is not found from here: %w", demoExample, err)
	}
	d.dir = strings.TrimSpace(string(out))

	// The function and the server are built at once.
	program := filepath.Join(temp, "fakeapi")
	d.program = filepath.Join(temp, "webhook")
	built := make(chan error, 1)
	go func() { built <- host.Build(ctx, d.dir, d.program) }()
	err = host.Build(ctx, filepath.Join(d.dir, "fakeapi"), program)
	if err := errors.Join(err, <-built); err != nil {
		return err
	}

	// The server says where it serves.
	found := make(chan string, 1)
	d.service, err = service.Start(ctx, service.Config{
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
		return errors.New("the API's server does not say where it serves: " + d.service.Why())
	case <-ctx.Done():
		d.service.Stop()
		return context.Cause(ctx)
	}
	// The stacks are kept beside both.
	if d.home, err = local.Open(filepath.Join(temp, "stacks")); err != nil {
		d.service.Stop()
	}
	return err
}

func (d *demoRun) playChapter(c chapter) error {
	deployment, err := record.Read(filepath.Join(d.dir, "template.yaml"))
	if err != nil {
		return err
	}

	// The example's template, with the chapter's edits and values.
	body := deployment.Body
	for old, changed := range c.edit {
		body = strings.Replace(body, old, changed, 1)
	}
	if len(c.edit) > 0 && body == deployment.Body {
		return errors.New("the example's template is not what the demo knows")
	}
	deployment.Body = body
	deployment.Parameters = map[string]string{"ApiUrl": d.url, "ApiToken": d.token, "Endpoint": c.endpoint}
	deployment.Commands = map[string]string{"WebhookFunction": "'" + d.program + "'", "FailureFunction": "'" + d.program + "'"}

	// The operation.
	settings := local.Settings{Watcher: d.printer, Options: engine.Options{Seed: 1}}
	if c.fault != "" {
		fault, err := local.ParseFault(c.fault)
		if err != nil {
			return err
		}
		settings.Faults = local.NewFaults(1, fault)
	}
	from := 0
	settings.Found = func(found *engine.Stack) { from = positionOf(found).requests }
	var stack *engine.Stack
	if c.endpoint == "" {
		stack, err = d.home.Delete(d.app.ctx, c.stack, nil, false, settings)
	} else {
		stack, err = d.home.Deploy(d.app.ctx, c.stack, deployment, local.Change{}, settings)
	}
	if err != nil {
		return err
	}

	// What was asked for and what there is now.
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
