package properties

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func mustSchema[P any](t testing.TB) *Schema {
	t.Helper()
	s, err := SchemaOf(reflect.TypeFor[P]())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode[P any](t testing.TB, raw string) (P, Result) {
	t.Helper()
	var p P
	r := mustSchema[P](t).Decode(json.RawMessage(raw), &p)
	return p, r
}

// mustDecode decodes what has nothing wrong with it.
func mustDecode[P any](t testing.TB, raw string) P {
	t.Helper()
	p, r := decode[P](t, raw)
	for _, err := range r.all() {
		t.Errorf("%s: %v", raw, err)
	}
	return p
}

func (r Result) all() (errs []*Error) {
	errs = append(errs, r.Bad...)
	errs = append(errs, r.Required...)
	errs = append(errs, r.Unknown...)
	return append(errs, r.Unresolved...)
}

func paths(errs []*Error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Path)
	}
	return out
}

func texts(errs []*Error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

// wantError fails unless err says all of parts.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one that says %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

// upper is a type that reads itself from text, and refuses some.
type upper struct{ s string }

func (u *upper) UnmarshalText(b []byte) error {
	switch string(b) {
	case "refuse":
		return errors.New("upper: refuse is not allowed")
	case "panic":
		panic("upper: " + string(b))
	}
	u.s = strings.ToUpper(string(b))
	return nil
}

func (u upper) MarshalText() ([]byte, error) {
	if u.s == "UNWRITABLE" {
		return nil, errors.New("upper: UNWRITABLE")
	}
	if u.s == "UNSPEAKABLE" {
		panic("upper: " + u.s)
	}
	return []byte(strings.ToLower(u.s)), nil
}

// port is a type that reads itself from JSON, and wants a number.
type port struct{ n int }

func (p *port) UnmarshalJSON(b []byte) error {
	if string(b) == `"panic"` {
		panic("port: " + string(b))
	}
	p.n = -1 // what a refusal leaves behind
	return json.Unmarshal(b, &p.n)
}

func (p port) MarshalJSON() ([]byte, error) { return json.Marshal(p.n) }
