package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/standin"
)

// Start is when each scenario begins.
var Start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A Run plays a scenario.
type Run struct {
	*Scenario
	Player    *Player
	Templates map[int]*engine.Template // by revision
	Refused   []string                 // the steps that were, and why
	Acts      []Act                    // what happened, in order

	standIns map[string][]string
	created  int
	asked    map[string]*asked // by RequestId
	counts   map[string]int    // of requests by their Key

	afterStep func(*Run) // of tests that interrupt it
}

// An Act is what happens between CloudFormation, the handler and who orders.
type Act struct {
	Kind ActKind
	At   time.Duration // since Start
	Key  string        // of a request: the resource's path and the RequestType
	N    int           // which of those with the Key, or which step, from 0
	// From is, for an answer that came too late, how many acts came before
	// CloudFormation stopped waiting for it. Otherwise it is the act's own place.
	From int
	// PhysicalID is that of a request, and Line which of the answers with the Key it is
	// given, or -1.
	PhysicalID string
	Line       int
	// Created is the physical ID that the answer to a Create has if its line has none.
	Created string
}

// An ActKind is what an [Act] is.
type ActKind int

// The kinds of acts.
const (
	Asks     ActKind = iota // CloudFormation sends a request
	Answered                // the handler's answer arrives
	Orders                  // a step begins
)

// asked is a request, as the handler knows it.
type asked struct {
	request *engine.Request
	line    Answer
	key     string
	n       int
	created string
	arrived bool
	closed  int // how many acts came before it was no longer waited for; -1 until then
}

// Play plays a scenario under options. If afterStep is given, it is called after each input
// to the engine's machine.
func (s *Scenario) Play(options engine.Options, afterStep func(*Run)) (*Run, error) {
	p := &Run{Scenario: s, Templates: map[int]*engine.Template{}, asked: map[string]*asked{}, counts: map[string]int{}, afterStep: afterStep,
		standIns: maps.Clone(s.StandIns)}
	m := engine.New("shop", options)
	if err := p.Configure(m); err != nil {
		return p, err
	}
	p.Player = &Player{Machine: m, Now: Start, Handler: p.handle, Deliver: p.deliver, Arrives: p.arrives, AfterStep: p.after}
	// A step that breaks in comes at its time; any other once the one before is at rest.
	began := Start
	for i, step := range s.Steps {
		var err error
		if step.Breaks {
			var stepErr error
			p.Player.At(began.Add(step.After), func() { began = p.Player.Now; stepErr = p.do(i) })
			err = errors.Join(p.Player.Run(), stepErr)
		} else {
			if err = p.Player.Run(); err == nil && step.Action == "drain" {
				err = p.Player.Drain()
			} else if err == nil {
				began = p.Player.Now
				err = p.do(i)
			}
			breaksIn := i+1 < len(s.Steps) && s.Steps[i+1].Breaks
			if err == nil && !breaksIn {
				err = p.Player.Run()
			}
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", step.Text, err)
		}
	}
	p.end()
	return p, nil
}

// end notes the answers that were still to come: of requests that are no longer waited for.
func (p *Run) end() {
	for _, r := range p.Player.Machine.Stack().Sent() {
		if q := p.asked[r.RequestID]; !q.arrived && q.closed >= 0 {
			p.arrives(r)
		}
	}
}

// Configure gives a machine what is no part of its stack.
func (p *Run) Configure(m *engine.Machine) error {
	m.StandIn, m.Native = p.standIn, standin.Types{}
	return m.Nest(func(_ *engine.Stack, source engine.Source) (*engine.Template, error) {
		text, known := p.Texts[source.File]
		if !known {
			return nil, fmt.Errorf("no template %s", source.File)
		}
		for name, value := range source.Parameters {
			text = strings.ReplaceAll(text, "$"+name, value)
		}
		t, err := ParseTemplate(text)
		if err != nil {
			return nil, err
		}
		return t.Engine(), nil
	})
}

// Path names a request's resource from the root stack.
func (p *Run) Path(r *engine.Request) string {
	for _, s := range p.Player.Machine.Stack().All() {
		if s.ID == r.StackID {
			return s.PathOf(r.LogicalID)
		}
	}
	return r.LogicalID
}

// do starts an operation. One that is refused is no error: it is among what the scenario expects.
func (p *Run) do(n int) error {
	m, now, step := p.Player.Machine, p.Player.Now, p.Steps[n]
	p.act(Act{Kind: Orders, N: n})
	d := step.Deployment
	if step.Template != "" {
		text, known := p.Texts[step.Template]
		if !known {
			return fmt.Errorf("no template %s", step.Template)
		}
		t, err := ParseTemplate(text)
		if err != nil {
			return err
		}
		d.Template = t.Engine()
	}
	var err error
	switch step.Action {
	case "review":
		err = m.Review(now)
	case "create":
		err = m.Create(now, d)
	case "update":
		err = m.Update(now, d)
	case "delete":
		err = m.Delete(now, step.Retain, step.Force)
	case "cancel":
		err = m.Cancel(now)
	case "rollback":
		err = m.Rollback(now, d.RetainExceptOnCreate)
	case "continue":
		err = m.Continue(now, step.Skip)
	default:
		return fmt.Errorf("no step %s", step.Action)
	}
	// What came of it.
	if d.Template != nil && err == nil {
		p.Templates[m.Stack().Target] = d.Template
	}
	if refusal, ok := errors.AsType[*engine.ValidationError](err); ok {
		p.Refused = append(p.Refused, fmt.Sprintf("%s: %s", step.Text, refusal))
		return nil
	}
	p.after()
	return err
}

func (p *Run) act(a Act) {
	a.At = p.Player.Now.Sub(Start)
	if a.Kind != Answered {
		a.From = len(p.Acts)
	}
	p.Acts = append(p.Acts, a)
}

// after notes what is no longer waited for.
func (p *Run) after() {
	for _, q := range p.asked {
		if q.closed < 0 && q.request.Outcome != engine.Pending {
			q.closed = len(p.Acts)
		}
	}
	if p.afterStep != nil {
		p.afterStep(p)
	}
}

// deliver reads the delivery from the answer's line: it belongs to this request, whatever is
// delivered before it.
func (p *Run) deliver(r *engine.Request) []Delivery {
	key := p.Path(r) + " " + r.RequestType
	q := &asked{request: r, key: key, n: p.counts[key], closed: -1}
	p.counts[key]++
	line := -1
	if all := p.Answers[key]; q.n < len(all) {
		q.line, line = all[q.n], q.n
	}
	p.asked[r.RequestID] = q
	p.act(Act{Kind: Asks, Key: key, N: q.n, PhysicalID: r.PhysicalID, Line: line})
	if q.line.Verb == "refuse" {
		p.Player.At(p.Player.Now, func() { p.Player.Machine.Refuse(p.Player.Now, r.RequestID, q.line.Text) })
		return nil
	}
	return q.line.Deliveries()
}

func (p *Run) handle(r *engine.Request) []byte {
	q := p.asked[r.RequestID]
	if r.RequestType == "Create" {
		p.created++
		q.created = strings.ToLower(r.LogicalID) + "-" + strconv.Itoa(p.created)
	}
	return q.line.Body(r, q.created)
}

func (p *Run) arrives(r *engine.Request) {
	q := p.asked[r.RequestID]
	q.arrived = true
	a := Act{Kind: Answered, Key: q.key, N: q.n, From: len(p.Acts), Created: q.created}
	if q.closed >= 0 {
		a.From = q.closed
	}
	p.act(a)
}

func (p *Run) standIn(operation string, r *engine.StackResource) engine.Fate {
	key := r.LogicalID + " " + operation
	if len(p.standIns[key]) == 0 {
		return engine.Fate{}
	}
	verb, text, _ := strings.Cut(p.standIns[key][0], " ")
	p.standIns[key] = p.standIns[key][1:]
	switch verb {
	case "fail":
		return engine.Fate{Failure: text}
	case "unmade":
		return engine.Fate{Failure: text, Unmade: true}
	case "replace":
		return engine.Fate{Replace: true, PhysicalID: text}
	default:
		return engine.Fate{PhysicalID: text}
	}
}

// A Step is a line of a scenario's play.
type Step struct {
	Text     string        // the line, without the delay
	Breaks   bool          // it does not wait for the stack to be at rest
	After    time.Duration // if it Breaks in: since the step before it
	Action   string        // create, update, and so on
	Template string        // of a create or an update
	// Deployment has the options of a create, an update or a rollback, and no template.
	Deployment   engine.Deployment
	Retain, Skip []string
	Force        bool
}

func parseStep(line string) (s Step, err error) {
	// When it is taken.
	if rest, ok := strings.CutPrefix(line, "after "); ok {
		delay, what, _ := strings.Cut(rest, " ")
		if s.After, err = time.ParseDuration(delay); err != nil {
			return s, err
		}
		s.Breaks, line = true, what
	}

	// What is done.
	s.Text = line
	words := strings.Fields(line)
	if len(words) == 0 {
		return s, errors.New("a step says when, and not what")
	}
	s.Action = words[0]

	// With which options, and which template.
	d := &s.Deployment
	for _, w := range words[1:] {
		key, value, assigned := strings.Cut(w, "=")
		switch key {
		case "express":
			d.Express = true
		case "express-rollback":
			d.Express, d.ExpressRollback = true, true
		case "preserve":
			d.DisableRollback = true
		case "on-failure":
			d.OnFailure = value
		case "retain-except-on-create":
			d.RetainExceptOnCreate = true
		case "protect":
			d.TerminationProtection = true
		case "retain":
			s.Retain = strings.Split(value, ",")
		case "skip":
			s.Skip = strings.Split(value, ",")
		case "force":
			s.Force = true
		default:
			if assigned || s.Template != "" {
				return s, fmt.Errorf("%s: %s is not known", line, w)
			}
			s.Template = w
		}
	}
	return s, nil
}
