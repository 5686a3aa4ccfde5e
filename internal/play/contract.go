// Package play judges handlers. [TestHandler] asks one question after the other, and [Explore]
// plays every short history; both play the handler with package simulate.
// Package cfntest exports them, and documents the types that are called cfntest's here.
//
// To read, in this order:
//
//   - contract.go: what an author says about a handler
//   - check.go: the checks, a row each: lines of histories, or a function in check_*.go that plays some
//   - testhandler.go: runs the checks; line.go: plays those that are lines
//   - word.go: the words of histories, a row each; history.go: a history; history_line.go: reads the line of one
//   - calibration.go: what State shows besides the properties, which is asked before anything is judged
//   - memory.go: plays a history once for all checks, and learns of it
//   - run.go: plays one, deploy.go: asks for its operations; word.go names what plays its words: others.go has what other
//     people do, strangers.go those who are easily confused, beside.go what else is in the stack, twin.go a second thing of
//     one StableID, before.go what the program before has made
//   - judge_request.go: judges its requests, judge_refusal.go those that are refused; judge_settled.go: what they lead to;
//     judge_data.go, judge_secret.go: what is said; judge_standing.go: what each call does to the resource; judge_left.go:
//     what is left, and what no handler can prevent; ripen.go: what a service does by itself
//   - harm.go: the harms, and the text of a failure
//   - cause.go: what helps, in tables; sign.go, sign_request.go, sign_thing.go: what the requests show; hint.go: what an
//     error's text and a search show; difference.go: how two states differ, relation.go: how one comes from the other
//   - plan.go: which histories Explore plays; explore.go, explorer.go: plays them, on all processors
//   - handlertype.go: what the function tells of the handler
//   - change.go: further properties besides the Contract's; change_place.go: where there is something to change;
//     change_kind.go: the kinds of values, a table; change_value.go, change_pair.go and change_form.go make them
//   - check_changes.go: a check that plays other values of each property, change_way.go: in which ways;
//     changes_unjudged.go: what it warns of, and told_apart.go compares the states of two values
//
// A new check is a row in check.go, with a function in check_*.go if no history can express it, and
// a wrong handler in a wrong_*_test.go file for which it fails. docs/checks.md is written from the rows.
//
// A new fault is a row of package simulate: see there. Explore tries it, and goes by its End. A new word of a history is a
// row in word.go, and the function that plays it.
package play

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Contract is cfntest's.
type Contract struct {
	New          func(t testing.TB) Service
	ResourceType string

	Properties, InPlace, Replacing, Refused, NotUpdatable any

	Others map[string]any

	Draw  func(*rand.Rand) any
	Fixed []string
	All   bool // changes of properties are all played, and not a share

	Neither  bool
	Secrets  []string
	Skip     map[string]string
	RealTime bool
	Timeout  time.Duration

	made    *sync.Map   // properties by version, once it is played: see once
	handler handlerType // what the function tells, likewise
}

// lacksVersion reports whether a history deploys a version of which the Contract has no properties, or not with its change.
func (c *Contract) lacksVersion(h history) bool {
	return slices.ContainsFunc(h, func(op operation) bool { return op.deploys() && c.version(op.What) == nil })
}

// A Service is cfntest's, which is converted to it: the compiler keeps the two in step.
type Service struct {
	Function func() simulate.Function
	State    func(physicalID string) any
	List     func() []string
	Occupy   func(physicalID string)
	Crowd    func()
	Before   func(props any) (physicalID string)
	Use      func(physicalID string)
	Effects  func() any
	Around   func() any
	Accepts  func(physicalID, secret string) bool
}

// counted returns the service, of which a look and a use count as something that happens in the bubble.
func (s Service) counted() Service {
	if state := s.State; state != nil {
		s.State = func(id string) any { simulate.Happens(); return state(id) }
	}
	if use := s.Use; use != nil {
		s.Use = func(id string) { simulate.Happens(); use(id) }
	}
	return s
}

// showsThings reports whether the Service shows which things there are.
func (s Service) showsThings() bool { return s.State != nil || s.List != nil }

// wait has time pass. In real time it would take too long.
func (c *Contract) wait(d time.Duration) {
	if c.RealTime {
		return
	}
	<-time.After(d)
}

func (c *Contract) timeout() time.Duration { return cmp.Or(c.Timeout, time.Minute) }

// check returns what is wrong with a Contract.
func (c *Contract) check(t testing.TB) error {
	switch {
	case simulate.InBubble():
		return errors.New("it has bubbles of its own: call it outside of synctest.Test")
	case c.New == nil:
		return errors.New("the Contract has no New: return a Service, with the Function that is tested")
	case c.Properties == nil:
		return errors.New("the Contract has no Properties: set those of a valid resource, or struct{}{} if it takes none")
	case c.Neither && c.Replacing != nil:
		return errors.New("the Contract has both Neither and Replacing: leave one out, since that kind is never replaced")
	case c.ResourceType != "" && !engine.IsCustomResource(c.ResourceType):
		return fmt.Errorf("the Contract's ResourceType is %q: want Custom::NAME, or AWS::CloudFormation::CustomResource", c.ResourceType)
	case c.timeout() < time.Second, c.timeout() > 15*time.Minute:
		return fmt.Errorf("the Contract's Timeout is %v: make it a second to 15 minutes, as on Lambda, or 0 for a minute", c.Timeout)
	}
	if err := c.checkProperties(); err != nil {
		return err
	}

	// What New returns, and what its Function tells, by which the names are checked.
	service := c.New(t)
	switch s := service; {
	case s.Function == nil:
		return errors.New("the Service that New returns has no Function: return there a new Dispatcher, as cfnresource.New makes")
	case s.Crowd != nil && !s.showsThings():
		return errors.New("the Service has a Crowd, but neither State nor List to show what the handler does among other people's things: add one, or leave Crowd out, as for an Action, which makes nothing")
	}
	c.handler = handlerTypeOf(service.Function(), c.ResourceType)
	return c.checkNames()
}

// A fieldOf a Contract has properties.
type fieldOf struct {
	field string
	value any
	sent  map[string]any
}

// checkProperties returns what is wrong with the properties that a Contract has.
func (c *Contract) checkProperties() error {
	// Those of this type: each is valid, and differs from the others.
	var before []fieldOf
	for _, p := range []fieldOf{
		{"Properties", c.Properties, nil}, {"InPlace", c.InPlace, nil}, {"Replacing", c.Replacing, nil}, {"NotUpdatable", c.NotUpdatable, nil}, {"Refused", c.Refused, nil},
	} {
		if p.value == nil {
			continue
		}
		var err error
		if p.sent, err = asSent(p.value); err != nil {
			return fmt.Errorf("the Contract's %s: %w", p.field, err)
		}
		for _, other := range before {
			if reflect.DeepEqual(p.sent, other.sent) {
				return fmt.Errorf("the Contract's %s equals its %s: have it differ in what its comment says, or leave it out", p.field, other.field)
			}
		}
		before = append(before, p)
	}

	// Those of other types.
	for _, name := range slices.Sorted(maps.Keys(c.Others)) {
		switch {
		case name == c.ResourceType, !engine.IsCustomResource(name), c.Others[name] == nil:
			return fmt.Errorf("the Contract's Others has %q: name another custom resource type than the Contract's, such as Custom::Group, and give its properties", name)
		}
		if _, err := asSent(c.Others[name]); err != nil {
			return fmt.Errorf("the Contract's Others has %q: %w", name, err)
		}
	}
	return nil
}

// asSent returns properties as CloudFormation sends them.
func asSent(value any) (sent map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("it is a nil %T: pass a value, or nil itself", value)
	}
	return simulate.Properties(value), nil
}

// checkNames returns what is wrong with the names in a Contract.
func (c *Contract) checkNames() error {
	for _, path := range c.Fixed {
		if !c.hasProperty(path) {
			return fmt.Errorf("the Contract's Fixed has %q, but there is no such property", path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Skip)) {
		if checkNamed(name) == nil {
			return fmt.Errorf("the Contract's Skip has %q, but there is no check of that name", name)
		}
		if c.Skip[name] == "" {
			return fmt.Errorf("the Contract skips %q without a reason: give one", name)
		}
	}
	return nil
}

// version returns the properties of a version, with its change if it has one, or nil.
func (c *Contract) version(name string) any {
	if w := wordNamed(name); w.isVersion() {
		return w.properties(c)
	}
	if base, ch, ok := cutChange(name); ok {
		return c.once("made "+name, func() any { return c.changed(base, ch) })
	}
	return nil
}
