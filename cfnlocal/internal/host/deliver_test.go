package host

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An event that fails is delivered as it was, with its ID, after a minute and
// after two; then its record goes to the destination.
func TestRetries(t *testing.T) {
	for _, test := range []struct {
		name, do string
		init     string
		retries  int
		story    string
		waits    []time.Duration
	}{
		{"no retries", "error", "", 0, "Started Invoked Errored Recorded", nil},
		{"one", "error", "", 1, "Started Invoked Errored Retrying Invoked Errored Recorded", []time.Duration{time.Minute}},
		{"Lambda's two", "error", "", 2, "Started Invoked Errored Retrying Invoked Errored Retrying Invoked Errored Recorded", []time.Duration{time.Minute, 2 * time.Minute}},
		{"crashes", "exit", "", 1, "Started Invoked Crashed Retrying Started Invoked Crashed Recorded", []time.Duration{time.Minute}},
		{"processes that cannot start", "it", "exit", 1, "Started InitFailed Retrying Started InitFailed Recorded", []time.Duration{time.Minute}},
		{"success", "it", "", 2, "Started Invoked Succeeded", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := start(t, Config{}, Function{MaximumRetryAttempts: test.retries, OnFailure: prefix + "failures", Env: map[string]string{"INIT": test.init}})
			b.add("failures", Function{})
			id := b.invoke(`{"Do":"` + test.do + `"}`)
			b.settle()
			if got := b.story(id); got != test.story {
				t.Errorf("the story is\n%s, want\n%s", got, test.story)
			}
			if diff := cmp.Diff(test.waits, b.clock.waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			attempts := strings.Count(test.story, "Invoked")
			for _, got := range b.got(attempts) {
				if !strings.HasPrefix(got, id+" ") && !strings.Contains(got, "RetriesExhausted") {
					t.Errorf("a process got %s, want the ID %s", got, id)
				}
			}
		})
	}
}

// A function that is deleted gets no further attempt: Lambda has nothing to invoke.
func TestNoRetryOfADeletedFunction(t *testing.T) {
	b := start(t, Config{Deleted: func(arn string) bool { return arn == prefix+"provider" }}, Function{MaximumRetryAttempts: 2})
	id := b.invoke(`{"Do":"error"}`)
	b.settle()
	if got, want := b.story(id), "Started Invoked Errored Dropped"; got != want {
		t.Errorf("the story is\n%s, want\n%s", got, want)
	}
}

// The record of an event that failed, as its destination gets it.
func TestRecord(t *testing.T) {
	b := start(t, Config{}, Function{MaximumRetryAttempts: 1, OnFailure: prefix + "failures"})
	b.add("failures", Function{})
	id := b.invoke(`{"Do":"error","Url":"https://a?b=c&d"}`)
	b.settle()
	var record string
	for _, line := range b.got(3) {
		if strings.Contains(line, "RetriesExhausted") {
			_, record, _ = strings.Cut(line, " ")
		}
	}
	want := map[string]any{
		"version":   "1.0",
		"timestamp": "2026-05-01T12:01:00.000Z",
		"requestContext": map[string]any{
			"requestId": id, "functionArn": prefix + "provider:$LATEST", "condition": "RetriesExhausted", "approximateInvokeCount": 2.0,
		},
		"requestPayload":  map[string]any{"Do": "error", "Url": "https://a?b=c&d"},
		"responseContext": map[string]any{"statusCode": 200.0, "executedVersion": "$LATEST", "functionError": "Unhandled"},
		"responsePayload": map[string]any{"errorMessage": "it is wrong", "errorType": "errorString"},
	}
	if diff := cmp.Diff(want, decode[map[string]any](t, json.RawMessage(record))); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	last := b.events[len(b.events)-1]
	if last.Kind != Succeeded || last.Function != "failures" || last.RequestID == id {
		t.Errorf("last of all: %+v", last)
	}
}

// A destination fails as any function does; one that is not there is said.
func TestDestinations(t *testing.T) {
	b := start(t, Config{}, Function{OnFailure: prefix + "failures", Env: map[string]string{"INIT": "exit"}})
	b.add("failures", Function{MaximumRetryAttempts: 2, Env: map[string]string{"INIT": "end"}})
	id := b.invoke(`{}`)
	b.settle()
	if got, want := b.story(id), "Started InitFailed Recorded"; got != want {
		t.Errorf("the story is %s, want %s", got, want)
	}
	if got := b.count(InitFailed); got != 4 {
		t.Errorf("%d attempts in all, want one and three", got)
	}
	b.add("provider", Function{OnFailure: prefix + "nobody", Env: map[string]string{"INIT": "exit"}})
	id = b.invoke(`{}`)
	b.settle()
	if got, want := b.story(id), "Started InitFailed Recorded Dropped"; got != want {
		t.Errorf("the story is %s, want %s", got, want)
	}
	if last := b.events[len(b.events)-1]; !strings.Contains(last.Text, "nobody") {
		t.Errorf("last of all: %+v", last)
	}
}

// Faults, each by what becomes of the event, and the waits that it takes.
func TestFaults(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		name    string
		faults  []Fault
		do      string
		handled int // times that the handler saw it
		story   string
		waits   []time.Duration
	}{
		{"redelivered", []Fault{Redeliver}, "it", 2, "Started Invoked Succeeded Delivering Invoked Succeeded", nil},
		{"redelivered, after a failure of its own", []Fault{Redeliver, DieBefore}, "it", 2, "Started Invoked Crashed Retrying Started Invoked Succeeded Delivering Invoked Succeeded", []time.Duration{60 * s}},
		{"not redelivered when it failed", []Fault{Redeliver}, "error", 3, "Started Invoked Errored Retrying Invoked Errored Retrying Invoked Errored Dropped", []time.Duration{60 * s, 120 * s}},
		{"lost", []Fault{DropEvent}, "it", 0, "Dropped", nil},
		{"throttled", []Fault{Throttle}, "it", 1, "Throttled Started Invoked Succeeded", []time.Duration{s}},
		{"throttled three times", slices.Repeat([]Fault{Throttle}, 3), "it", 1, "Throttled Throttled Throttled Started Invoked Succeeded", []time.Duration{s, 2 * s, 4 * s}},
		{"crashed before", []Fault{DieBefore}, "it", 1, "Started Invoked Crashed Retrying Started Invoked Succeeded", []time.Duration{60 * s}},
		{"crashed after", []Fault{DieAfter}, "it", 2, "Started Invoked Crashed Retrying Started Invoked Succeeded", []time.Duration{60 * s}},
		{"crashed before, after, and before", []Fault{DieBefore, DieAfter, DieBefore}, "it", 1, "Started Invoked Crashed Retrying Started Invoked Crashed Retrying Started Invoked Crashed Dropped", []time.Duration{60 * s, 120 * s}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := start(t, Config{}, Function{MaximumRetryAttempts: 2})
			id := b.invoke(`{"Do":"`+test.do+`"}`, test.faults...)
			b.settle()
			if got := b.story(id); got != test.story {
				t.Errorf("the story is\n%s, want\n%s", got, test.story)
			}
			if diff := cmp.Diff(test.waits, b.clock.waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			if b.Close(); len(b.got(0)) != test.handled { // when all logs are read
				t.Errorf("the handler saw %q, want it %d times", b.got(0), test.handled)
			}
		})
	}
}

// A duplicate has the same ID and a process of its own. Other faults are for one of the two.
func TestTwice(t *testing.T) {
	g := newGate(t)
	b := start(t, Config{}, Function{Env: g.env()})
	id := b.invoke(`{"Do":"gate"}`, Twice)
	one, two := g.next(), g.next()
	if one.pid == two.pid {
		t.Errorf("both are in the process %d", one.pid)
	}
	one.letGo()
	two.letGo()
	b.settle()
	for _, got := range b.got(2) {
		if !strings.HasPrefix(got, id+" ") {
			t.Errorf("a process got %s, want the ID %s", got, id)
		}
	}
	if n := b.count(Succeeded); n != 2 {
		t.Errorf("%d succeeded", n)
	}
	b.invoke(`{}`, Twice, Throttle)
	b.settle()
	if n := b.count(Throttled); n != 1 {
		t.Errorf("%d of two were throttled, want 1", n)
	}
}

// The pauses of throttling end at five minutes, and the event's age ends them
// all: what was never tried has no response in its record.
func TestEventAge(t *testing.T) {
	b := start(t, Config{}, Function{OnFailure: prefix + "failures", MaximumEventAge: 20 * time.Minute})
	b.add("failures", Function{})
	id := b.invoke(`{}`, slices.Repeat([]Fault{Throttle}, 100)...)
	b.settle()
	if got := b.story(id); !strings.HasSuffix(got, "Throttled Recorded") {
		t.Errorf("the story is %s", got)
	}
	var total time.Duration
	for _, wait := range b.clock.waits {
		if total += wait; wait > 5*time.Minute {
			t.Errorf("a pause of %s", wait)
		}
	}
	if total != 20*time.Minute {
		t.Errorf("it was given up after %s, want 20 minutes", total)
	}
	_, text, _ := strings.Cut(b.got(1)[0], " ")
	record := decode[map[string]any](t, json.RawMessage(text))
	about := record["requestContext"].(map[string]any)
	if about["condition"] != "EventAgeExceeded" || about["approximateInvokeCount"] != 0.0 || record["responsePayload"] != nil || record["responseContext"] != nil {
		t.Errorf("the record is %s", text)
	}
}

// An event is not tried again when it would be too old by then.
func TestEventAgeEndsRetries(t *testing.T) {
	b := start(t, Config{}, Function{MaximumRetryAttempts: 2, MaximumEventAge: 100 * time.Second})
	id := b.invoke(`{"Do":"error"}`)
	b.settle()
	if got, want := b.story(id), "Started Invoked Errored Retrying Invoked Errored Retrying Dropped"; got != want {
		t.Errorf("the story is %s, want %s", got, want)
	}
	if last := b.events[len(b.events)-1]; last.Text != "EventAgeExceeded" {
		t.Errorf("last of all: %+v", last)
	}
	if diff := cmp.Diff([]time.Duration{60 * time.Second, 40 * time.Second}, b.clock.waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// Through a topic, each subscriber gets a notification with the request in it.
func TestTopic(t *testing.T) {
	const topic = "arn:aws:sns:us-west-2:123456789012:requests"
	b := start(t, Config{}, Function{})
	if err := b.AddTopic(Topic{ARN: topic, Subscribers: []string{prefix + "provider", prefix + "nobody"}}); err != nil {
		t.Fatal(err)
	}
	request := `{"RequestType":"Create","ResponseURL":"https://a?b=c&d"}`
	id, err := b.Invoke(topic, []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	b.settle()
	if got, want := b.story(id), "Dropped"; !strings.Contains(got, want) || !strings.Contains(got, "Succeeded") {
		t.Errorf("the story is %s", got)
	}
	_, text, _ := strings.Cut(b.got(1)[0], " ")
	got := decode[struct {
		Records []struct {
			EventSource, EventVersion, EventSubscriptionArn string
			Sns                                             struct{ Type, TopicArn, Subject, Message, MessageId, Timestamp string }
		}
	}](t, json.RawMessage(text))
	if len(got.Records) != 1 {
		t.Fatalf("%d records", len(got.Records))
	}
	r := got.Records[0]
	if r.EventSource != "aws:sns" || r.EventVersion != "1.0" || !strings.HasPrefix(r.EventSubscriptionArn, topic+":") || r.Sns.Type != "Notification" ||
		r.Sns.TopicArn != topic || r.Sns.Subject != "AWS CloudFormation custom resource request" || r.Sns.Message != request ||
		r.Sns.MessageId != id || r.Sns.Timestamp != "2026-05-01T12:00:00.000Z" {
		t.Errorf("the record is %+v", r)
	}

	if err := b.AddTopic(Topic{ARN: topic}); err != nil {
		t.Fatal(err)
	}
	if id, err = b.Invoke(topic, []byte(request)); err != nil || b.story(id) != "Dropped" {
		t.Errorf("a topic without subscribers: %v, %s", err, b.story(id))
	}
}

// A function without concurrency accepts events, and gives them up at once: only its destination learns of them.
func TestNoConcurrency(t *testing.T) {
	b := start(t, Config{}, Function{})
	b.add("none", Function{Unavailable: true, MaximumRetryAttempts: 2, OnFailure: prefix + "provider"})
	id, err := b.Invoke(prefix+"none", []byte(`{"asked":"for"}`))
	if err != nil {
		t.Fatal(err)
	}
	b.settle()
	if got, want := b.story(id), "Recorded"; got != want || len(b.clock.waits) > 0 {
		t.Errorf("the story is %s, want %s; waits: %v", got, want, b.clock.waits)
	}
	for _, want := range []string{`"condition":"ZeroReservedConcurrency"`, `"approximateInvokeCount":0`, `"requestPayload":{"asked":"for"}`} {
		if got := b.got(1)[0]; !strings.Contains(got, want) {
			t.Errorf("the record has no %s: %s", want, got)
		}
	}
	if _, err := b.Call(t.Context(), prefix+"none", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "Status Code: 429") {
		t.Errorf("a call: %v", err)
	}
}

// The end of the host ends the waits between attempts.
func TestCloseWhileWaiting(t *testing.T) {
	waiting := make(chan struct{})
	h := New(t.Context(), Config{Clock: stuckClock{waiting}})
	if err := h.Add(Function{ARN: prefix + "provider", Command: []string{binary}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Invoke(prefix+"provider", []byte(`{}`), Throttle); err != nil {
		t.Fatal(err)
	}
	<-waiting
	h.Close()
}

// A stuckClock's waits end with their context alone.
type stuckClock struct{ waiting chan struct{} }

func (stuckClock) Now() time.Time { return time.Now() }
func (c stuckClock) Wait(ctx context.Context, _ time.Time) error {
	close(c.waiting)
	<-ctx.Done()
	return ctx.Err()
}
