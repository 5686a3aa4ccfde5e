package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

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
