package play

// Whatever was deployed before, a handler leads to what a Create of the same properties makes in an empty service. That
// is judged here; check_afresh.go plays the changes of variant.go for it.

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// afreshCheck is the name of the check that plays changes.
const afreshCheck = "leads-where-create-does"

// thereAndBack is the way in which nothing goes wrong: to a change, to itself, which a handler refuses that compares with
// what the service has made of it, and back. If it does harm, or is refused, its parts are played: their lines say more,
// and a change that cannot be undone prevents a rollback.
const thereAndBack = "FROM TO again FROM"

var partsOfIt = []string{there, toItself, "FROM TO/sibling-fails", "TO FROM"}

const (
	there    = "FROM TO"
	toItself = "TO again"
)

// ways lead from one version to another, or back, and something goes wrong on the way, or somebody uses the thing. ALIKE
// has the same change, of what Replacing has.
var ways = []string{
	"FROM TO/kept!lose-answer@1 FROM",
	"TO!die-at-step:2@1",
	"FROM TO!die-at-step:2@1",
	"FROM TO!fail-at-step:2@1",
	"TO!twice@1",
	"FROM TO!twice@1",
	"TO FROM!fail-at-step:2@1",
	"FROM use TO FROM",          // for rebuildsForPassword
	"v0 v1!fail-at-step:2@1 TO", // for takesDrafts
	"v0 v2!lose-answer@1 ALIKE", // for takesAsItIs
}

// ofBefore is the way from a thing that the program before made with the change.
const ofBefore = "before TO FROM"

// sharesOfWays is in how many of the ways a change is played: in one of so many.
const sharesOfWays = 4

// isFine reports whether a history was played that did no harm, and in which nothing was refused.
func (r *historyResult) isFine() bool { return r.found == nil && r.refusal == nil }

// does reports whether a history did a harm.
func (r *historyResult) does(what harm) bool { return r.found.is(what) }

// is reports whether there is a finding, and it is one of some kinds of harm.
func (f *finding) is(kinds ...harm) bool { return f != nil && slices.Contains(kinds, f.harm) }

// Harm that is seen where one property alone has changed.
var (
	staleData      = harm{"Data of other properties", "Data is what a Create of the same properties returns.", "given the readers of Fn::GetAtt a value that the resource does not have.", "Read what Data needs after the change, and return it from Update as from Create: docs/rules-for-a-handler.md#update"}
	secretUnset    = harm{"a secret that differs from the template's", "the service accepts each secret of the settled template, and no other one.", "shown a template whose secret the service does not accept.", "Set the secret in each Update, whatever OldProperties say: the service does not show its secret, and an earlier update may have failed half way"}
	cutValue       = harm{"one state for two values", "two values of a property lead to two states, or one is refused.", "shown a template that the resource does not match.", "Pass the value to the service as it is, and have State show all of it. Have Validate refuse a value that the service cannot hold, or takes for another one"}
	oneID          = harm{"one ID for two things", "two values of a createOnly property have two physical IDs.", "taken one resource for the other, and deleted both at once.", "Do not cut the values in a name, and join them with a separator that no value contains: docs/physical-ids.md"}
	acceptsRefused = harm{"an Update that Create refuses", "an Update refuses the properties that a Create refuses.", "accepted a template from which it cannot make the resource again, in a replacement or in another account.", "Check the properties in Validate, through which Create and Update go. If only a Create has such a rule, name the property in the Contract's Fixed"}
	secondThing    = harm{"a second thing", "an update in place leaves one thing, under the physical ID.", "kept one of the two things in the stack, and left the other one behind.", "If the property belongs in the thing's name, tag it createOnly; otherwise leave it out of the name: docs/physical-ids.md"}
)

// judgeAfresh judges the Data and the secrets of a settled stack's resource.
func (h *historyRun) judgeAfresh(op operation) {
	data, want := h.returned(), h.learned.data[h.Version]
	for _, name := range differentKeys(want, data) {
		switch got, returned := data[name]; {
		case h.how.learns:
			h.taught.fresh[name] = h.learned.fresh[name] || want != nil
		case h.learned.fresh[name], !returned, got == "": // it always differs, or is missing, as another check reports
		case h.dependsOnProperties(name):
			h.harm(staleData, op, "%s in Data is not what a Create of %s returns.", name, h.Version)
		}
	}
	h.judgeSecrets(op)
}

// dependsOnProperties reports whether an attribute is another one with other properties of the history.
func (h *historyRun) dependsOnProperties(name string) bool {
	want := h.learned.data[h.Version][name]
	for _, op := range h.History {
		if of, known := h.learned.data[op.What]; known && !reflect.DeepEqual(of[name], want) {
			return true
		}
	}
	return false
}

// returned returns the resource's Data, and each text in it once more without the physical ID, which differs from Create
// to Create.
func (h *historyRun) returned() map[string]any {
	data := maps.Clone(h.stack.Data(theResource))
	for name, value := range h.stack.Data(theResource) {
		if text, is := value.(string); is && h.id != "" {
			data[name+", apart from the ID,"] = strings.ReplaceAll(text, h.id, "")
		}
	}
	return data
}

// judgeSecrets judges that the service accepts the settled template's secrets, and none of the others.
func (h *historyRun) judgeSecrets(op operation) {
	if h.service.Accepts == nil {
		return
	}
	want := h.c.secretsOf(h.Version)
	wanted := map[string]bool{}
	for _, secret := range want {
		wanted[secret] = true
	}

	// All of the history, since an Update that went wrong may have set one of them.
	for _, of := range slices.Concat(history{{What: h.Version}}, h.History) {
		for path, secret := range h.c.secretsOf(of.What) {
			if secret == "" {
				continue
			}
			switch accepted := h.service.Accepts(h.id, secret); {
			case accepted && !wanted[secret]: // by another property, a secret of before may be due
				h.harm(secretUnset, op, "The service still accepts the %s of %s for %s.", path, of.What, h.id)
			case !accepted && want[path] == secret:
				h.harm(secretUnset, op, "The service does not accept the %s of %s for %s.", path, of.What, h.id)
			}
		}
	}
}

// judgeCut judges that two values of a property lead to two states, if another change shows that State shows the property.
// If the property is createOnly, id was the resource's ID before.
func (h *historyRun) judgeCut(op operation, was, id string) {
	switch {
	case !h.c.differ(was, h.Version), h.learned.want[was] == nil:
		return
	case h.id != id, h.c.oneIdentity(was, h.Version):
	default:
		h.harm(oneID, op, "%s and %s have one physical ID, %s.", was, h.Version, id)
	}
	if lost := h.learned.told(h.c, h.Version).lost(); lost != "" {
		h.harm(cutValue, op, "%s: a part of %s is lost, or a difference in it.", lost, h.subject())
	}
}

// subject returns the path of what the settled version changes.
func (h *historyRun) subject() string {
	_, ch, _ := cutChange(h.Version)
	return ch.Path
}

// learnShown learns changes, of the property that a version changes, until State shows one, and other numbers of entries.
func (x *explorer) learnShown(version string) {
	p := x.learned.told(&x.c, version)
	for _, other := range x.c.changes(p.base) {
		word := other.in(p.base)
		switch {
		case p.isOtherSize(other):
			x.learn(x.c.from(word))
			x.learn(word)
		case p.isBeside(other) && p.shownBeside() == "":
			x.learn(word)
		}
	}
}

// judgeOne judges that an update of one property in which nothing went wrong leaves one thing.
func (h *historyRun) judgeOne(op operation) {
	_, faulty := h.History.faulty()
	switch {
	case !h.changed(), faulty >= 0:
		return
	}
	if others := h.remainingBeside(h.id); len(others) > 0 {
		h.harm(secondThing, op, "%s", h.besideIt(others))
	}
}

// besideIt says what there is besides the resource, or in its place.
func (h *historyRun) besideIt(others []string) string {
	list := strings.Join(others, ", ")
	if h.service.State != nil && isNothing(h.service.State(h.id)) {
		return fmt.Sprintf("There is %s, and nothing under %s.", list, h.id)
	}
	return fmt.Sprintf("Besides %s there is %s.", h.id, list)
}

// changed reports whether a history has a version with a change.
func (h *historyRun) changed() bool { return h.History.isChanged() }

// A refusal is a handler's answer to properties that it does not accept.
type refusal struct {
	at   operation
	code cfnresource.Code // "" if it gives none

	inPlace bool // Update was called for it
}

// invalid reports whether the handler says that the properties, or the update to them, are invalid. What Draw returns is
// valid, and a number out of all proportion may be refused in any way.
func (r refusal) invalid() bool {
	if kindOf(r.at.What).name == drawn {
		return false
	}
	return r.says()
}

// says reports whether the handler says, if it has to, that it does not accept such properties.
func (r refusal) says() bool {
	if kindOf(r.at.What).vast {
		return true
	}
	return slices.Contains(refusing, r.code)
}

// refusing are the codes by which a handler says that it does not accept properties.
var refusing = []cfnresource.Code{cfnresource.CodeInvalidRequest, cfnresource.CodeNotUpdatable, cfnresource.CodeServiceLimitExceeded}

// ofUpdate reports whether the handler says that an Update cannot lead to properties that a Create may accept.
func (r refusal) ofUpdate() bool {
	if r.code == cfnresource.CodeNotUpdatable {
		return true
	}
	if kindOf(r.at.What).vast {
		return true
	}
	return !r.inPlace && r.says()
}

// refusalOf returns the refusal in a request that failed. If Validate refused the properties, no method was called.
func refusalOf(op operation, r simulate.Request) *refusal {
	said := &refusal{at: op, code: cfnresource.CodeInvalidRequest}
	for _, c := range r.Calls() {
		switch c.Method {
		case "Create", "Update":
			said.code, said.inPlace = cfnresource.Code(c.Code), c.Method == "Update"
		}
	}
	return said
}
