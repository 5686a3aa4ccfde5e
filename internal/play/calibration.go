package play

// What State shows besides the properties is asked once, before anything is judged.

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
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
	values string // what differs there, if that says more
}

// A cause is what State differs by. A name that follows from the ID is often shown, and does no harm while it is left out.
type cause struct {
	text         string
	stays        bool // the checks judge the place: what differs there may be the handler's fault
	helps, would string
}

const (
	leaveItOut  = "Leave it out of State, or have the fake make it of the properties: docs/testing.md#the-service"
	nothingElse = "done nothing wrong: the fault is in State."
)

var (
	byChance = cause{text: "random: it differs between two Creates of one event", helps: leaveItOut, would: nothingElse}
	byTime   = cause{text: "of time: it differs an hour later", helps: leaveItOut, would: nothingElse}
	byID     = cause{text: "of the ID: it differs between two resources of the same properties", helps: leaveItOut, would: nothingElse} // allowed, unless it is all of State
	byOthers = cause{text: "not the same for all resources of the same properties, nor another one for each, as an ID is", stays: true,
		helps: "Have Create make the same thing whatever other resources there are. " + leaveItOut,
		would: "shown a template that not all of its resources match, unless the fault is in State."}
	byOthersEarly = cause{text: "not the same for all resources of the same properties when they are answered, but an hour later", stays: true,
		helps: answersEarly.cure, would: answersEarly.Consequence}
	byProcess = cause{text: "of what the process did before: it differs between the first Create and each later one. A package variable of the handler or of the fake keeps it", stays: true,
		helps: "Keep nothing of a thing in a package variable: each process of Lambda's has its own, and each service in a test needs its own. Have the handler ask the service, and New make all that the fake keeps",
		would: "shown a template that the resource does not match, unless the fault is in the fake."}
)

// stateCheck is the name of the check that says it.
const stateCheck = "state-shows-properties"

// stateShowsProperties says what the calibration has found.
func stateShowsProperties(s *suite) error {
	k := s.prior.calibration
	fault, warning := k.fault()
	if warning != "" {
		s.warnf("%s", warning)
	}
	if fault == "" {
		return nil
	}
	// What may be the handler's fault is mended first.
	of := k.places[max(slices.IndexFunc(k.places, variance.stays), 0)].cause
	return &ruleError{seen: strings.TrimSuffix(fault, "."), helps: whatHelps(of.helps), would: of.would}
}

// serviceTime is how long a service may take to do what it was asked to, or to delete something.
const serviceTime = time.Hour

// A trial makes things of the same properties, one after the other, in a service of its own.
type trial struct {
	version   string
	resources []string // their logical IDs
	stack     string
	after     time.Duration // since the first trial
}

// A shown thing is what State shows of it at the answer and later; nil if nothing was made.
type shown struct {
	each                         []ripening // all that were made
	now, again, later, afterThat any        // of the last
}

// A ripening thing is what State shows of it at the answer, and when the service has had its time; nil if that is not known.
type ripening struct{ now, later any }

// The resources and the stacks of the trials that show what is of the ID: so many that what follows from an ID by chance, such
// as a minute, is the same for few of them.
var (
	triedResources = []string{theResource, theSibling, "Third", "Fourth"}
	triedStacks    = []string{"", "another-stack", "third-stack", "fourth-stack"}
)

// calibrate asks what State shows. The label marks what the handler writes.
func calibrate(t *testing.T, c Contract, label string) *calibration {
	t.Helper()
	known := new(calibration)
	defer capture.Redirect(slog.DiscardHandler)()
	play := func(tr trial) (s shown) {
		capture.WithLabel(label, func() { s = c.try(t, tr) })
		return s
	}
	made := []string{theResource}
	first := play(trial{version: original, resources: made})
	if first.now == nil {
		return known // the checks say why
	}

	// By what two things differ tells what it depends on.
	known.add(byChance, first.now, first.again)
	create := func() any { return play(trial{version: original, resources: made}).now }
	if second := create(); c.RealTime {
		known.add(byChance, first.now, second)
	} else {
		known.addOfProcess(first.now, second, create)
	}
	if !c.RealTime {
		known.add(byTime, first.later, first.afterThat)
		known.add(byTime, first.now, play(trial{version: original, resources: made, after: serviceTime}).now)
	}
	// Beside others in one service, and alone elsewhere.
	beside, alone := first.each, first.each
	beside = append(slices.Clip(beside), play(trial{version: original, resources: triedResources}).each...)
	for i, stack := range triedStacks[1:] {
		alone = append(slices.Clip(alone), play(trial{version: original, resources: triedResources[i+1 : i+2], stack: stack}).each...)
	}
	known.addOfIDs(beside)
	known.addOfIDs(alone)
	if c.RealTime {
		return known
	}

	// What the service does after the answer.
	known.later = map[string]any{original: known.rest(first.later)}
	for _, version := range []string{inPlace, replacing} {
		if c.version(version) != nil {
			known.later[version] = known.rest(play(trial{version: version, resources: made}).later)
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
		k.addPlace(variance{d.within, why, ""})
	}
}

// addPlace adds a place that is not known.
func (k *calibration) addPlace(v variance) {
	if !slices.ContainsFunc(k.places, func(p variance) bool { return p.within == v.within }) {
		k.places = append(k.places, v)
	}
}

// laterCreates is how many Creates are compared with the second, if that differs from the first: so many do not agree by
// chance.
const laterCreates = 8

// addOfProcess adds the places at which the second Create of one event makes something else than the first. If all later
// ones make what the second makes, it is no chance: a new service is given to each, and the process is the same.
func (k *calibration) addOfProcess(first, second any, create func() any) {
	differs := compareStates(k.rest(first), k.rest(second))
	if isNothing(second) || len(differs) == 0 {
		return
	}
	isRandom := map[string]bool{}
	for range laterCreates {
		for within := range byPlace(compareStates(k.rest(second), k.rest(create()))) {
			isRandom[within] = true
		}
	}
	for _, d := range differs {
		is, later := shortenBoth(d.is, d.want)
		v := variance{d.within, byProcess, fmt.Sprintf(" (%s, and later %s)", is, later)}
		if isRandom[d.within] {
			v.cause, v.values = byChance, fmt.Sprintf(" (%s, and %s)", is, later)
		}
		k.addPlace(v)
	}
}

// addOfIDs adds the places at which things of the same properties differ. Only what most of them have as their own can be of the
// ID: what several share, or what is there for one and not for another, depends on something else.
func (k *calibration) addOfIDs(all []ripening) {
	if len(all) < len(triedStacks) || slices.ContainsFunc(all, func(a ripening) bool { return isNothing(a.now) }) {
		return // too few could be made
	}
	// What each has at a place, beside the first.
	has, lacking := map[string][]string{}, map[string]bool{}
	for i, other := range all {
		for within, at := range byPlace(compareStates(k.rest(all[0].now), k.rest(other.now))) {
			if has[within] == nil {
				has[within] = make([]string, len(all))
			}
			has[within][i] = textsOf(at)
			lacking[within] = lacking[within] || isOneMissing(at)
		}
	}
	for _, within := range slices.Sorted(maps.Keys(has)) {
		slices.Sort(has[within])
		own := len(slices.Compact(has[within]))
		switch {
		case !lacking[within] && 2*own > len(all):
			k.addPlace(variance{within, byID, ""})
		case k.ripenAlike(all, within):
			k.addPlace(variance{within, byOthersEarly, ""})
		default:
			k.addPlace(variance{within, byOthers, ""})
		}
	}
}

// ripenAlike reports whether things are known to be the same at a place when the service has had its time.
func (k *calibration) ripenAlike(all []ripening, within string) bool {
	for _, a := range all {
		differs := byPlace(compareStates(k.rest(all[0].later), k.rest(a.later)))
		if isNothing(a.later) || len(differs[within]) > 0 {
			return false
		}
	}
	return true
}

// byPlace returns differences by the place that they are within.
func byPlace(all []difference) map[string][]difference {
	places := map[string][]difference{}
	for _, d := range all {
		places[d.within] = append(places[d.within], d)
	}
	return places
}

// textsOf returns what there is at a place instead of what the first state has there.
func textsOf(all []difference) string {
	var texts []string
	for _, d := range all {
		texts = append(texts, d.at, d.is, d.want)
	}
	return fmt.Sprintf("%q", texts)
}

// isOneMissing reports whether one of two states has nothing where the other has something, at all of some differences.
func isOneMissing(all []difference) bool {
	isEmpty := func(text string) bool {
		return slices.Contains([]string{"not there", `""`, "[]", "map[]", "<nil>"}, text)
	}
	oneHas := slices.ContainsFunc(all, func(d difference) bool { return !isEmpty(d.is) })
	otherHas := slices.ContainsFunc(all, func(d difference) bool { return !isEmpty(d.want) })
	return !oneHas || !otherHas
}

// stays reports whether the checks judge the place.
func (p variance) stays() bool { return p.cause.stays }

// leftOut returns the places that are left out of State.
func (k *calibration) leftOut() (within []string) {
	for _, p := range k.places {
		if !p.stays() {
			within = append(within, p.within)
		}
	}
	return within
}

// rest returns a State without the places that are left out.
func (k *calibration) rest(state any) any {
	if !k.isPartial() {
		return state
	}
	return withoutPlaces(state, k.leftOut())
}

// isPartial reports whether something of State is left out.
func (k *calibration) isPartial() bool { return len(k.leftOut()) > 0 }

// contract returns the Contract with the rest of State.
func (k *calibration) contract(c Contract) Contract {
	if !k.isPartial() {
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
	fails := func(p variance) bool { return p.cause != byID || p.within == "" } // which would be all of State
	var all []string
	for _, p := range k.places {
		name := cmp.Or(strings.TrimPrefix(p.within, "."), "all of it")
		all = append(all, fmt.Sprintf("\n\t%s is %s%s", name, p.cause.text, p.values))
	}
	text := "State shows what does not depend on the properties alone:" + strings.Join(all, "")
	if k.isPartial() {
		text += "\nEverything else is judged by the rest of State."
	}
	switch {
	case len(all) == 0:
		return "", ""
	case slices.ContainsFunc(k.places, fails):
		return text, ""
	}
	return "", text
}

// try makes the things of a trial, and deletes them in the end.
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

// tryIn makes things in a stack. If one cannot be made, none counts.
func (c *Contract) tryIn(service Service, stack *simulate.Stack, tr trial) (s shown) {
	template, ids := simulate.Template{}, []string(nil)
	for _, logicalID := range tr.resources {
		template[logicalID] = simulate.Resource{Type: c.ResourceType, Properties: c.properties(tr.version)}
		err := stack.Deploy(template, simulate.DeployOptions{})
		if err == nil {
			err = stack.Settle()
		}
		isMade := slices.Contains([]lifecycle.StackStatus{lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete}, stack.Status())
		id := stack.PhysicalID(logicalID)
		if err != nil || !isMade || slices.Contains(ids, id) {
			return shown{}
		}
		ids = append(ids, id)
		s.now, s.again = service.State(id), service.State(id)
		s.each = append(s.each, ripening{now: s.now})
	}

	// What State shows later.
	if id := ids[len(ids)-1]; !c.RealTime {
		<-time.After(serviceTime)
		for i, id := range ids {
			s.each[i].later = service.State(id)
		}
		s.later = service.State(id)
		<-time.After(serviceTime)
		s.afterThat = service.State(id)
	}
	if stack.Destroy(nil) == nil {
		_ = stack.Settle()
	}
	return s
}
