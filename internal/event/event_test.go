package event_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/response"
)

const plain = `{
	"RequestType": "Update",
	"ResponseURL": "https://example.com/key?X-Amz-Date=20240501T120000Z&X-Amz-Signature=5ec2e7",
	"StackId": "arn:aws:cloudformation:us-west-2:123456789012:stack/shop/1", "RequestId": "r1",
	"ResourceType": "Custom::Topic", "LogicalResourceId": "Topic", "PhysicalResourceId": "svc-1",
	"ResourceProperties": {"ServiceToken": "arn", "ServiceTimeout": "60", "serviceTimeout": "900", "Name": "a"},
	"OldResourceProperties": {"Name": "b"},
	"ServiceToken": "arn", "Unknown": [1]
}`

func TestRead(t *testing.T) {
	events, err := event.Read([]byte(plain))
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	want := &event.Event{
		Type: "Update", RequestID: "r1", StackID: "arn:aws:cloudformation:us-west-2:123456789012:stack/shop/1",
		ResourceType: "Custom::Topic", LogicalID: "Topic", PhysicalID: "svc-1",
		ServiceTimeout: time.Minute, SentAt: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), Raw: []byte(plain),
	}
	if diff := cmp.Diff(want, events[0], cmpopts.IgnoreTypes(response.URL{}, properties.Member{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := string(events[0].Properties.JSON()), `{"ServiceToken": "arn", "ServiceTimeout": "60", "serviceTimeout": "900", "Name": "a"}`; got != want {
		t.Errorf("the properties are %s, want %s", got, want)
	}
	if got, want := string(events[0].OldProperties.JSON()), `{"Name": "b"}`; got != want {
		t.Errorf("the old properties are %s, want %s", got, want)
	}
	if got := events[0].URL.Host(); got != "example.com" {
		t.Errorf("the URL's host is %q", got)
	}
}

// Names count in any case, null is what is absent, and each field that is no string is named.
func TestReadWhatIsOdd(t *testing.T) {
	odd := strings.NewReplacer(`"StackId"`, `"stackid"`, `"svc-1"`, `null`, `"r1"`, `7`, `"Topic"`, `["Topic"]`).Replace(plain)
	events, err := event.Read([]byte(odd))
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if !strings.HasPrefix(events[0].StackID, "arn:") {
		t.Errorf("the StackID is %q", events[0].StackID)
	}
	const want = "the event's LogicalResourceId is not a string\nthe event's RequestId is not a string\n" +
		"the event has no PhysicalResourceId, which CloudFormation sends with each Update"
	if events[0].Err == nil || events[0].Err.Error() != want {
		t.Errorf("the error is %v, want %s", events[0].Err, want)
	}
}

// An event that can be answered is no record of one, whatever other fields it has.
func TestPlainEventWithAnEnvelopesFields(t *testing.T) {
	for _, field := range []string{"Records", "requestPayload", "requestContext", "responsePayload"} {
		for _, value := range []string{"null", "5", "{}", "[]", `"x"`} {
			events, err := event.Read([]byte(strings.Replace(plain, `"Unknown": [1]`, `"`+field+`":`+value, 1)))
			if err != nil || len(events) != 1 || events[0].Died != "" || events[0].RequestID != "r1" {
				t.Errorf("%s %s: %d events, %v", field, value, len(events), err)
			}
		}
	}
}

// Lambda's runtime reads the next payload into the memory of the last.
func TestEventsKeepNothingOfThePayload(t *testing.T) {
	for _, payload := range []string{plain, `{"requestPayload":` + plain + `}`} {
		memory := []byte(payload)
		events, err := event.Read(memory)
		if err != nil || len(events) != 1 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		clear(memory)
		for name, kept := range map[string][]byte{"Raw": events[0].Raw, "Properties": events[0].Properties.JSON(), "OldProperties": events[0].OldProperties.JSON()} {
			if !json.Valid(kept) {
				t.Errorf("%s is overwritten: %q", name, kept)
			}
		}
	}
}

// A destination for successful invocations that leads here must not undo them.
func TestRecordOfASuccessIsNoEvent(t *testing.T) {
	events, err := event.Read([]byte(`{"requestPayload":` + plain + `,"requestContext":{"condition":"Success"}}`))
	if len(events) > 0 || err == nil {
		t.Errorf("%d events, want none, and an error that says so", len(events))
	}
}

// A record nested in records is no event: what Lambda delivers is not deeper.
func TestEnvelopesAreNotNestedWithoutEnd(t *testing.T) {
	deep := plain
	for range 1000 {
		deep = `{"requestPayload":` + deep + `}`
	}
	if events, err := event.Read([]byte(deep)); err == nil {
		t.Errorf("%d events, want an error", len(events))
	}
}

// The clocks differ where SentAt is still to come: it counts as now, or the
// deadline would be later than CloudFormation waits.
func TestSentInTheFuture(t *testing.T) {
	events, err := event.Read([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	ev := events[0]
	for _, ahead := range []time.Duration{time.Second, time.Hour, 1000 * 24 * time.Hour} {
		now := ev.SentAt.Add(-ahead)
		if got := ev.Deadline(now).Sub(now); got != time.Minute {
			t.Errorf("%s ahead: the deadline is in %s", ahead, got)
		}
		if err := ev.TooOld(now); err != nil {
			t.Errorf("%s ahead: %v", ahead, err)
		}
	}
	if got := ev.Deadline(ev.SentAt.Add(40 * time.Second)); got != ev.SentAt.Add(time.Minute) {
		t.Errorf("the deadline is %s", got)
	}
}

// encoding/json reads no deeper than 10,000, but the event must be answered: it
// is read without what is below, and said to be bad.
func TestDeepEventsCanBeAnswered(t *testing.T) {
	deep := strings.Replace(plain, `"Name": "a"`, `"Name": `+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000), 1)
	for _, payload := range []string{deep, `{"requestPayload":` + deep + `,"requestContext":{"condition":"RetriesExhausted"}}`} {
		events, err := event.Read([]byte(payload))
		if err != nil || len(events) != 1 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		ev := events[0]
		if ev.Err == nil || !strings.Contains(ev.Err.Error(), "nested more than 10,000 deep") {
			t.Errorf("the error is %v", ev.Err)
		}
		if ev.PhysicalID != "svc-1" || ev.URL.Host() != "example.com" || ev.ServiceTimeout != time.Minute || !json.Valid(ev.Properties.JSON()) {
			t.Errorf("%+v", ev)
		}
	}
}

// However many records hold no event, and however often a field comes, what is
// said of it stays short.
func TestErrorsAreBounded(t *testing.T) {
	_, err := event.Read([]byte(`{"Records":[` + strings.Repeat(`{},`, 50_000) + `{}]}`))
	if n := len(err.Error()); n > 4<<10 || !strings.HasSuffix(err.Error(), "and 49981 more") {
		t.Errorf("%d bytes, %.300s", n, err)
	}
	events, err := event.Read([]byte(strings.Replace(plain, `"Unknown": [1]`, strings.Repeat(`"RequestId": 7, `, 10_000)+`"Unknown": [1]`, 1)))
	if err != nil || len(events) != 1 || events[0].Err == nil || len(events[0].Err.Error()) > 100 {
		t.Errorf("%d events, %v, %.200v", len(events), err, events[0].Err)
	}
}

// What a process said at its end may quote secrets, which only those who have
// read the properties can redact: it is not part of how it ended.
func TestLastWords(t *testing.T) {
	events, err := event.Read([]byte(`{"requestPayload":` + plain + `,"requestContext":{"condition":"RetriesExhausted"},"responsePayload":{"errorMessage":"hunter2"}}`))
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if ev := events[0]; ev.ErrorMessage != "hunter2" || ev.Died != "the function ended before it answered (RetriesExhausted)" {
		t.Errorf("%q, %q", ev.Died, ev.ErrorMessage)
	}
}

// Whatever the payload, nothing panics, no error repeats the signed URL, and
// each event can be answered.
func FuzzRead(f *testing.F) {
	f.Add([]byte(plain))
	f.Add([]byte(`{"Records":[{"Sns":{"Message":"{}"}}]}`))
	f.Add([]byte(`{"requestPayload":` + plain + `,"requestContext":{"condition":"RetriesExhausted"},"responsePayload":{"errorMessage":"x"}}`))
	f.Add([]byte(strings.ReplaceAll(plain, `"60"`, `1e9`)))
	f.Fuzz(func(t *testing.T, payload []byte) {
		events, err := event.Read(payload)
		if err != nil && strings.Contains(err.Error(), "X-Amz-Signature") {
			t.Errorf("error %q holds the signed URL", err)
		}
		if len(events) == 0 && err == nil {
			t.Error("no event and no error")
		}
		for _, ev := range events {
			if ev.URL.Host() == "" {
				t.Error("an event without a URL")
			}
			if ev.ServiceTimeout <= 0 || ev.ServiceTimeout > time.Hour {
				t.Errorf("ServiceTimeout is %s", ev.ServiceTimeout)
			}
			switch ev.Type {
			case "Create":
			case "Update", "Delete":
				if ev.PhysicalID == "" && ev.Err == nil {
					t.Error("an event without an ID is said to be good")
				}
			default:
				if ev.Err == nil {
					t.Errorf("the type %q is said to be good", ev.Type)
				}
			}
			_ = ev.TooOld(time.Now())
		}
	})
}

// TestDescribeIsNoEvent: no payload is both an event and the question what a function's types are.
func TestDescribeIsNoEvent(t *testing.T) {
	for _, tt := range []struct {
		name, payload string
		describe      bool
	}{
		{"the question", `{"cfnresource":"describe"}`, true},
		{"with spaces", " {\n\t\"cfnresource\" : \"describe\" }\n", true},
		{"another word", `{"cfnresource":"Describe"}`, false},
		{"another name", `{"Cfnresource":"describe"}`, false},
		{"no word", `{"cfnresource":null}`, false},
		{"twice", `{"cfnresource":"describe","cfnresource":"describe"}`, false},
		{"with more", `{"cfnresource":"describe","RequestType":"Create"}`, false},
		{"in an event", strings.Replace(plain, "{", `{"cfnresource":"describe",`, 1), false},
		{"in an event's properties", strings.Replace(plain, `"Name": "a"`, `"cfnresource": "describe"`, 1), false},
		{"in the record of a process that died", `{"requestPayload":{"cfnresource":"describe"}}`, false},
		{"in a notification", `{"Records":[{"Sns":{"Message":"{\"cfnresource\":\"describe\"}"}}]}`, false},
		{"a list", `[{"cfnresource":"describe"}]`, false},
		{"nothing", ``, false},
		{"a long one", `{"cfnresource":"describe"` + strings.Repeat(" ", 100) + `}`, false},
		{"an event", plain, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := event.IsDescribe([]byte(tt.payload)); got != tt.describe {
				t.Errorf("it is the question: %t", got)
			}
			events, err := event.Read([]byte(tt.payload))
			if tt.describe && (err == nil || len(events) > 0) {
				t.Errorf("it is %d events as well", len(events))
			}
		})
	}
}

// A field that ends a line could forge the next record of a log.
func TestPrintable(t *testing.T) {
	for field, want := range map[string]string{
		"Custom::Topic":                             "Custom::Topic",
		"r1\n{\"level\":\"ERROR\"}":                 `r1 {"level":"ERROR"}`,
		"a\r\x1b[2Kb\u2028c\u0085d\x00":             "a [2Kb c d",
		"a\u202eb\u2066c\u200bd":                    "abcd",
		"\U0001f469\u200d\U0001f680":                "\U0001f469\u200d\U0001f680",
		strings.Repeat("é", 200):                    strings.Repeat("é", 128) + "…",
		"\xff" + strings.Repeat("\xff", 1000) + "x": strings.Repeat("\ufffd", 85) + "…",
	} {
		if got := event.Printable(field); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
