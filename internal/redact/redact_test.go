package redact_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/redact"
)

func TestStrike(t *testing.T) {
	tests := []struct {
		name, text string
		secrets    []string
		want       string
	}{
		{"none", "a text", nil, "a text"},
		{"twice", "hunter2 is hunter2", []string{"hunter2"}, "*** is ***"},
		{"one is a part of another", "hunter2000", []string{"hunter2", "hunter2000"}, "***"},
		{"too short to be struck out", "the the", []string{"the"}, "the the"},
		{"quoted as JSON", `"a\"b\u003cc"`, []string{`a"b<c`}, `"***"`},
		{"quoted as Go", `"a\tbcd\x00"`, []string{"a\tbcd\x00"}, `"***"`},
		{"in a query", "?p=a+b%2Fc", []string{"a b/c"}, "?p=***"},
		{"in a path", "/a%20b%2Fc", []string{"a b/c"}, "/***"},
		{"its bytes", "[104 117 110 116]", []string{"hunt"}, "[***]"},
		{"in hexadecimal", "68756e74 68756E74", []string{"hunt"}, "*** ***"},
		{"quoted as ASCII", `"\u00e9t\u00e9"`, []string{"été"}, `"***"`},
		{"a quote at its end", `it is abc"`, []string{`abc"`}, "it is ***"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := redact.Strike(tt.text, tt.secrets); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzStrike(f *testing.F) {
	f.Add("the password is hunter2.", "hunter2")
	f.Add("\xff\"\\", "\\\"\xff\xff")
	f.Fuzz(func(t *testing.T, text, secret string) {
		got := redact.Strike(text+secret, []string{secret})
		// What stands for a secret can make up one that has stars itself.
		if len(secret) >= 4 && !strings.Contains(secret, "*") && strings.Contains(got, secret) {
			t.Errorf("%q still holds %q", got, secret)
		}
	})
}
