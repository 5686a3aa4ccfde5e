package properties

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestStringify: what a template's values are in an event. The values themselves stay.
func TestStringify(t *testing.T) {
	template := func() any {
		return map[string]any{
			"s": "a", "b": true, "n": json.Number("1.50"), "f": 14.0, "big": 1e21, "null": nil, "empty": map[string]any{},
			"l": []any{1.0, nil, []any{true}, map[string]any{"c": false, "d": nil}},
		}
	}
	want := map[string]any{
		"s": "a", "b": "true", "n": "1.50", "f": "14", "big": "1e+21", "empty": map[string]any{},
		"l": []any{"1", []any{"true"}, map[string]any{"c": "false"}},
	}
	in := template()
	if diff := cmp.Diff(want, Stringify(in)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if diff := cmp.Diff(template(), in); diff != "" || Stringify(nil) != nil {
		t.Error("it is changed:\n" + diff)
	}
}

// An author corrects a few errors at a time: twenty are said, and how many more
// there are. What is beyond them counts all the same.
func TestTwentyErrors(t *testing.T) {
	s := mustSchema[attacked](t)
	var p attacked
	r := s.Decode(json.RawMessage(repeat("Ints", `"x"`, 8*25)), &p)
	if n := len(r.Bad); n != 21 {
		t.Fatalf("%d errors", n)
	}
	if got, want := r.Bad[20].Error(), fmt.Sprintf("and %d more", strings.Count(repeat("Ints", `"x"`, 8*25), "x")-20); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !s.IdentityReadable(r) {
		t.Error("no createOnly property is bad")
	}
	raw := strings.TrimSuffix(repeat("Ints", `"x"`, 1000), "}") + `,"Key":[]}`
	for _, raw := range []string{raw, `{"Key":[],` + raw[1:]} {
		if r := s.Decode(json.RawMessage(raw), &p); s.IdentityReadable(r) {
			t.Error("a createOnly property is bad, though it may not be one of the first")
		}
	}
}

// A path shows no more of a name than tells which it is, and only characters that can be shown.
func TestPathsAreShort(t *testing.T) {
	type props struct{ M map[string]int }
	_, r := decode[props](t, `{"M":{"`+strings.Repeat("é", 100)+`":"x","a\nFAKE LINE\u001b[31m":"x"}}`)
	got := paths(r.Bad)
	want := []string{"M.a FAKE LINE[31m", "M." + strings.Repeat("é", 32) + "…"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_, r = decode[attacked](t, nest(`{"Deep":`, 400, `{"Ints":["x"]}`))
	if got, want := paths(r.Bad), []string{"Deep.Deep.Deep.….Deep.Ints[0]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

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

type echoed struct {
	Text, Other string
	Wait        time.Duration
	Count       int
	Address     netip.Addr
	Login       struct {
		User     string
		Rest     time.Duration
		Password string `cfn:"secret"`
	}
	Rules []struct {
		Wait time.Duration
		Key  string `cfn:"secret"`
	}
	Tags  map[string]string
	Token string `cfn:"secret"`
}

// What came comes back where it means what is seen, at any depth and beside secrets, and
// what is secret does not.
func TestEcho(t *testing.T) {
	s, err := SchemaOf(reflect.TypeFor[echoed]())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, came, seen, want string }{
		{"the same in another form", `{"Wait":"60m","Count":"3","Address":"2001:DB8::1"}`, `{"Wait":"1h","Count":3,"Address":"2001:db8::1"}`,
			`{"Wait":"60m","Count":"3","Address":"2001:DB8::1"}`},
		{"another value", `{"Wait":"60m","Count":"3"}`, `{"Wait":"2h","Count":4}`, `{"Wait":"2h","Count":4}`},
		{"beside a secret", `{"Login":{"User":"u","Rest":"60m","Password":"hush"}}`, `{"Login":{"User":"u","Rest":"1h"}}`, `{"Login":{"User":"u","Rest":"60m"}}`},
		{"in a list", `{"Rules":[{"Wait":"60s","Key":"hush"},{"Wait":"9s"}]}`, `{"Rules":[{"Wait":"1m"},{"Wait":"8s"}]}`, `{"Rules":[{"Wait":"60s"},{"Wait":"8s"}]}`},
		{"a list of another length", `{"Rules":[{"Wait":"60s"}]}`, `{"Rules":[]}`, `{"Rules":[]}`},
		{"what is empty", `{"Text":"","Tags":{},"Rules":[],"Other":"","Token":""}`, `{"Other":"x"}`, `{"Text":"","Tags":{},"Rules":[],"Other":"x"}`},
		{"what is unknown, or of another spelling", `{"Txt":"","text":"a","token":"hush"}`, `{"Text":"a"}`, `{"Text":"a"}`},
		{"what is not seen", `{"Text":"a","Token":"hush"}`, `{"Url":"u"}`, `{"Url":"u"}`},
		{"nothing", `null`, `{"Wait":"1h"}`, `{"Wait":"1h"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var seen, want Model
			if err := json.Unmarshal([]byte(test.seen), &seen); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			got := s.Echo(json.RawMessage(test.came), seen)
			if g, w := tree(got), tree(want); !reflect.DeepEqual(g, w) {
				t.Errorf("%s comes back as %v, want %v", test.came, g, w)
			}
		})
	}
}
