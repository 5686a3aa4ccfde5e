package play

// What State shows besides the properties is asked once, before anything is judged.

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A calibration is what is known of a Service before anything is judged.
type calibration struct {
	places []variance     // in State, that do not depend on the properties alone
	later  map[string]any // by version, the State of a thing whose service has had its time since the Create; nil if not known
}

// A variance is where State differs between things of the same properties.
type variance struct {
	within string
	cause  cause
}

// A cause is what State differs by. A name that follows from the ID is often shown, and does no harm while it is left out.
type cause struct {
	text    string
	allowed bool // as long as it is not all of State
}

var (
	byChance = cause{text: "random: it differs between two Creates of one event"}
	byTime   = cause{text: "of time: it differs an hour later"}
	byID     = cause{text: "of the ID: it differs between two resources of the same properties", allowed: true}
)

// stateCheck is the name of the check that says it.
const stateCheck = "state-shows-properties"

// stateShowsProperties says what the calibration has found.
func stateShowsProperties(s *suite) error {
	fault, warning := s.prior.calibration.fault()
	if warning != "" {
		s.warnf("%s", warning)
	}
	if fault != "" {
		return &ruleError{
			seen:  strings.TrimSuffix(fault, "."),
			helps: whatHelps("Leave it out of State, or have the fake make it of the properties: docs/testing.md#the-service"),
			harm:  "done nothing wrong: the fault is in State.",
		}
	}
	return nil
}

// serviceTime is how long a service may take to do what it was asked to, or to delete something.
const serviceTime = time.Hour

// A trial is one Create, in a service of its own.
type trial struct {
	version   string
	logicalID string
	stack     string
	beside    bool          // another resource of the same properties was made before, in the same stack
	after     time.Duration // since the first trial
}

// A shown thing is what State shows of it at the answer and later; nil if nothing was made.
type shown struct{ now, again, later, afterThat any }

// calibrate asks what State shows. The label marks what the handler writes.
func calibrate(t *testing.T, c Contract, label string) *calibration {
	t.Helper()
	known := new(calibration)
	defer capture.Redirect(slog.DiscardHandler)()
	play := func(tr trial) (s shown) {
		capture.WithLabel(label, func() { s = c.try(t, tr) })
		return s
	}
	first := play(trial{version: original, logicalID: theResource})
	if first.now == nil {
		return known // the checks say why
	}

	// By what two things differ tells what it depends on.
	known.add(byChance, first.now, first.again)
	known.add(byChance, first.now, play(trial{version: original, logicalID: theResource}).now)
	if !c.RealTime {
		known.add(byTime, first.later, first.afterThat)
		known.add(byTime, first.now, play(trial{version: original, logicalID: theResource, after: serviceTime}).now)
	}
	for _, other := range []trial{
		{version: original, logicalID: theResource, beside: true}, {version: original, logicalID: theSibling}, {version: original, logicalID: theResource, stack: "another-stack"},
	} {
		known.add(byID, first.now, play(other).now)
	}
	if c.RealTime {
		return known
	}

	// What the service does after the answer.
	known.later = map[string]any{original: known.rest(first.later)}
	for _, version := range []string{inPlace, replacing} {
		if c.version(version) != nil {
			known.later[version] = known.rest(play(trial{version: version, logicalID: theResource}).later)
		}
	}
	return known
}

// add adds the places at which two States differ, apart from those that are known. Where either thing was not made, nothing
// is learned.
func (k *calibration) add(why cause, one, other any) {
	if isNothing(one) || isNothing(other) {
		return
	}
	for _, d := range compareStates(k.rest(one), k.rest(other)) {
		if !slices.ContainsFunc(k.places, func(p variance) bool { return p.within == d.within }) {
			k.places = append(k.places, variance{d.within, why})
		}
	}
}

// rest returns a State without the places.
func (k *calibration) rest(state any) any {
	if len(k.places) == 0 {
		return state
	}
	within := make([]string, len(k.places))
	for i, p := range k.places {
		within[i] = p.within
	}
	return withoutPlaces(state, within)
}

// isPartial reports whether something of State is left out.
func (k *calibration) isPartial() bool { return len(k.places) > 0 }

// contract returns the Contract with the rest of State.
func (k *calibration) contract(c Contract) Contract {
	if len(k.places) == 0 {
		return c
	}
	made := c.New
	c.New = func(t testing.TB) Service {
		s := made(t)
		if state := s.State; state != nil {
			s.State = func(id string) any { return k.rest(state(id)) }
		}
		return s
	}
	return c
}

// fault says what State shows besides the properties, or "": what depends on the ID is a warning.
func (k *calibration) fault() (fault, warning string) {
	fails := func(p variance) bool { return !p.cause.allowed || p.within == "" }
	var all []string
	for _, p := range k.places {
		name := cmp.Or(strings.TrimPrefix(p.within, "."), "all of it")
		all = append(all, fmt.Sprintf("\n\t%s is %s", name, p.cause.text))
	}
	text := "State shows what does not depend on the properties alone:" + strings.Join(all, "") + "\nEverything else is judged by the rest of State."
	switch {
	case len(all) == 0:
		return "", ""
	case slices.ContainsFunc(k.places, fails):
		return text, ""
	}
	return "", text
}

// try makes a thing, and deletes it in the end.
func (c *Contract) try(t *testing.T, tr trial) (s shown) {
	play := func(t *testing.T) {
		if tr.after > 0 {
			<-time.After(tr.after)
		}
		service := c.New(t)
		if service.State == nil {
			return
		}
		stack, err := simulate.New(context.WithoutCancel(t.Context()), service.Function, simulate.Options{Name: tr.stack, Timeout: c.Timeout, RealTime: c.RealTime})
		if err != nil {
			return // as each check says
		}
		s = c.tryIn(service, stack, tr)
	}
	if c.RealTime {
		play(t)
	} else if simulate.Bubble(t, play) != nil {
		return shown{} // a check says what hangs
	}
	return s
}

// tryIn makes a thing in a stack.
func (c *Contract) tryIn(service Service, stack *simulate.Stack, tr trial) (s shown) {
	resource := simulate.Resource{Type: c.ResourceType, Properties: c.version(tr.version)}
	template := simulate.Template{tr.logicalID: resource}
	if tr.beside {
		template[theSibling] = resource
		resource.DependsOn = []string{theSibling}
		template[tr.logicalID] = resource
	}
	err := stack.Deploy(template, simulate.DeployOptions{})
	if err == nil {
		err = stack.Settle()
	}
	id := stack.PhysicalID(tr.logicalID)
	isShared := tr.beside && id == stack.PhysicalID(theSibling)
	if err != nil || stack.Status() != lifecycle.StackCreateComplete || isShared {
		return s
	}

	// What State shows, now and later.
	s.now, s.again = service.State(id), service.State(id)
	if !c.RealTime {
		<-time.After(serviceTime)
		s.later = service.State(id)
		<-time.After(serviceTime)
		s.afterThat = service.State(id)
	}
	if stack.Destroy(nil) == nil {
		_ = stack.Settle()
	}
	return s
}
