package play

// Has one process handle the events of two resources, and compares it with new processes.

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// warmServesSeveral has one process handle all events of two resources, and compares
// the things after each deployment with those that new processes make.
func warmServesSeveral(s *suite) error {
	_, beside, err := s.createPair(pair{thing, sibling, ""}, true)
	if err != nil {
		return err
	}
	life := s.lifeBeside(beside)
	cold := s.coldLife(life)
	r := s.newLifeRun(1)
	var first moment
	for i, warm := range r.live(life) {
		if i == len(cold) || r.err != nil {
			break
		}
		names := warm.dataThatDiffers(cold[i])
		if len(names) > 0 {
			if again := s.coldLife(life); i < len(again) { // Data that differs anyway, such as a random value
				anyway := again[i].dataThatDiffers(cold[i])
				names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(anyway, name) })
			}
		}
		// In the end it was made anew, so that nothing that is made up is the same by chance.
		if i == 0 {
			first = warm
		}
		if i == len(life)-1 {
			anyway := cold[i].dataOfAnother(cold[0])
			names = append(names, slices.DeleteFunc(warm.dataOfAnother(first), func(name string) bool { return slices.Contains(anyway, name) })...)
		}
		switch {
		case warm.summary() != cold[i].summary():
			r.err = r.failf("with one process for all events %s; with a new one for each event %s", warm.summary(), cold[i].summary())
		case !sameState(warm.states, cold[i].states):
			r.err = r.failf("with one process for all events the states of %s and %s are\n\t%s\nand with a new one for each event\n\t%s",
				thing, sibling, shorten(warm.states), shorten(cold[i].states))
		case len(names) > 0:
			r.err = r.failf("Data with one process for all events differs from Data with a new one for each event, in %s", strings.Join(slices.Sorted(slices.Values(names)), ", "))
		}
	}
	if found, ok := errors.AsType[*ruleError](r.err); ok && found.code == "" {
		found.helps = whatHelps(causeOf(scene{harm: wrongState, ops: history{{What: warm}}, requests: r.stack.Requests()}))
	}
	return r.err
}

// A stage has the properties of two resources, each nil if it is not deployed.
type stage struct{ props, beside any }

// lifeBeside returns what is deployed. Some Updates come twice, and in the end the resource is made
// anew, a minute later: even the time of its making is another one then.
func (s *suite) lifeBeside(beside any) (life []stage) {
	alike := reflect.DeepEqual(beside, s.Properties) // otherwise beside has the name that Replacing needs
	updates := []any{s.Properties, s.InPlace, s.Properties, s.InPlace, s.Properties}
	if alike {
		updates = append(updates, s.Replacing, s.Properties)
	}
	var was any
	for _, props := range updates {
		if props == nil || reflect.DeepEqual(props, was) {
			continue
		}
		was = props
		if alike {
			beside = props
		}
		life = append(life, stage{props, beside})
	}
	return append(life, stage{nil, beside}, stage{s.Properties, beside})
}

// newLifeRun makes a run in which a request that repeats an earlier one has its
// RequestId, as has been seen of CloudFormation.
func (s *suite) newLifeRun(warm int) *run {
	r := s.newRunWith(simulate.Options{Warm: warm})
	r.stack.ReuseRequestIDs()
	return r
}

// coldLife plays a life with new processes, and returns its moments as far as it goes well:
// the rest is for other checks.
func (s *suite) coldLife(life []stage) (all []moment) {
	r := s.newLifeRun(0)
	for _, now := range r.live(life) {
		if r.err != nil || now.status != lifecycle.StackCreateComplete && now.status != lifecycle.StackUpdateComplete {
			break
		}
		all = append(all, now)
	}
	return all
}

// live plays a life, and yields the moment after each deployment.
func (r *run) live(life []stage) iter.Seq2[int, moment] {
	return func(yield func(int, moment) bool) {
		for i, d := range life {
			if i == len(life)-1 {
				r.wait(time.Minute)
			}
			r.deployPair(pair{thing, sibling, ""}, d.props, d.beside)
			if !yield(i, r.moment()) {
				return
			}
		}
	}
}

// A moment holds two resources as they are after a deployment.
type moment struct {
	status lifecycle.StackStatus
	things int  // how many exist, as far as the Service shows them
	shared bool // both have one ID
	states [2]any
	data   [2]map[string]any
}

func (r *run) moment() moment {
	m := moment{status: r.status(), things: len(r.remaining())}
	id, other := r.id(), r.stack.PhysicalID(sibling)
	m.shared = id == other && id != ""
	m.states = [2]any{r.state(id), r.state(other)}
	m.data = [2]map[string]any{r.stack.Data(thing), r.stack.Data(sibling)}
	return m
}

// summary describes the moment without states and Data.
func (m moment) summary() string {
	text := fmt.Sprintf("the stack is in %s, and there are %d things", m.status, m.things)
	if m.shared {
		text += ", both resources with one ID"
	}
	return text
}

// dataThatDiffers returns the names of attributes.
func (m moment) dataThatDiffers(other moment) []string {
	return append(differentKeys(m.data[0], other.data[0]), differentKeys(m.data[1], other.data[1])...)
}

// dataOfAnother returns the names of the resource's attributes that its sibling has too, or that it
// had itself before it was deleted and made anew.
func (m moment) dataOfAnother(first moment) (names []string) {
	for name, value := range m.data[0] {
		if value != "" && (reflect.DeepEqual(value, m.data[1][name]) || reflect.DeepEqual(value, first.data[0][name])) {
			names = append(names, name)
		}
	}
	return names
}
