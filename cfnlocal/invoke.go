package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

type invokeCmd struct {
	Event   string            `arg:"" help:"A file with the event as CloudFormation sends it, in JSON, or - for standard input. A local URL replaces its ResponseURL."`
	Env     map[string]string `help:"An environment variable for the handler." placeholder:"NAME=VALUE" mapsep:"none"`
	Timeout time.Duration     `help:"The handler's timeout." default:"1m"`
	Logs    bool              `help:"Print what the handler writes."`
	Command []string          `arg:"" passthrough:"" help:"After --: the handler's program and its arguments. The program must speak Lambda's Runtime API."`
}

const eventHint = "give a file with an event from CloudFormation, such as a Request from cfnlocal requests"

// Run sends one event to a handler.
func (c *invokeCmd) Run(a *app) error {
	event, err := readEvent(c.Event, a.in)
	if err != nil {
		return &failure{err, eventHint, exitRefused}
	}

	// Run the handler with the event.
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return &failure{errors.New("there is no command to run"), "cfnlocal invoke EVENT -- COMMAND", exitUsage}
	}
	a.announce([]record.Run{{What: "the handler", Command: strings.Join(command, " ")}})
	p := newPrinter(a, c.Logs)
	body, err := local.Invoke(a.ctx, local.Invocation{Event: event, Command: command, Env: c.Env, Timeout: c.Timeout, Watcher: p})
	if errors.Is(err, local.ErrEvent) {
		return &failure{err, eventHint, exitRefused}
	}
	if err != nil {
		return &failure{err, "look at the handler's log with --logs", exitRefused}
	}
	if body == nil {
		return &failure{errors.New("the handler did not answer: CloudFormation would wait an hour"), "look at the handler's log with --logs", exitFailed}
	}

	// Print its answer without secrets; only SUCCESS is a success.
	var answered struct{ Status string }
	shown := answer(string(body), mask.Of(mask.SecretsOf(string(body))))
	text, err := json.MarshalIndent(shown, "", "  ")
	if a.json {
		text, err = json.Marshal(shown)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, string(printable.JSON(text)))
	if json.Unmarshal(body, &answered) != nil || answered.Status != "SUCCESS" {
		return &failure{errReported, "", exitFailed}
	}
	return nil
}

func readEvent(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return record.ReadFile(file)
}
