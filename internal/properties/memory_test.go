package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// large is an element that takes more memory than any template has text for it.
type large struct {
	Buffer [512]uint64
	Name   string
}

type generous struct {
	Names []string `cfn:"default=[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]"`
	Zones []string `cfn:"default=[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]"`
}

type wide struct {
	A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, C0, C1, C2, C3, C4, C5 *int
}

// attacked is a resource type with everything that an event could multiply.
type attacked struct {
	Key      string          `cfn:"createOnly"`
	Chain    *attackedChain  `cfn:"createOnly"`
	Any      any             `cfn:"createOnly"`
	Map      map[string]wide `cfn:"createOnly"`
	Deep     *attackedDeep
	Ints     []int
	Large    []large
	LargeMap map[string]large
	Generous []generous
	Wide     []*wide
	Secret   any `cfn:"secret"`
	Must     []struct {
		A string `cfn:"required"`
		B string `cfn:"required"`
	}
}

type attackedDeep struct {
	Deep *attackedDeep
	Ints []int
}

type attackedChain struct {
	Next *attackedChain
	Text string
}

// repeat returns an object with one list of as many elements as fit a size.
func repeat(property, element string, size int) string {
	n := max(1, (size-len(property)-6)/(len(element)+1))
	return `{"` + property + `":[` + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]}"
}

// nest returns a value as deep as asked for below each of the properties named.
func nest(open string, depth int, value string) string {
	return strings.Repeat(open, depth) + value + strings.Repeat("}", depth)
}

func members(member string, size int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, member+",", i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}"
}

// attacks are properties of a size, in bytes, made to cost more.
var attacks = map[string]func(size int) string{
	"a long name above many errors": func(size int) string {
		return `{"Map":{"` + strings.Repeat("n", size/2) + `":` + members(`"u%d":1`, size/2) + `}}`
	},
	"many errors far below": func(size int) string {
		return nest(`{"Deep":`, 900, members(`"u%d":1`, size-7*900))
	},
	"deep lists of errors":        func(size int) string { return nest(`{"Deep":`, 900, repeat("Ints", `"x"`, size-10*900)) },
	"errors only":                 func(size int) string { return repeat("Ints", `{}`, size) },
	"required properties":         func(size int) string { return repeat("Must", `{}`, size) },
	"unresolved references":       func(size int) string { return repeat("Ints", `"{{resolve:"`, size) },
	"unknown properties":          func(size int) string { return members(`"Key%d":1`, size) },
	"unknown, with capitals":      func(size int) string { return members(`"kEY":%d`, size) },
	"large elements":              func(size int) string { return repeat("Large", `{}`, size) },
	"large elements that are bad": func(size int) string { return repeat("Large", `0`, size) },
	"large members":               func(size int) string { return `{"LargeMap":` + members(`"%d":{}`, size) + `}` },
	"defaults":                    func(size int) string { return repeat("Generous", `{}`, size) },
	"wide elements":               func(size int) string { return repeat("Wide", `{}`, size) },
	"a long createOnly property":  func(size int) string { return `{"Key":"` + strings.Repeat("<", size) + `"}` },
	"a createOnly any":            func(size int) string { return repeat("Any", `[0]`, size) },
	"a createOnly any of objects": func(size int) string { return repeat("Any", `{"":0}`, size) },
	"a createOnly map":            func(size int) string { return `{"Map":` + members(`"%d":{"A0":1}`, size) + `}` },
	"createOnly, long and deep": func(size int) string {
		return `{"Chain":` + nest(`{"Next":`, 900, `{"Text":"`+strings.Repeat("x", size-9*900)+`"}`) + `}`
	},
	"secrets":           func(size int) string { return `{"Secret":` + members(`"":"secret-%d"`, size) + `}` },
	"secrets in a list": func(size int) string { return `{"Secret":[` + strings.Repeat(`123456,`, size/7) + `0]}` },
	"a name of escapes": func(size int) string { return `{"` + strings.Repeat(`\u0000`, size/6) + `":1}` },
	"null elements":     func(size int) string { return repeat("Large", `null`, size) },
	"empty lists":       func(size int) string { return repeat("Any", `[]`, size) },
}

// spent does with properties what the dispatcher does with every event's, and
// returns the bytes that it took.
func spent(t *testing.T, s *Schema, raw string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := new(attacked)
	res := s.Decode(json.RawMessage(raw), p)
	id := s.Identity(p)
	var r redact.Redactor
	r.Add(s.Secrets(json.RawMessage(raw), p)...)
	var text strings.Builder
	for _, err := range res.all() {
		text.WriteString(err.Error() + "\n")
	}
	got := r.Redact(text.String(), redact.MaxText)
	runtime.ReadMemStats(&after)
	if len(res.Bad) > maxErrors+1 || len(res.Unknown) > maxErrors+1 || len(res.Required) > maxErrors+1 || len(res.Unresolved) > maxErrors+1 {
		t.Errorf("%d, %d, %d and %d errors", len(res.Bad), len(res.Unknown), len(res.Required), len(res.Unresolved))
	}
	for _, err := range res.all() {
		if n := len(err.Path); n > 2*maxPath || !utf8.ValidString(err.Path) {
			t.Errorf("a path of %d bytes: %.80q", n, err.Path)
		}
	}
	if len(got) > redact.MaxText+2*len("…") {
		t.Errorf("a text of %d bytes", len(got))
	}
	runtime.KeepAlive(id)
	return after.TotalAlloc - before.TotalAlloc
}

// No properties of 120 kB take more than 35 MB to read, and ten times as many take no more than
// some twelve times the memory: what an event has old and new.
func TestPropertiesCannotExhaustMemory(t *testing.T) {
	s := mustSchema[attacked](t)
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			few, many := uint64(1<<63), uint64(1<<63)
			for range 3 { // what the packages used keep between calls is not always there
				few, many = min(few, spent(t, s, attack(12_000))), min(many, spent(t, s, attack(120_000)))
			}
			t.Logf("12 kB: %d kB, 120 kB: %d kB", few>>10, many>>10)
			const limit = 35 << 20
			if many > limit && !testrun.Race {
				t.Errorf("properties of 120 kB take %d MB", many>>20)
			}
			if many > 14*few+8<<20 {
				t.Errorf("properties of 12 kB take %d kB, of 120 kB %d kB", few>>10, many>>10)
			}
		})
	}
}

// What would need too much memory is an error, and what came before is kept.
func TestTooMuchIsAnError(t *testing.T) {
	p, r := decode[attacked](t, repeat("Large", `{"Name":"a"}`, 100_000))
	if len(r.Bad) != 1 || r.Bad[0].Err != errTooMuch {
		t.Errorf("%v", texts(r.Bad))
	}
	if n := len(p.Large) * int(reflect.TypeFor[large]().Size()); n > maxMemory || n < maxMemory/2 {
		t.Errorf("%d bytes were read", n)
	}
}
