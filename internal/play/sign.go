package play

// The questions that are asked of a scene. Each is answered by a sign, and the tables of cause.go say what helps.

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// signs returns the signs that the scene shows, and what stands for the words of a text.
func (s scene) signs() (signs []string, words *strings.Replacer) {
	q, before := s.suspect()
	thing, other, naming := s.naming()
	told, code := s.toldOf()
	if code == "" {
		code = s.ended(q).Code
	}
	signs = slices.Concat(s.circumstances(), s.workOf(q), s.past(q, before), []string{methodOf(q), "of-" + q.Type, "by-" + s.by, s.searching(), naming, told, s.changed.sign, s.secret})
	if s.last.isDenied() {
		signs = append(signs, "denied-to-exist")
	}
	if s.searching() != "unsearched" {
		signs = append(signs, "searches")
	}
	for _, c := range s.phantoms {
		if did(c) == "Find failed" {
			continue // whatever it returned beside the error
		}
		if c.Method == "Create" && simultaneous(q) {
			continue // the other delivery may have removed what it made
		}
		isHere := slices.Contains(q.Calls(), c) && !isMadeToFail(q)          // else the service may have had no time to make it
		isEarlier := did(c) == "Find" && slices.Contains(s.left, c.Returned) // it was made after that
		if isHere || isEarlier {
			signs = append(signs, "phantom-"+c.Method)
		}
	}
	return signs, strings.NewReplacer("METHOD", cmp.Or(s.blamed, methodOf(q)), "THING", thing, "OTHER", other, "CALL", s.along, "CODE", code,
		"FAILED", serviceDid[s.struck().Fault.Kind], "STRUCK", s.struck().Struck().Method, "LAG", s.mayLag(), "PATH", s.changed.path)
}

// circumstances are the words of the history, and what several of them have in common.
func (s scene) circumstances() (signs []string) {
	for _, op := range s.ops {
		signs = append(signs, op.What, op.Variant, op.word().like)
	}
	isPlain := func(op operation) bool {
		base, _, _ := cutChange(op.String()) // a fault and a variant stand in it
		return wordNamed(base).isVersion()
	}
	isDisturbed := slices.ContainsFunc(s.ops, func(op operation) bool { return !isPlain(op) })
	switch {
	case isDisturbed:
	case len(s.ops) == 1:
		signs = append(signs, "plain") // nothing else was done
	default:
		signs = append(signs, "undisturbed")
	}
	return signs
}

// calls returns the calls of all requests.
func (s scene) calls() (all []simulate.Call) {
	for _, q := range s.requests {
		all = append(all, q.Calls()...)
	}
	return all
}

// suspect returns the request at fault, and those before it: the first that failed, and need not have, if failing is the
// harm; a Delete if something is left; and else the last that was to make or change something.
func (s scene) suspect() (q simulate.Request, before []simulate.Request) {
	ofDelete := slices.Contains([]harm{leftBehind, deleteFails, aroundTouched}, s.harm)
	looksForFailure := slices.Contains(anyFail, s.harm)
	if s.ops.has(refused) {
		looksForFailure = false // one has to fail
	}
	for i, r := range s.requests {
		if (r.Type == "Delete") != ofDelete {
			continue
		}
		q, before = r, s.requests[:i]
		if looksForFailure && failsInVain(r) {
			break
		}
	}
	return q, before
}

// workOf returns what is to be seen of the work on a request: how it failed, whether a method was called, and whether it
// asked the service, as others did.
func (s scene) workOf(q simulate.Request) (signs []string) {
	asks := func(q simulate.Request) bool {
		return slices.ContainsFunc(q.Deliveries, func(d simulate.Delivery) bool { return d.Steps > 0 })
	}
	calls, isFailed := q.Calls(), q.Outcome == string(engine.Failed)

	// How it ended.
	if isFailed {
		signs = append(signs, "failed")
	}
	if s.isUndeleted() {
		signs = append(signs, "undeleted")
	}
	if q.Type == "Update" && s.untagged != nil && reflect.DeepEqual(q.Properties(), s.untagged) {
		signs = append(signs, "untagged")
	}
	if isErred(q) {
		signs = append(signs, "erred")
	}
	if findErred(q) {
		signs = append(signs, "Find-erred")
	}
	signs = append(signs, string(hitBy(q)))
	if s.waitsInVain(q) {
		signs = append(signs, "waits-in-vain")
	}
	if slices.ContainsFunc(s.requests, func(q simulate.Request) bool { return hitBy(q) == fault.PanicAfter }) {
		signs = append(signs, "panicked")
	}
	if s.isUnapart(q) {
		signs = append(signs, "unapart")
	}
	if slices.ContainsFunc(s.requests, outlives) {
		signs = append(signs, "outlived")
	}
	if s.isOverlooked() {
		signs = append(signs, "overlooked")
	}
	if len(calls) == 0 {
		signs = append(signs, "uncalled")
	} else if last := lastWork(calls); last.Error != "" {
		signs = append(signs, last.Code)
	} else if isFailed {
		signs = append(signs, "unaccepted") // the SDK, or CloudFormation, did not take what the method returned
	}

	// Where no fake calls Step, that none was called says nothing; nor where no method had to be.
	switch {
	case asks(q), len(calls) == 0 && !isFailed:
	case slices.ContainsFunc(s.requests, asks):
		signs = append(signs, "unasked")
	}
	return signs
}

// isUnapart reports whether Find returned the resource both for the new properties of an Update and for the old ones, or for
// neither, though it bears the mark that Create has set.
func (s scene) isUnapart(q simulate.Request) bool {
	if q.Type != "Update" || s.ops.has(before, foreignID) {
		return false
	}
	isAsked, isNew, isOld := false, false, false
	for _, c := range q.Calls() {
		switch is := c.Returned == q.PhysicalID; {
		case did(c) != "Find":
		case c.PhysicalID != "":
			isNew = is
		default: // without an ID it is asked for the old ones
			isAsked, isOld = true, is
		}
	}
	return isAsked && isNew == isOld
}

// serviceDid says what the service does by the faults in which it does not do what it is asked for.
var serviceDid = map[fault.Kind]string{
	fault.FailAtStep: "failed", fault.ThrottleAtStep: "was busy", fault.HangAtStep: "did not answer",
	fault.RefuseFromStep: "refused a call", fault.DeniedAtFirst: "denied a call",
}

// struck returns the request in which the service did that.
func (s scene) struck() simulate.Request {
	for _, q := range s.requests {
		if serviceDid[hitBy(q)] != "" {
			return q
		}
	}
	return simulate.Request{}
}

// toldOf returns what became of the service's error in the method whose call met it: the method returned none, or another
// code, or neither.
func (s scene) toldOf() (sign, code string) {
	q := s.struck()
	hit, calls := q.Struck(), q.Calls()
	switch {
	case hit.Method == "":
		return "", ""
	case did(hit) == "Find": // which has no effect, so it need not have been tried again
		return "untold-Find", ""
	case hit.Error == "" && q.Outcome == string(engine.Succeeded):
		return "untold", ""
	case hit.Error == "", q.Fault.Kind != fault.ThrottleAtStep, hit != calls[len(calls)-1], hit.Code == string(cfnresource.CodeThrottling), q.WentOn():
		return "", ""
	case hit.Code == "":
		return "recoded", "no code that is tried again"
	}
	return "recoded", "the code " + hit.Code
}

// past returns what had been done before the call at which a request failed, or which left something wrong.
func (s scene) past(q simulate.Request, before []simulate.Request) []string {
	calls := q.Calls()
	if len(calls) == 0 {
		return nil
	}
	last := calls[len(calls)-1]
	signs := []string{within(q), retaken(last, before)}
	if q.FaultHit || last.Error == "" {
		return signs
	}
	return append(signs, afterUpdate(q, before), afterCreate(q, last, before), afterDelete(q, before))
}

// within returns what an earlier call for the same request had done: begun to make the thing, or the same as a later one.
func within(q simulate.Request) string {
	began, updated := false, false
	for _, c := range q.Calls() {
		switch did(c) {
		case "Create failed":
			began = true
		case "Create", "Update":
			if began && c.Method == "Create" {
				return "retaken"
			}
			if began {
				return "begun"
			}
			updated = c.Method == "Update" && !simultaneous(q)
		case "Update failed":
			if updated {
				return "repeated"
			}
		}
	}
	return ""
}

// retaken is for a Create that succeeded with what an earlier one had made.
func retaken(last simulate.Call, before []simulate.Request) (sign string) {
	if did(last) != "Create" {
		return ""
	}
	for _, c := range (scene{requests: before}).calls() {
		switch last.Created {
		case c.Created:
			sign = "retaken"
		case c.PhysicalID:
			sign = ""
		}
	}
	return sign
}

// afterUpdate is for an Update that failed although the same had succeeded, with another request in between.
func afterUpdate(q simulate.Request, before []simulate.Request) string {
	before = slices.DeleteFunc(slices.Clone(before), func(p simulate.Request) bool { return p.Type == "Delete" })
	isThrottled := func(c simulate.Call) bool { return c.Code == string(cfnresource.CodeThrottling) }
	isHit := func(p simulate.Request) bool { return p.FaultHit && !simultaneous(p) }
	isSame := func(p simulate.Request) bool {
		return p.Type == q.Type && reflect.DeepEqual(p.Properties(), q.Properties())
	}
	switch {
	case q.Type != "Update", len(before) < 2:
		return ""
	case slices.ContainsFunc(q.Calls(), isThrottled), slices.ContainsFunc(before, isHit): // that may be the reason
		return ""
	case slices.ContainsFunc(before[:len(before)-1], isSame):
		return "after-same"
	}
	return ""
}

// afterCreate is for a Create that failed, with an error that says nothing, although one before had made something.
func afterCreate(q simulate.Request, last simulate.Call, before []simulate.Request) string {
	if last.Method != "Create" || last.Code+uncodedHint(q.Calls()) != "" {
		return ""
	}
	all := append(scene{requests: before}.calls(), q.Calls()...)
	if slices.ContainsFunc(all[:len(all)-1], func(c simulate.Call) bool { return c.Created != "" }) {
		return "after-create"
	}
	return ""
}

// afterDelete is for a Create that failed, although a Delete had succeeded.
func afterDelete(q simulate.Request, before []simulate.Request) string {
	methods := []string{q.Type}
	for _, c := range q.Calls() {
		methods = append(methods, c.Method)
		if c.Returned != "" {
			return "" // a Find has found something
		}
	}
	if lacks(methods, "Create") {
		return ""
	}
	for _, p := range before {
		if p.Type+p.Outcome == "Delete"+string(engine.Succeeded) && len(p.Calls()) > 0 {
			return "after-delete"
		}
	}
	return ""
}

// searching returns whether a Find was called, and whether one after a Create did not find a thing that is left.
func (s scene) searching() string {
	sign, isMade := "unsearched", false
	for _, q := range s.requests {
		if q.Type != "Delete" {
			isMade = false // it may be of another identity
		}
		for _, c := range q.Calls() {
			switch {
			case c.Method == "Create":
				isMade = true
			case c.Method != "Find":
			case slices.Contains(s.left, c.Returned):
				return "found"
			case isMade && c.Returned+c.Error == "":
				sign = "missed"
			case sign == "unsearched":
				sign = "searched"
			}
			if sign == "missed" && slices.Contains(s.left, c.Created) {
				sign = "searched" // what comes after that is to find it
			}
		}
	}
	return sign
}
