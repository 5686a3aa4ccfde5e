package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

func (s *stackArg) record(a *app) (*record.Record, error) {
	h, name, err := s.find(a)
	if err != nil {
		return nil, err
	}
	r, err := h.Stack(name)
	if err != nil {
		return nil, a.explain(name, nil, err)
	}
	return r, nil
}

// warnIfInterrupted describes a stack that is in progress although no process works on it.
func (a *app) warnIfInterrupted(s *engine.Stack) {
	if a.json || s.AtRest() || a.opened.Working(s.Name) {
		return
	}
	a.printError(describePosition(s, ", and no process works on it") + "\nNext: " + a.next(s, nil))
}

type eventsCmd struct{ stackArg }

// Run prints the events.
func (c *eventsCmd) Run(a *app) error {
	r, err := c.record(a)
	if err != nil {
		return err
	}
	s, p := r.Shown(), newPrinter(a, false)
	for _, e := range s.Rows(nil) {
		p.Event(e)
	}
	a.warnIfInterrupted(s)
	return nil
}

type listCmd struct{}

// Run lists the stacks.
func (listCmd) Run(a *app) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	all, err := h.Stacks()
	if err != nil {
		return err
	}
	if len(all) == 0 && !a.json {
		fmt.Fprintln(a.out, "There are no stacks in "+a.dir+". cfnlocal deploy TEMPLATE creates one.")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range all {
		s := r.Stack
		if a.json {
			a.print(map[string]any{"StackName": s.Name, "StackId": s.ID, "StackStatus": s.Status, "AtRest": s.AtRest()})
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d requests\t%s\n", s.Name, s.Status, len(s.Sent()), h.State(s))
	}
	return w.Flush()
}

type describeCmd struct{ stackArg }

// Run prints a stack.
func (c *describeCmd) Run(a *app) error {
	r, err := c.record(a)
	if err != nil {
		return err
	}
	s := r.Shown()
	if a.json {
		a.print(a.describeResult(s, nil, told(s)))
		return nil
	}

	// Its status, its resources and its outputs.
	p := paletteFor(a.out)
	fmt.Fprintln(a.out, strings.TrimSpace(fmt.Sprintf("%s is in %s. %s", p.bold(s.Name), p.status(s.Status), printable.Line(s.StatusReason))))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range resources(s) {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", r.LogicalID, r.Type, r.Status, printable.Line(r.PhysicalID))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, o := range s.Outputs {
		if !s.Deleted() {
			fmt.Fprintf(a.out, "  output %s = %s\n", o.Name, printable.Line(o.Value))
		}
	}

	// What it left behind, and what to do next.
	columns := columns(a.out)
	for _, l := range leftBehind(s, told(s), func(local.Leftover) bool { return false }, nil) {
		fmt.Fprintln(a.out, wrap(columns, "  ", "    ", printable.Line(a.withDir(l))))
	}
	if s.AtRest() {
		a.printNext(a.next(s, nil))
	}
	a.warnIfInterrupted(s)
	return nil
}

// resources returns a stack's resources with their paths from the root stack. The
// resources of a nested stack follow it.
func resources(s *engine.Stack) (all []*engine.StackResource) {
	for _, r := range s.Resources {
		if r.Gone {
			continue
		}
		named := *r
		named.LogicalID = s.PathOf(r.LogicalID)
		all = append(all, &named)
		for _, nested := range s.Nested {
			if nested.ID == r.PhysicalID {
				all = append(all, resources(nested)...)
			}
		}
	}
	return all
}

// A stackDescription is a stack as JSON, with the API's names where the API has them.
type stackDescription struct {
	StackName, StackId, StackStatus string
	StackStatusReason               string `json:",omitempty"`
	AtRest                          bool
	Requests                        int
	Outputs                         map[string]string
	Resources                       []describedResource
	LeftBehind                      []string // resources that the stack has released
	MayExist                        []string // other resources that may exist
	Listed                          []string `json:",omitempty"` // the IDs that --list printed
	Unknown                         []string `json:",omitempty"` // those of them that no stack has
	Kept                            []string `json:",omitempty"` // those of the unknown ones that a policy or --retain kept
	ListError                       string   `json:",omitempty"`
	Next                            string   `json:",omitempty"`
}

type describedResource struct {
	LogicalResourceId, PhysicalResourceId, ResourceType, ResourceStatus string
	ResourceStatusReason                                                string `json:",omitempty"`
}

func (a *app) describeResult(s *engine.Stack, list *local.Listing, from int) stackDescription {
	d := stackDescription{StackName: s.Name, StackId: s.ID, StackStatus: s.Status, StackStatusReason: s.StatusReason, AtRest: s.AtRest(),
		Requests: len(s.Sent()), Outputs: map[string]string{}, Resources: []describedResource{}, LeftBehind: []string{}, MayExist: []string{}, Next: a.next(s, list)}
	for _, o := range s.Outputs {
		d.Outputs[o.Name] = o.Value
	}
	for _, r := range resources(s) {
		d.Resources = append(d.Resources, describedResource{
			LogicalResourceId: r.LogicalID, PhysicalResourceId: r.PhysicalID, ResourceType: r.Type,
			ResourceStatus: r.Status, ResourceStatusReason: r.StatusReason,
		})
	}
	// A program must tell what certainly exists from what may: it deletes the one, and looks for the other.
	leftovers := local.Leftovers(s, from)
	for _, r := range leftovers {
		if r.IsCertain() {
			d.LeftBehind = append(d.LeftBehind, r.LogicalID+" "+r.PhysicalID+": "+r.Why)
		} else {
			d.MayExist = append(d.MayExist, strings.TrimSpace(r.LogicalID+" "+r.PhysicalID)+": "+r.Why)
		}
	}
	for _, u := range local.UnfinishedResources(s, leftovers) {
		d.MayExist = append(d.MayExist, u.Text)
	}
	return d
}

func (d *stackDescription) list(l *local.Listing) {
	if l == nil {
		return
	}
	d.Listed, d.Unknown, d.Kept = l.IDs, l.Unknown, slices.Sorted(maps.Keys(l.Kept))
	if l.Err != nil {
		d.ListError = l.Err.Error()
	}
}

type requestsCmd struct {
	stackArg
	Resource string `help:"Show this resource only. In a nested stack, NESTED.RESOURCE." placeholder:"RESOURCE"`
}

// Run prints requests and answers. Response URLs are never stored. The Data of
// answers with NoEcho is hidden.
func (c *requestsCmd) Run(a *app) error {
	r, err := c.record(a)
	if err != nil {
		return err
	}
	s, secret := r.Stack, r.Secrets()
	if err := c.check(r); err != nil {
		return err
	}
	for _, q := range s.Sent() {
		name := r.StackOf(q.StackID).PathOf(q.LogicalID)
		if c.Resource != "" && c.Resource != name {
			continue
		}

		// A request with its answers.
		shown := map[string]any{"Request": json.RawMessage(mask.JSON(q.Event("https://hidden"), secret)), "Outcome": cmp.Or(string(q.Outcome), "Pending"), "SentAt": q.SentAt}
		if q.Answer != "" {
			shown["Answer"] = shownAnswer(q.Answer, secret)
		}
		if q.Reason != "" {
			shown["Reason"] = string(mask.JSON([]byte(q.Reason), secret))
		}
		if !q.ClosedAt.IsZero() {
			shown["Seconds"] = q.ClosedAt.Sub(q.SentAt).Seconds()
		}
		if q.Interrupted {
			shown["Interrupted"] = true
		}
		// CloudFormation has read neither of these, but the handler's work behind them is done.
		for _, late := range q.Late {
			shown["CameTooLate"] = shownAnswer(late, secret)
		}
		for _, lost := range q.Lost {
			shown["Lost"] = shownAnswer(lost, secret)
		}

		// One line for a program, or several for people.
		if a.json {
			a.print(shown)
			continue
		}
		text, err := json.MarshalIndent(shown, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, string(printable.JSON(text)))
	}
	a.warnIfInterrupted(s)
	return nil
}

// check refuses a resource that the stack does not have, and that it has sent no request about.
func (c *requestsCmd) check(r *record.Record) error {
	known := map[string]bool{"": true}
	for _, q := range r.Stack.Sent() {
		known[r.StackOf(q.StackID).PathOf(q.LogicalID)] = true
	}
	for _, res := range resources(r.Stack) {
		known[res.LogicalID] = true
	}
	if known[c.Resource] {
		return nil
	}
	delete(known, "")
	return &failure{fmt.Errorf("the stack %s has no resource %.200q: it has %s", r.Stack.Name, c.Resource, strings.Join(slices.Sorted(maps.Keys(known)), ", ")),
		"cfnlocal requests " + r.Stack.Name + ", to see the requests to all of them", exitRefused}
}

// shownAnswer returns an answer as JSON, or as a string if it is not valid JSON.
func shownAnswer(body string, secrets mask.Secrets) any {
	hidden := mask.JSON([]byte(body), secrets)
	if json.Valid(hidden) {
		return json.RawMessage(hidden)
	}
	return string(hidden)
}

type storyCmd struct {
	stackArg
	HTML string `name:"html" help:"The file to write. An existing file is replaced." placeholder:"FILE" required:""`
}

// Help is shown by cfnlocal story --help.
func (storyCmd) Help() string {
	return `The page needs no network and no script. For each operation it has a lane for each resource, with its statuses, requests, answers and faults, and the resources left behind. Each request opens to its event, its answers and its handler's log.

Secrets are hidden as in the command's other output: values of NoEcho parameters and values that contain them, Data of answers with NoEcho, and signatures of URLs. Everything else that a handler logs is shown.

cfnlocal serve shows the same pages, and follows running operations.`
}

// Run writes the page.
func (c *storyCmd) Run(a *app) error {
	h, name, err := c.find(a)
	if err != nil {
		return err
	}
	story, err := h.Story(name)
	if err != nil {
		return a.explain(name, nil, err)
	}
	story.Next = a.next(story.Stacks[0], nil)
	if err := story.View().WriteFile(c.HTML); err != nil {
		return &failure{err, "choose another file", exitRefused}
	}
	a.tell(c.HTML+" shows the stack "+name+": open it in a browser.", map[string]any{"Written": c.HTML})
	return nil
}

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
	if _, err := exec.LookPath(command[0]); err != nil {
		return &failure{err, "give the handler's program, and its arguments, after --", exitRefused}
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
	shown := shownAnswer(string(body), mask.Of(mask.SecretsOf(string(body))))
	text, err := json.MarshalIndent(shown, "", "  ")
	if a.json {
		text, err = json.Marshal(shown)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, string(printable.JSON(text)))
	if json.Unmarshal(body, &answered) != nil || answered.Status != "SUCCESS" {
		if !a.json {
			a.printNext("correct the handler, or the event: its Reason says what failed; --logs shows what the handler writes")
		}
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
