package play

// Judges what a handler says, in every history: its answers, the errors of its methods and, where it is listened to, its
// log and its output.

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Harm that is in what a handler says.
var (
	answerTooLarge = harm{"an answer that is too large", "an answer has at most 4096 bytes.", "refused the answer (\"Response object is too long.\"), or the SDK has to answer FAILED, and the stack rolls back.",
		"Return less Data, or refuse so large a property with the code InvalidRequest"}
	codeLost = harm{"an error that has lost its code", "an error of the service keeps its code, or has another one.", "rolled back a deployment that attaches the permission: IAM shows a new one after some seconds.",
		"Wrap errors with %w, not with %v. If a client is not the AWS SDK's, give its errors a code: docs/recipes.md#new-permissions"}
	secretTold = harm{"a secret that is shown", "no secret is in the log, in a Reason, in a physical ID, or in Data without NoEcho.", "shown the secret to all readers of the stack's events, or Lambda to all readers of the log.", ""}
)

// judgeAnswers judges what was said in a request.
func (h *historyRun) judgeAnswers(op operation, r simulate.Request) {
	h.judgeCode(op, r)
	h.judgeSize(op, r)
	h.judgeTold(op, r)
	h.judgeFind(op, r)
	h.judgeTwin(op, r)
	h.noteRefused(op, r)
}

// judgeCode judges a request that a service has denied at first. A method may give a denial a meaning of its own, and with
// it another code. An error without a code shows that the code was lost on the way.
func (h *historyRun) judgeCode(op operation, r simulate.Request) {
	switch {
	case r.Fault.Kind != fault.DeniedAtFirst, r.Outcome != string(engine.Failed):
		return
	}
	for _, c := range r.Calls() {
		if c.Code == "" && strings.Contains(c.Error, simulate.NotYetAllowed) {
			h.harm(codeLost, op, "The service's error had the code AccessDenied, but %s's has no code, so the %s is answered FAILED at the first try.", c.Method, r.Type)
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
	case a.Status != "FAILED", !strings.Contains(a.Reason, "more than CloudFormation accepts"): // the dispatcher's, in place of a larger one
	case !h.changed():
		h.harm(answerTooLarge, op, "The answer to the %s is larger, so the SDK answered FAILED.", r.Type)
	case isChanged && growing(ch):
		h.harm(answerTooLarge, op, "The %s is answered FAILED: with %s (%s) the answer is larger than CloudFormation accepts.", r.Type, ch.Path, ch.Kind)
	}
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
	a.full[name] = a.full[name] || full
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

// differentKeys returns the keys whose values differ.
func differentKeys(a, b map[string]any) (names []string) {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, isInA := a[name]
		_, isInB := b[name]
		switch {
		case isInA != isInB, !reflect.DeepEqual(a[name], b[name]):
			names = append(names, name)
		}
	}
	return names
}
