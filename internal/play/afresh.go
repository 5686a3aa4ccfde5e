package play

// Whatever was deployed before, a handler leads to what a Create of the same properties makes in an empty service. That
// is judged here; check_afresh.go plays the changes of variant.go for it.

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
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
func (r *historyResult) does(what harm) bool { return r.found != nil && r.found.harm == what }

// Harm that is seen where one property alone has changed.
var (
	staleData      = harm{"Data of other properties", "Data is what a Create of the same properties returns.", "given a value that the resource does not have to whatever reads it with Fn::GetAtt.", "Read what Data needs after the change, and return it from Update as from Create: docs/rules-for-a-handler.md#update"}
	secretUnset    = harm{"another secret than the template has", "the service accepts each secret of the settled template, and no other one.", "shown a template whose secret the service does not accept.", "Set the secret in each Update, whatever OldProperties say: the service does not show which one it has, and an update may have failed half way"}
	cutValue       = harm{"a value that is cut", "two values of a property lead to two states, or one is refused.", "shown a template that the resource does not match.", "Pass the whole value to the service, page by page, and have State show all of it. Have Validate refuse a value that the service cannot hold"}
	oneID          = harm{"one ID for two things", "two values of a createOnly property have two physical IDs.", "taken one resource for the other, and deleted both with one of them.", "Do not cut the values that a name is made of, and join them so that they can be told apart: docs/physical-ids.md"}
	acceptsRefused = harm{"an Update that Create refuses", "properties that a Create refuses are refused by an Update too.", "accepted a template from which it cannot make the resource again, in a replacement or in another account.", "Check the properties in Validate, through which Create and Update go. If only a Create has such a rule, name the property in the Contract's Fixed"}
	secondThing    = harm{"a second thing", "an update in place leaves one thing, under the physical ID.", "gone on with one of them, and the other would stay, in no stack.", "If the property belongs in the thing's name, tag it createOnly; otherwise leave it out of the name: docs/physical-ids.md"}
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
	if !h.c.differ(was, h.Version) || h.learned.want[was] == nil {
		return
	}

	// Two identities have two IDs.
	if h.id == id && !h.c.oneIdentity(was, h.Version) {
		h.harm(oneID, op, "%s and %s have one physical ID, %s.", was, h.Version, id)
	}

	// Two values have two states, also where neither is that of the author.
	base, ch, _ := cutChange(h.Version)
	h.judgeSame(op, was, h.Version)
	if was != base && at(h.c.properties(base), ch.Path) != nil {
		h.judgeSame(op, base, was)
	}
	if ch.Kind == entries {
		h.judgeGrowth(op, was, base, ch)
	}
}

// judgeSame judges that State is not the same with two values of what the settled version changes.
func (h *historyRun) judgeSame(op operation, one, other string) {
	_, ch, _ := cutChange(h.Version)
	if h.mayBeSame(one, ch) || !sameState(h.learned.want[one], h.learned.want[other]) {
		return
	}
	if shown := h.learned.shownBeside(&h.c, h.Version); shown != "" && !h.isDefault(one, shown, ch) {
		h.harm(cutValue, op, "State is the same with %s and with %s, and another one with %s: a part of %s is lost.", one, other, shown, ch.Path)
	}
}

// mayBeSame reports whether State may be the same with two values: it does not show a secret, nor twice what a set has
// already, and it may show texts that are joined.
func (h *historyRun) mayBeSame(one string, ch change) bool {
	o := h.c.optionOf(h.Version)
	switch {
	case h.c.handler.isSecret(ch.subjects()[0]), repeats(o.to):
		return true
	}
	return o.parts[0] != "" && slices.ContainsFunc(textsIn(h.learned.want[one]), func(text string) bool {
		_, after, has := strings.Cut(text, o.parts[0])
		return has && strings.Contains(after, o.parts[1])
	})
}

// isDefault reports whether State may show what is left out as zero, since that is the default: it shows nothing, or
// nothing but zero, at the place where it shows another value.
func (h *historyRun) isDefault(leftOut, shown string, ch change) bool {
	base, _, _ := cutChange(h.Version)
	if h.c.valueIn(leftOut, base, ch) != nil {
		return false
	}
	is := h.learned.want[leftOut]
	all := slices.Concat(compareStates(is, h.learned.want[base]), compareStates(is, h.learned.want[shown]))
	return slices.ContainsFunc(all, func(d difference) bool { return slices.Contains(zeros, d.is) })
}

// zeros are how State shows zero, or nothing.
var zeros = []string{"0", `""`, `"0"`, "false", "not there"}

// A sized thing is a list of so many entries, and how many values State then has.
type sized struct{ entries, values int }

// judgeGrowth judges that State has as many values more for each entry of a list or a map, whose entries are all alike.
func (h *historyRun) judgeGrowth(op operation, was, base string, ch change) {
	var all []sized
	for _, other := range h.c.changes(base) {
		if other.Path != ch.Path || other.Kind != ch.Kind {
			continue
		}
		for _, of := range []change{other.played(), other} {
			word := of.in(base)
			if h.learned.want[word] != nil && !repeats(h.c.valueIn(word, base, ch)) {
				all = append(all, h.sized(word, base, ch))
			}
		}
	}
	few, many := h.sized(was, base, ch), h.sized(h.Version, base, ch)
	if odd := unlikeOthers(all); slices.Contains(odd, few) || slices.Contains(odd, many) {
		h.harm(cutValue, op, "State has %d values with %d entries of %s, and %d with %d. With other numbers of entries it has another number for each: a part of %s is lost.", few.values, few.entries, ch.Path, many.values, many.entries, ch.Path)
	}
}

// sized returns how many entries a version has at the place of a change, and State values.
func (h *historyRun) sized(version, base string, ch change) sized {
	value := h.c.valueIn(version, base, ch)
	return sized{reflect.ValueOf(value).Len(), len(valuesIn(h.learned.want[version]))}
}

// unlikeOthers returns those of several that are not as large as the others say. What grows by a whole
// number for each entry, from a few to many, grows by that for all.
func unlikeOthers(all []sized) (odd []sized) {
	for i, few := range all {
		for _, many := range all[i+1:] {
			entries, values := many.entries-few.entries, many.values-few.values
			if entries < 10 || values < entries || values%entries != 0 {
				continue
			}
			for _, s := range all {
				if s.values-few.values != values/entries*(s.entries-few.entries) {
					odd = append(odd, s)
				}
			}
			if len(odd) > 0 {
				return odd
			}
		}
	}
	return nil
}

// valuesIn returns the values in a state that hold no others; textsIn returns those that are texts.
func valuesIn(state any) (all []any) {
	var collect func(part any)
	collect = func(part any) {
		switch part := part.(type) {
		case nil:
		case map[string]any:
			for _, member := range part {
				collect(member)
			}
		case []any:
			for _, entry := range part {
				collect(entry)
			}
		default:
			all = append(all, part)
		}
	}
	collect(withoutPlaces(state, nil))
	return all
}

func textsIn(state any) (texts []string) {
	for _, value := range valuesIn(state) {
		if v := reflect.ValueOf(value); v.Kind() == reflect.String {
			texts = append(texts, v.String())
		}
	}
	return texts
}

// shownBeside returns a version with another change that State shows, of what a version changes, or "". Of two members that
// a version changes, State has to show each.
func (l learned) shownBeside(c *Contract, version string) (shown string) {
	base, ch, _ := cutChange(version)
	if l.readsNumbers(c, version) {
		return ""
	}
	for _, subject := range ch.subjects() {
		if shown = l.shownOf(c, base, subject); shown == "" {
			return ""
		}
	}
	return shown
}

func (l learned) shownOf(c *Contract, base, subject string) (shown string) {
	for _, word := range slices.Sorted(maps.Keys(l.want)) {
		of, other, _ := cutChange(word)
		switch {
		case of != base, !isChanged(word), strings.Contains(word, " "):
		case c.shows(other, subject) && !sameState(l.want[word], l.want[base]):
			shown = word
		}
	}
	return shown
}

// readsNumbers reports whether a service may read a text as a number, of which it makes the same with a zero before it.
// One that does not has State show that text, and another one that is no number, as they are.
func (l learned) readsNumbers(c *Contract, version string) bool {
	base, ch, _ := cutChange(version)
	if !hasZeroBefore(c.optionOf(version).to) {
		return false
	}
	if !l.showsText(c.from(version), c.valueIn(c.from(version), base, ch)) {
		return true
	}
	for word := range l.want {
		of, other, isChange := cutChange(word)
		if isChange && (of != base || other.Path != ch.Path) {
			continue // of another property
		}
		if value := c.valueIn(word, base, ch); !isNumber(value) && l.showsText(word, value) {
			return false
		}
	}
	return true
}

// showsText reports whether State shows a text as it is.
func (l learned) showsText(version string, value any) bool {
	text, _ := value.(string)
	return text != "" && slices.Contains(textsIn(l.want[version]), text)
}

// hasZeroBefore reports whether a value is the text of a number with a zero before it; isNumber, with or without one.
func hasZeroBefore(value any) bool {
	text, _ := value.(string)
	return strings.HasPrefix(text, "0") && isNumber(text) && text != "0"
}

func isNumber(value any) bool {
	_, err := strconv.ParseInt(fmt.Sprint(value), 10, 64)
	return err == nil
}

// learnShown learns changes, of the property that a version changes, until State shows one, and other numbers of entries.
func (x *explorer) learnShown(version string) {
	base, ch, is := cutChange(version)
	if !is {
		return
	}
	for _, other := range x.c.changes(base) {
		word := other.in(base)
		switch {
		case ch.Kind == entries && other.Kind == ch.Kind && other.Path == ch.Path:
			x.learn(x.c.from(word))
			x.learn(word)
		case x.c.showsAny(other, ch) && x.learned.shownBeside(&x.c, version) == "":
			x.learn(word)
		}
	}
}

// shows reports whether State shows what is at a path if it shows a change: one of the same property, or of the list of
// which an entry has it, since State shows all of an entry. Of a member of which no type is told, it may be a secret, and
// State does not show it.
func (c *Contract) shows(other change, path string) bool {
	if !c.handler.isTold() {
		return other.Path == path
	}
	rest, in := strings.CutPrefix(path, other.Path)
	return in && ofEntry.MatchString(rest)
}

// showsAny reports whether State shows a part of what a change changes, if it shows another change.
func (c *Contract) showsAny(other, ch change) bool {
	return slices.ContainsFunc(ch.subjects(), func(path string) bool { return c.shows(other, path) })
}

// ofEntry matches the end of a path after a list: nothing, or an entry and what is in it.
var ofEntry = regexp.MustCompile(`^$|^\.[0-9]+\b`)

// judgeOne judges that an update of one property in which nothing went wrong leaves one thing.
func (h *historyRun) judgeOne(op operation) {
	_, faulty := h.History.faulty()
	if !h.changed() || faulty >= 0 {
		return
	}
	if others := h.remainingBeside(h.id); len(others) > 0 {
		h.harm(secondThing, op, "Besides %s there is %s.", h.id, strings.Join(others, ", "))
	}
}

// changed reports whether a history has a version with a change.
func (h *historyRun) changed() bool {
	return slices.ContainsFunc(h.History, func(op operation) bool { return isChanged(op.What) })
}

// A refusal is a handler's answer to properties that it does not accept.
type refusal struct {
	at   operation
	code cfnresource.Code // "" if it gives none

	inPlace bool // Update was called for it
}

// invalid reports whether the handler says that the properties, or the update to them, are invalid. What Draw returns is
// valid, and a number out of all proportion may be refused in any way.
func (r refusal) invalid() bool {
	return kindOf(r.at.What).name != drawn && r.says()
}

// says reports whether the handler says, if it has to, that it does not accept such properties.
func (r refusal) says() bool {
	return kindOf(r.at.What).vast || slices.Contains(refusing, r.code)
}

// refusing are the codes by which a handler says that it does not accept properties.
var refusing = []cfnresource.Code{cfnresource.CodeInvalidRequest, cfnresource.CodeNotUpdatable, cfnresource.CodeServiceLimitExceeded}

// ofUpdate reports whether the handler says that an Update cannot lead to properties that a Create may accept.
func (r refusal) ofUpdate() bool {
	mayFail := !r.inPlace || kindOf(r.at.What).vast
	return r.says() && (mayFail || r.code == cfnresource.CodeNotUpdatable)
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
