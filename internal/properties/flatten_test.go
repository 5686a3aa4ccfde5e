package properties

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// JSON that is nested too deep for encoding/json is not read, and can be read above that.
func TestShallow(t *testing.T) {
	deep := func(n int) string {
		return `{"a":"]}\"","b":` + strings.Repeat("[", n) + "1" + strings.Repeat("]", n) + `,"c":[2]}`
	}
	for _, n := range []int{1, maxJSONDepth - 1, maxJSONDepth, 3 * maxJSONDepth} {
		raw := []byte(deep(n))
		got, was := Shallow(raw)
		if was != !json.Valid(raw) {
			t.Errorf("%d: said to be deep: %t", n, was)
		}
		if _, err := parseDocument(raw); was != errors.Is(err, errDeep) {
			t.Errorf("%d: read with %v", n, err)
		}
		if !json.Valid(got) || !strings.HasPrefix(string(got), `{"a":"]}\"","b":[`) || !strings.HasSuffix(string(got), `],"c":[2]}`) {
			t.Errorf("%d: %.40s…%s", n, got, got[len(got)-40:])
		}
	}
}

// A quote ends a string where an even number of backslashes stands before it;
// those before the string do not count.
func TestStringEnd(t *testing.T) {
	for raw, want := range map[string]int{
		`""x`: 1, `"a"x"`: 2, `"\""x"`: 3, `"\\"x"`: 3, `"\\\""x`: 5, `"a\\\\"x"`: 6, `\""x`: 2,
		`"`: 1, `"a`: 2, `"a\"`: 4, `"\`: 2, `"\\`: 3,
	} {
		if got := stringEnd([]byte(raw), strings.IndexByte(raw, '"')); got != want {
			t.Errorf("%s ends at %d, want %d", raw, got, want)
		}
	}
}

// FuzzShallow: nothing panics, and what was valid stays as it is.
func FuzzShallow(f *testing.F) {
	f.Add([]byte(`{"a":["\"]",{}]}`))
	f.Add([]byte(`"\`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, deep := Shallow(raw)
		if json.Valid(raw) && (deep || string(got) != string(raw)) {
			t.Errorf("%q became %q", raw, got)
		}
	})
}
