package play

// Judges Data, the size of answers and effects: whatever was deployed before, they are those of a Create.

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// judgeData checks that Data has all that a Create returns in which nothing goes wrong.
func (h *historyRun) judgeData(op operation) {
	got := h.returned()
	if h.how.learns {
		h.taught.data[h.Version] = got
		return
	}
	want := h.learned.data[h.Version]
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name] != "" && isEmpty(got[name]) {
			h.record(dataMissing, op, "Data has no %s, which a Create of %s returns when nothing goes wrong.", name, h.Version)
		}
	}
}

// judgeSameData judges that Data is the same after an Update to the same properties. Much later it may differ, but not have
// come late.
func (h *historyRun) judgeSameData(op operation) {
	last, now := h.lastData, answered{h.lastMethod(), h.stack.Data(theResource)}
	was := last.data
	h.lastData, h.dataStayed = now, len(differentKeys(was, now.data)) == 0
	switch {
	case op.What != again, h.isForeign(), h.History.has(before): // which another program may have answered
	case !h.History.hasLike(aged):
		h.judgeTwoData(op, "the answers before and after an Update to the same properties", last, now)
	default:
		for _, name := range differentKeys(was, now.data) {
			if isEmpty(was[name]) {
				h.record(dataDiffers, op, "%s in Data is empty in the answer to the Create, but not in the answer to an Update later: the resource was not ready.", name)
			}
		}
	}
}

// An answered is the Data of an answer, and the method that it came from.
type answered struct {
	method string
	data   map[string]any
}

// lastMethod returns the method that the last answer about the resource came from.
func (h *historyRun) lastMethod() string {
	for _, r := range slices.Backward(h.stack.Requests()) {
		if r.LogicalID == theResource {
			return methodOf(r)
		}
	}
	return ""
}

// lacking returns those of some names for which the Data has no value.
func (a answered) lacking(names []string) (lacking []string) {
	for _, name := range names {
		if isEmpty(a.data[name]) {
			lacking = append(lacking, name)
		}
	}
	return lacking
}

// judgeTwoData judges that two answers about one thing have the same Data. It prints no values.
func (h *historyRun) judgeTwoData(op operation, of string, one, other answered) {
	names := differentKeys(one.data, other.data)
	for _, a := range []answered{one, other} {
		if lacking := a.lacking(names); len(lacking) > 0 {
			h.blamed = a.method
			h.record(dataShrinks, op, "%s's answer has no value for %s. Of %s, the other has one.", a.method, strings.Join(lacking, ", "), of)
			return
		}
	}
	if len(names) > 0 {
		h.compared = comparedValues{one.data, other.data}
		h.record(dataDiffers, op, "Data differs between %s, in %s.", of, strings.Join(names, ", "))
	}
}

// judgeAfresh judges the Data and the secrets of a settled stack's resource.
func (h *historyRun) judgeAfresh(op operation) {
	data, want := h.returned(), h.learned.data[h.Version]
	if h.how.learns {
		for _, name := range differentKeys(want, data) {
			h.taught.fresh[name] = h.learned.fresh[name] || want != nil
		}
	}
	for _, name := range h.staleNames() {
		h.compared = comparedValues{map[string]any{name: data[name]}, map[string]any{name: want[name]}}
		h.record(staleData, op, "%s in Data is not what a Create of %s returns.", name, h.Version)
	}
	h.judgeSecrets(op)
}

// staleNames returns the names in Data whose values are not those of a Create, and depend on the properties. One that always
// differs, or is missing, is for another check.
func (h *historyRun) staleNames() (names []string) {
	data := h.returned()
	for _, name := range differentKeys(h.learned.data[h.Version], data) {
		got, isReturned := data[name]
		switch {
		case h.how.learns, h.learned.fresh[name], !isReturned, got == "":
		case h.dependsOnProperties(name):
			names = append(names, name)
		}
	}
	return names
}

// dependsOnProperties reports whether an attribute is another one with other properties of the history.
func (h *historyRun) dependsOnProperties(name string) bool {
	want := h.learned.data[h.Version][name]
	for _, op := range h.History {
		if of, known := h.learned.data[op.What]; known && differ(of[name], want) {
			return true
		}
	}
	return false
}

// returned returns the resource's Data, and each text in it once more without the physical ID, which differs from Create
// to Create.
func (h *historyRun) returned() map[string]any {
	data := maps.Clone(h.stack.Data(theResource))
	if h.id == "" {
		return data
	}
	for name, value := range h.stack.Data(theResource) {
		if text, is := value.(string); is {
			data[name+", apart from the ID,"] = strings.ReplaceAll(text, h.id, "")
		}
	}
	return data
}

// judgeDataOfBefore checks that Data of a thing of the program before does not name a Create's ID that does not exist, nor
// has a part of it, such as the name, for the whole of an attribute.
func (h *historyRun) judgeDataOfBefore(op operation) {
	other := h.learned.ids[h.Version]
	switch {
	case len(other) < 4, strings.Contains(h.id, other), slices.Contains(h.remaining(), other): // too short to tell apart, or there
		return
	}
	for name, value := range h.stack.Data(theResource) {
		if text, _ := value.(string); h.isOfAnother(name, text, other) {
			h.record(staleData, op, "%s in Data is of %s, which does not exist: the resource is %s.", name, other, h.id)
		}
	}
}

// isOfAnother reports whether a text in Data has another thing's ID, or is a part of it that the Data of that thing has.
func (h *historyRun) isOfAnother(name, text, other string) bool {
	switch {
	case strings.Contains(text, other):
		return true
	case len(text) < 8, strings.Contains(h.id, text): // too short to tell apart, or the resource's own
		return false
	}
	return text == h.learned.data[h.Version][name] && strings.Contains(other, text)
}

// isEmpty reports whether an attribute has no value.
func isEmpty(value any) bool { return value == nil || value == "" }

// differentKeys returns the keys whose values differ.
func differentKeys(a, b map[string]any) (names []string) {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, isInA := a[name]
		_, isInB := b[name]
		if isInA == isInB && reflect.DeepEqual(a[name], b[name]) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// An allData holds the Data that CloudFormation has of each resource.
type allData map[string]map[string]any

// noteAnswers notes the Data after an operation, and compares it with the Data of new processes.
func (h *historyRun) noteAnswers(op operation) {
	now := allData{theResource: h.stack.Data(theResource)}
	for i := range h.beside {
		now[besideIDs[i]] = h.stack.Data(besideIDs[i])
	}
	h.told = append(h.told, now)
	at := len(h.told) - 1
	cold := h.learned.dataAfter[h.History.cold().String()]
	if h.History.processes() == 0 || at >= len(cold) {
		return
	}

	// What differs from the Data of new processes, but for what always does; and what is of another resource, or of one that
	// was deleted since, though it always differs.
	var names []string
	for id := range now {
		names = append(names, differentKeys(now[id], cold[at][id])...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return h.learned.fresh[name] })
	anyway := cold[at].ofAnother(cold[0])
	names = append(names, slices.DeleteFunc(now.ofAnother(h.told[0]), func(name string) bool { return slices.Contains(anyway, name) })...)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 0 {
		h.compared = comparedValues{now[theResource], cold[at][theResource]}
		h.record(remembered, op, "Data with one process for all events differs from Data with a new one for each event, in %s.", strings.Join(names, ", "))
	}
}

// ofAnother returns the names of the resource's attributes that another one has too, or that it had itself at first.
func (a allData) ofAnother(first allData) (names []string) {
	for name, value := range a[theResource] {
		if isEmpty(value) {
			continue
		}
		seen := []any{first[theResource][name]}
		for _, id := range besideIDs {
			seen = append(seen, a[id][name])
		}
		if slices.ContainsFunc(seen, func(other any) bool { return reflect.DeepEqual(other, value) }) {
			names = append(names, name)
		}
	}
	return names
}

// judgeEffects judges what cannot be undone: a request that succeeds has the effects of one with which nothing goes wrong.
func (h *historyRun) judgeEffects(op operation) {
	if h.service.Effects == nil {
		return
	}
	h.effects = h.service.Effects()
	_, at := h.History.faulty()
	if at < 0 {
		h.judgeNoEffect(op)
		return
	}

	// Only what is handled once is compared with what is handled twice at the same time.
	plain := slices.Clone(h.History)
	plain[at].Fault = nil
	want, known := h.learned.effects[plain.String()]
	switch {
	case !known, sameState(h.effects, want):
		return
	}
	for _, r := range h.stack.Requests() {
		switch {
		case hitBy(r) == "", simultaneous(r):
		case r.Outcome == string(engine.Succeeded):
			h.record(effectsDiffer, op, "The effects of the %s differ from those of one with which nothing goes wrong:\n%s", r.Type, differences(h.effects, want))
		}
	}
}

// judgeNoEffect judges an Update whose work neither Data nor Effects shows, if there is no State that could.
func (h *historyRun) judgeNoEffect(op operation) {
	if h.service.State != nil {
		return
	}
	first, updated := h.learned.effects[original], h.learned.effects[original+" "+inPlace]
	switch h.History.String() {
	case original + " " + inPlace:
		if h.dataStayed && sameState(h.effects, first) {
			h.record(noEffect, op, "Effects and Data are the same with Properties alone and after an Update to InPlace: the Update does nothing, or they do not show what it does.")
		}
	case original + " " + inPlace + " " + original:
		if differ(updated, first) && sameState(h.effects, updated) {
			h.record(noEffect, op, "The Update to InPlace has an effect, but the Update back to Properties has none: the handler takes that Update for the Create, which had the same properties.")
		}
	}
}

// judgeSize judges the size of an answer. Of a property that differs from the Contract's, only more entries and larger
// numbers are no reason for a larger answer: of a long text Data may have all.
func (h *historyRun) judgeSize(op operation, r simulate.Request) {
	a := r.Response()
	if a == nil {
		return
	}
	h.answers.add(a.Data, r.AnswerSize())
	_, ch, isChanged := cutChange(op.What)
	switch {
	case !isTooLarge(r):
	case isChanged && growing(ch):
		h.record(answerTooLarge, op, "The %s is answered FAILED: with %s (%s) the answer is larger than CloudFormation accepts.", r.Type, readable(ch.Path), ch.Kind)
	case h.History.isChanged(): // which may be the reason
	default:
		h.record(answerTooLarge, op, "The answer to the %s has more than %d bytes, so the SDK answered FAILED instead.", r.Type, answercheck.MaxAnswer)
	}
}

// isTooLarge reports whether the dispatcher answered FAILED in place of an answer that is too large.
func isTooLarge(r simulate.Request) bool {
	a := r.Response()
	if a == nil || a.Status != "FAILED" {
		return false
	}
	return strings.Contains(a.Reason, "more than CloudFormation accepts")
}

// growing reports whether a change is to many entries, or to a number a hundred times as large.
func growing(ch change) bool { return ch.kind().large || ch.Kind == least }

// answers is what the answers of some histories have in common.
type answers struct {
	largest int             // bytes
	full    map[string]bool // by the name of an attribute, whether some answer has a value for it
}

// add adds an answer.
func (a *answers) add(data map[string]any, size int) {
	a.largest = max(a.largest, size)
	for name, value := range data {
		a.note(name, !isEmpty(value))
	}
}

// merge adds the answers of another history.
func (a *answers) merge(more answers) {
	a.largest = max(a.largest, more.largest)
	for name, full := range more.full {
		a.note(name, full)
	}
}

// note notes that an attribute is in some answer, and whether it has a value there.
func (a *answers) note(name string, full bool) {
	if a.full == nil {
		a.full = map[string]bool{}
	}
	if hasBeen := a.full[name]; hasBeen {
		return
	}
	a.full[name] = full
}

// almostFull is the size above which an answer causes a warning: in production,
// stacks and resources may have longer names.
const almostFull = 3000

// warnings says what is doubtful about the answers.
func (a *answers) warnings() (all []string) {
	if a.largest > almostFull {
		all = append(all, fmt.Sprintf("an answer has %d of %d bytes: return less Data", a.largest, answercheck.MaxAnswer))
	}
	for _, name := range slices.Sorted(maps.Keys(a.full)) {
		if !a.full[name] {
			all = append(all, name+" in Data is empty in every answer: return it, or leave it out")
		}
	}
	return all
}

// answersGrow asks whether answers grow with what a property holds: with a list of many entries, or a number a hundred times
// as large.
func answersGrow(s *suite, k *check, x *explorer) error {
	for _, ch := range s.changes(original) {
		if !growing(ch) {
			continue
		}
		if f := x.brokenBy(k, x.created(ch.in(original))); f != nil {
			return s.failure(f)
		}
	}
	for _, doubtful := range x.out.answers.warnings() {
		s.warnf("%s", doubtful)
	}
	return nil
}
