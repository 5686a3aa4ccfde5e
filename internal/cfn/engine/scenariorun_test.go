package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A scenarioRun plays a scenario.
type scenarioRun struct {
	*scenario
	answers, standIns map[string][]string // those that are not used up
	player            *Player
	templates         map[int]*Template // by revision
	created           int
	refused           []string
	lines             map[string]string  // of answers, by RequestId
	afterStep         func(*scenarioRun) // of tests that interrupt it
}

func (s *scenario) run(afterStep func(*scenarioRun)) (*scenarioRun, error) {
	p := &scenarioRun{scenario: s, templates: map[int]*Template{}, lines: map[string]string{}, afterStep: afterStep}
	p.answers, p.standIns = maps.Clone(s.answers), maps.Clone(s.standIns)
	m := New("shop", s.options)
	if err := p.configure(m); err != nil {
		return p, err
	}
	p.player = &Player{Machine: m, Now: start, Handler: p.handle, Deliver: p.deliver}
	if afterStep != nil {
		p.player.AfterStep = func() { afterStep(p) }
	}
	began := start
	for i, step := range s.steps {
		var err error
		if rest, ok := strings.CutPrefix(step, "after "); ok {
			delay, what, _ := strings.Cut(rest, " ")
			d, parseErr := time.ParseDuration(delay)
			if parseErr != nil {
				return p, parseErr
			}
			var stepErr error
			p.player.At(began.Add(d), func() { began = p.player.Now; stepErr = p.step(what) })
			err = errors.Join(p.player.Run(), stepErr)
		} else {
			if err = p.player.Run(); err == nil && step == "drain" {
				err = p.player.Drain()
			} else if err == nil {
				began = p.player.Now
				err = p.step(step)
			}
			breaksIn := i+1 < len(s.steps) && strings.HasPrefix(s.steps[i+1], "after ")
			if err == nil && !breaksIn {
				err = p.player.Run()
			}
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", step, err)
		}
	}
	return p, nil
}

// configure gives a machine what is no part of its stack.
func (p *scenarioRun) configure(m *Machine) error {
	m.StandIn = p.standIn
	return m.Nest(func(_ *Stack, source Source) (*Template, error) {
		text, known := p.texts[source.File]
		if !known {
			return nil, fmt.Errorf("no template %s", source.File)
		}
		for name, value := range source.Parameters {
			text = strings.ReplaceAll(text, "$"+name, value)
		}
		return parseTemplate(text)
	})
}

// path names a request's resource from the root stack.
func (p *scenarioRun) path(r *Request) string {
	for _, s := range p.player.Machine.Stack().All() {
		if s.ID == r.StackID {
			return s.PathOf(r.LogicalID)
		}
	}
	return r.LogicalID
}

// step starts an operation. One that is refused is no error: it is among what
// the scenario expects.
func (p *scenarioRun) step(step string) error {
	m, now := p.player.Machine, p.player.Now
	// Its arguments.
	words := strings.Fields(step)
	d := Deployment{}
	var retain, skip []string
	var force bool
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
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
			retain = strings.Split(value, ",")
		case "skip":
			skip = strings.Split(value, ",")
		case "force":
			force = true
		default:
			if d.Template = p.scenario.templates[w]; d.Template == nil {
				return fmt.Errorf("no template %s", w)
			}
		}
	}
	// The operation.
	var err error
	switch words[0] {
	case "review":
		err = m.review(now)
	case "create":
		err = m.Create(now, d)
	case "update":
		err = m.Update(now, d)
	case "delete":
		err = m.Delete(now, retain, force)
	case "cancel":
		err = m.Cancel(now)
	case "rollback":
		err = m.Rollback(now, d.RetainExceptOnCreate)
	case "continue":
		err = m.Continue(now, skip)
	default:
		return fmt.Errorf("no step %s", words[0])
	}
	// What came of it.
	if d.Template != nil && err == nil {
		p.templates[m.Stack().Target] = d.Template
	}
	if refusal, ok := errors.AsType[*ValidationError](err); ok {
		p.refused = append(p.refused, fmt.Sprintf("%s: %s", step, refusal))
		return nil
	}
	if p.afterStep != nil {
		p.afterStep(p)
	}
	return err
}

// deliver reads the delivery from the answer's line, which is used up: it
// belongs to this request, whatever is delivered before it.
func (p *scenarioRun) deliver(r *Request) []Delivery {
	key, line := p.path(r)+" "+r.RequestType, ""
	if all := p.answers[key]; len(all) > 0 {
		line, p.answers[key] = all[0], all[1:]
	}
	p.lines[r.RequestID] = line
	if verb, text, _ := strings.Cut(line, " "); verb == "refuse" {
		p.player.At(p.player.Now, func() { p.player.Machine.Refuse(p.player.Now, r.RequestID, text) })
		return nil
	}
	all := []Delivery{{Takes: time.Second}}
	for w := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(w, "=")
		d, _ := time.ParseDuration(value)
		switch key {
		case "after":
			all[0].After = d
		case "takes":
			all[0].Takes = d
		case "lost":
			all[0].Lost = true
		case "again":
			all = append(all, Delivery{After: all[0].After + d, Takes: all[0].Takes})
		}
	}
	return all
}

func (p *scenarioRun) handle(r *Request) []byte {
	line := p.lines[r.RequestID]
	a := map[string]any{"Status": "SUCCESS", "StackId": r.StackID, "RequestId": r.RequestID, "LogicalResourceId": r.LogicalID, "PhysicalResourceId": r.PhysicalID}
	if r.RequestType == "Create" {
		p.created++
		a["PhysicalResourceId"] = strings.ToLower(r.LogicalID) + "-" + strconv.Itoa(p.created)
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		out, _ := json.Marshal(a)
		return out
	}
	switch words[0] {
	case "none":
		return nil
	case "raw":
		return []byte(strings.NewReplacer("{StackId}", r.StackID, "{RequestId}", r.RequestID, "{LogicalResourceId}", r.LogicalID,
			"{long}", strings.Repeat("x", 4096)).Replace(strings.TrimPrefix(line, "raw ")))
	case "FAILED":
		a["Status"], a["Reason"] = "FAILED", "no"
	}
	for i, w := range words[1:] {
		key, value, assigned := strings.Cut(w, "=")
		switch {
		case key == "Data":
			data, _ := decode([]byte(value))
			a["Data"] = data
		case key == "Reason":
			a["Reason"] = value
		case w == "NoEcho":
			a["NoEcho"] = true
		case i == 0 && !assigned:
			a["PhysicalResourceId"] = w
		}
	}
	out, _ := json.Marshal(a)
	return out
}

func (p *scenarioRun) standIn(operation string, r *StackResource) Fate {
	key := r.LogicalID + " " + operation
	if len(p.standIns[key]) == 0 {
		return Fate{}
	}
	verb, text, _ := strings.Cut(p.standIns[key][0], " ")
	p.standIns[key] = p.standIns[key][1:]
	switch verb {
	case "fail":
		return Fate{Failure: text}
	case "unmade":
		return Fate{Failure: text, Unmade: true}
	case "replace":
		return Fate{Replace: true, PhysicalID: text}
	default:
		return Fate{PhysicalID: text}
	}
}
