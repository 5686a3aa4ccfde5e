package event_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/event"
)

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
