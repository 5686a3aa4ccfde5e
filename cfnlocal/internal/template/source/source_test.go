package source

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNearest: a slip is recognised, another word is not.
func TestNearest(t *testing.T) {
	known := []string{"Provider", "ProviderRole", "Topic", "Queue", "A"}
	for name, want := range map[string]string{
		"Provder": "Provider", "provider": "Provider", "ProviderRol": "ProviderRole", "Topics": "Topic", "Quue": "Queue", "Tpoic": "Topic", "B": "A",
		"Subscription": "", "Bucket": "", "": "A",
	} {
		if got := Nearest(name, slices.Values(known)); got != want {
			t.Errorf("nearest(%q) is %q, want %q", name, got, want)
		}
	}
}

// Hundreds of long names, each a slip of each other, are not compared: that took half a minute.
func TestLongNamesAreNotCompared(t *testing.T) {
	var long []string
	for n := range 500 {
		long = append(long, fmt.Sprintf("%0255d", n))
	}
	for _, name := range long {
		if near := Nearest("x"+name[1:], slices.Values(long)); near != "" {
			t.Fatalf("compared with %s", near)
		}
	}
	if short := strings.Repeat("A", maxSimilar); Nearest(short[1:]+"B", slices.Values([]string{short})) != short {
		t.Error("a slip in a name that people write is not recognised")
	}
}

// FuzzDistance holds the distance against its definition.
func FuzzDistance(f *testing.F) {
	f.Add("Provider", "Provdier", 3)
	f.Add("", "abc", 4)
	f.Add("abcdefgh", "hgfedcba", 2)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if a, b, limit = a[:min(len(a), 30)], b[:min(len(b), 30)], 1+(limit&7); distance(a, b, limit) != min(defined(a, b), limit) {
			t.Errorf("the distance of %q and %q is %d, to %d: %d", a, b, defined(a, b), limit, distance(a, b, limit))
		}
	})
}

// defined is the distance, letter by letter.
func defined(a, b string) int {
	known := map[[2]int]int{}
	var of func(i, j int) int
	of = func(i, j int) int {
		if i == 0 || j == 0 {
			return i + j
		}
		if d, ok := known[[2]int{i, j}]; ok {
			return d
		}
		cost := 1
		if a[i-1] == b[j-1] {
			cost = 0
		}
		d := min(of(i-1, j)+1, of(i, j-1)+1, of(i-1, j-1)+cost)
		if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
			d = min(d, of(i-2, j-2)+1)
		}
		known[[2]int{i, j}] = d
		return d
	}
	return of(len(a), len(b))
}

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

// TestFlagIsOneWord: whatever a stranger's template calls a thing, a shell that a flag is
// copied into takes its value for one word, and runs nothing.
func TestFlagIsOneWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	for _, name := range []string{"plain", "/a/b-c.d", "two words", "it's", "$(touch x)", "`id`", "a;b", "a\nb", `a\`, "*", "~", "#a", "é"} {
		out, err := exec.CommandContext(t.Context(), sh, "-c", "printf '%s|' "+Flag("--import", name, "VALUE")).Output()
		if want := "--import|" + name + "=VALUE|"; err != nil || string(out) != want {
			t.Errorf("%q, want %q: %v", out, want, err)
		}
	}
}
