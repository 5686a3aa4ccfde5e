package event_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/event"
)

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
