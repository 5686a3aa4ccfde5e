package blackbox

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/answercheck"
)

// A stepCheck checks the result of one step.
type stepCheck struct {
	step
	where  string
	faults []string
}

func (s *stepCheck) fault(format string, args ...any) {
	s.faults = append(s.faults, s.where+fmt.Sprintf(format, args...))
}

// answer checks the answer to d and returns its physical ID.
func (s *stepCheck) answer(d *delivery, b *bucket, answered []string) string {
	// Whether there is an answer.
	bodies := b.answers(d.key())
	switch {
	case s.status == unanswerable || s.status == expired:
		if len(bodies) > 0 {
			s.fault("%d answers, where there can be none", len(bodies))
		}
		return ""
	case s.status == eitherOrNone && len(bodies) == 0:
		return ""
	case len(bodies) == 0:
		b.mu.Lock()
		s.fault("hung: no answer to %s; S3 refused %q", d.id, b.refused)
		b.mu.Unlock()
		return ""
	}

	// What CloudFormation reads.
	a, faults := readAnswer(d, bodies)
	if len(faults) > 0 {
		s.fault("CloudFormation refuses %.200s: %q", bodies[0], faults)
	}
	if d.physical != "" && idChanged(d, a, s.replaces) {
		s.fault("the ID changed from %q to %q", d.physical, a.PhysicalResourceID)
	}
	if s.status != either && s.status != eitherOrNone && a.Status != s.status {
		s.fault("Status is %s (%s), want %s", a.Status, a.Reason, s.status)
	}

	// What this SDK promises beyond that.
	if wrong := wantID(s.id, a.PhysicalResourceID, d.physical, answered); wrong != "" {
		s.fault("%s (Reason: %s)", wrong, a.Reason)
	}
	for _, text := range s.reason {
		if !strings.Contains(a.Reason, text) {
			s.fault("Reason %q does not say %q", a.Reason, text)
		}
	}
	for key, want := range s.data {
		if got := a.Data[key]; fmt.Sprint(got) != fmt.Sprint(want) || want == nil && got != nil {
			s.fault("Data[%q] is %v, want %v", key, got, want)
		}
	}
	if a.NoEcho != s.noEcho {
		s.fault("NoEcho is %t", a.NoEcho)
	}
	return a.PhysicalResourceID
}

var stable = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*-[a-z2-7]{16}$`)

// wantID returns what is wrong with a physical ID, or "". want is one of
//
//	stable   of a StableID's form
//	new      of a StableID's form, and not the event's
//	marker   the not-created marker
//	event    the event's
//	$1, $2   the ID in the answer to the first or second step
//
// or the ID itself; "" is any.
func wantID(want, got, event string, answered []string) string {
	ok := got == want
	switch {
	case want == "":
		ok = true
	case want == "stable":
		ok = stable.MatchString(got) && len(got) <= 63
	case want == "new":
		ok = stable.MatchString(got) && len(got) <= 63 && got != event
	case want == "marker":
		ok = got == "cfnresource:not-created"
	case want == "event":
		ok = got == event
	case want[0] == '$':
		ok = got == answered[want[1]-'1']
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("PhysicalResourceId is %q, want %s", got, want)
}

// delivery checks Lambda's attempts and the handler's calls.
func (s *stepCheck) delivery(f *function, calls string, took time.Duration, log string) {
	if s.calls != "*" && calls != s.calls {
		s.fault("the handler's calls are %q, want %q", calls, s.calls)
	}
	switch {
	case s.status == unanswerable || s.status == expired:
		for _, o := range append(slices.Clone(f.attempts), f.failures...) {
			if s.status == unanswerable && o.kind != "error" {
				s.fault("the invocation ended with %s %s, want an error", o.kind, o.payload)
			}
		}
		for _, text := range s.reason {
			if !strings.Contains(log, text) {
				s.fault("the log does not say %q:\n%s", text, log)
			}
		}
	case s.attempts == 0 && len(f.attempts) != 1, s.attempts > 0 && len(f.attempts) != s.attempts:
		s.fault("%d attempts, want %d: %v", len(f.attempts), max(1, s.attempts), f.attempts)
	case s.attempts >= 0 && s.answeredByDestination != (len(f.failures) > 0):
		s.fault("the on-failure destination had %d invocations", len(f.failures))
	}
	if s.maxTime > 0 && took > s.maxTime {
		s.fault("took %v, want at most %v", took.Round(time.Millisecond), s.maxTime)
	}
}

// secrets looks for secrets in the log, in the invocations' results and in the Reasons.
func (s *stepCheck) secrets(all []*delivery, f *function, b *bucket) {
	texts := map[string]string{"the log": f.log.String()}
	for i, o := range append(slices.Clone(f.attempts), f.failures...) {
		texts[fmt.Sprintf("what Lambda was told in attempt %d", i+1)] = string(o.payload)
	}
	words := map[string]string{
		"a property's value": note, "a secret property": password, "an access key": accessKey,
		"a version 2 signature": "Signature=", "a key ID's name": "AWSAccessKeyId", "a version 4 signature's name": "X-Amz-Signature", "a credential": "X-Amz-Credential",
	}
	for i, d := range all {
		for _, body := range b.answers(d.key()) {
			if a, _ := readAnswer(d, []string{body}); a.Reason != "" {
				texts[fmt.Sprintf("Reason %d", i+1)] = a.Reason
			}
		}
		if _, query, ok := strings.Cut(d.signed, "?"); ok {
			words["the signed query"] = query
			if values, err := url.ParseQuery(query); err == nil {
				words["the signature"] = values.Get("Signature") + values.Get("X-Amz-Signature")
			}
		}
	}
	for where, text := range texts {
		for what, word := range words {
			if word != "" && strings.Contains(text, word) {
				s.fault("%s stands in %s", what, where)
			}
		}
	}
}

// handlerCalls returns the handler's methods that the log records as called.
func handlerCalls(log string) string {
	var calls []string
	for line := range strings.Lines(log) {
		if _, rest, ok := strings.Cut(line, "CALL "); ok {
			method, _, _ := strings.Cut(rest, " ")
			calls = append(calls, method)
		}
	}
	return strings.Join(calls, " ")
}

// readAnswer reads the first answer as CloudFormation does. It returns the answer, and what
// CloudFormation would refuse about it. A later answer that differs is a fault, too.
func readAnswer(d *delivery, bodies []string) (a answercheck.Response, faults []string) {
	for i, other := range bodies[1:] {
		if other != bodies[0] {
			faults = append(faults, fmt.Sprintf("answer %d differs from the first: %s", i+2, other))
		}
	}
	a, err := answercheck.Read(answercheck.Request{
		RequestType: d.request, StackID: d.stackID, RequestID: d.id, LogicalResourceID: d.logical, PhysicalResourceID: d.physical,
	}, []byte(bodies[0]))
	if err != nil {
		faults = append(faults, strings.Split(err.Error(), "\n")...)
	}
	return a, faults
}

// idChanged reports whether an answer changes the physical ID although it must not.
// CloudFormation would delete the resource with the old ID, or refuse the answer.
func idChanged(d *delivery, a answercheck.Response, replaces bool) bool {
	return d.request != "Create" && !replaces && a.PhysicalResourceID != d.physical
}

// These checks need more than one answer: other answers to the request, and the
// physical ID before it.
func TestRead(t *testing.T) {
	create := event{request: "Create"}.deliver(0, "us-west-2", nil)
	body := func(status string) string {
		return `{"StackId":"` + create.stackID + `","RequestId":"` + create.id + `","LogicalResourceId":"` + create.logical +
			`","PhysicalResourceId":"id-1","Status":"` + status + `","Reason":"no"}`
	}
	if _, faults := readAnswer(create, []string{body("SUCCESS"), body("SUCCESS")}); len(faults) > 0 {
		t.Errorf("the same answer twice: %q", faults)
	}
	if _, faults := readAnswer(create, []string{body("SUCCESS"), body("FAILED")}); len(faults) != 1 {
		t.Errorf("two answers: %q", faults)
	}
	if _, faults := readAnswer(create, []string{"SUCCESS"}); len(faults) == 0 {
		t.Error("what is no answer has no fault")
	}

	remove := event{request: "Delete", physicalID: "id-1"}.deliver(1, "us-west-2", nil)
	update := event{request: "Update", physicalID: "id-1"}.deliver(2, "us-west-2", nil)
	for _, c := range []struct {
		name     string
		to       *delivery
		id       string
		replaces bool
		want     bool
	}{
		{"a create's ID is free", create, "id-2", false, false},
		{"an update keeps its ID", update, "id-1", false, false},
		{"an update changes its ID", update, "id-2", false, true},
		{"a replacement changes its ID", update, "id-2", true, false},
		{"a delete changes its ID", remove, "id-2", false, true},
	} {
		if got := idChanged(c.to, answercheck.Response{PhysicalResourceID: c.id}, c.replaces); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
