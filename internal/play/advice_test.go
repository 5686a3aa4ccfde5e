package play

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A status in the text of an error without a code is told, and the text is not.
func TestAStatusWithoutACodeIsTold(t *testing.T) {
	for _, tt := range []struct {
		call simulate.Call
		want string
	}{
		{simulate.Call{}, ""},
		{simulate.Call{Method: "Delete", Error: "GET /secret: 404 Not Found"}, "Delete fails with a text that has 404 in it and with no code"},
		{simulate.Call{Method: "Create", Error: "status=429, wait"}, "Create fails with a text that has 429"},
		{simulate.Call{Method: "Update", Error: "503"}, "Update fails with a text that has 503"},
		{simulate.Call{Method: "Delete", Error: "404 Not Found", Code: "NotFound"}, ""},
		{simulate.Call{Method: "Delete", Error: "box-4045 is stuck, 14290 tries"}, ""},
		{simulate.Call{Method: "Delete", Error: "400 Bad Request"}, ""},
	} {
		got := uncodedHint([]simulate.Call{{Method: "Find"}, tt.call})
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") || got != "" && !strings.Contains(got, "HTTPStatus") || strings.Contains(got, "secret") {
			t.Errorf("%+v: %q, want %q", tt.call, got, tt.want)
		}
	}
}

func TestWhatHelpsIsALine(t *testing.T) {
	for want, advice := range map[string][]string{
		"":                        {"", ""},
		"\nWhat helps: Do it.":    {"", "Do it"},
		"\nWhat helps: One. Two.": {"One", "", "Two"},
	} {
		if got := whatHelps(advice...); got != want {
			t.Errorf("%q: %q, want %q", advice, got, want)
		}
	}
}
