package source

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPlainScalar: what CloudFormation makes of unquoted YAML. The numbers with a source: an
// account ID 012345670123 became
// 1402433619 and 012345678901 became 1.2345678901E10, 5e+08 became 5.0E8, YES became true in people's stacks.
func TestPlainScalar(t *testing.T) {
	for _, tc := range []struct {
		text string
		want any
		note bool
	}{
		{"true", true, false}, {"False", false, false}, {"YES", true, true}, {"no", false, true}, {"On", true, true}, {"off", false, true},
		{"y", "y", true}, {"tRue", "tRue", false},
		{"0", json.Number("0"), false}, {"-0", json.Number("0"), true}, {"42", json.Number("42"), false}, {"-7", json.Number("-7"), false},
		{"012345670123", json.Number("1402433619"), true}, {"012345678901", json.Number("1.2345678901E10"), true},
		{"000000000010", json.Number("8"), true}, {"0o17", "0o17", false}, {"0x_F", json.Number("15"), true}, {"-0b11", json.Number("-3"), true},
		{"190:20:30", json.Number("685230"), true}, {"-1:30", json.Number("-90"), true}, {"09:30", "09:30", false}, {"1:99", "1:99", false},
		{"1.5", json.Number("1.5"), false}, {".5", json.Number("0.5"), true}, {"1.", json.Number("1.0"), true}, {"0.0001", json.Number("1.0E-4"), true},
		{"12345678.9", json.Number("1.23456789E7"), true}, {"5e+08", json.Number("5.0E8"), true}, {"0e0", json.Number("0.0"), true},
		{"1e999", "1e999", false}, {"2010-09-09", "2010-09-09", false}, {"10.0.0.0/16", "10.0.0.0/16", false}, {".", ".", false}, {"+", "+", false}, {"_1", "_1", false},
		{strings.Repeat("7", 100), json.Number(strings.Repeat("7", 100)), false},
		{"0" + strings.Repeat("7", 100), json.Number("7.777777777777778E99"), true},
	} {
		got, note, err := plainScalar(tc.text)
		if err != nil || got != tc.want || (note != "") != tc.note {
			t.Errorf("%s: got %#v, note %q, error %v; want %#v, note %t", tc.text, got, note, err, tc.want, tc.note)
		}
		if n, ok := got.(json.Number); ok {
			if _, err := json.Marshal(n); err != nil {
				t.Errorf("%s: %s is no JSON number: %v", tc.text, n, err)
			}
		}
		if strings.Contains(note, "678901") {
			t.Errorf("%s: the note holds the value: %s", tc.text, note)
		}
	}
	for _, text := range []string{".inf", "-.INF", ".NaN"} {
		if _, _, err := plainScalar(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
