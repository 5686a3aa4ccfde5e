package properties

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type named string

// every is a struct with a field of every kind that a property can be read into.
type every struct {
	Bool     bool
	Int      int
	Int8     int8
	Int16    int16
	Int32    int32
	Int64    int64
	Uint     uint
	Uint8    uint8
	Uint16   uint16
	Uint32   uint32
	Uint64   uint64
	Uintptr  uintptr
	Float32  float32
	Float64  float64
	Text     string
	Named    named
	Duration time.Duration
	Time     time.Time
	Addr     netip.Addr
	Big      *big.Int
	Port     port
	Bytes    []byte
	Any      any
	Raw      json.RawMessage
	Number   json.Number
	Pointer  *int
	Twice    **int
	List     []int
	Lists    [][]string
	Array    [2]int
	Map      map[string]int
	ByInt    map[int]string
	ByUint   map[uint8]string
	ByText   map[upperKey]string
	Nested   struct{ A, B int }
	Structs  []struct{ A int }
	ByName   map[string]struct{ A int }
	Chain    *chain
}

type chain struct {
	Name string
	Next *chain
	Kids []chain
	Map  map[string]chain
}

// upperKey is a key that reads itself.
type upperKey string

func (k *upperKey) UnmarshalText(b []byte) error {
	var u upper
	if err := u.UnmarshalText(b); err != nil {
		return err
	}
	*k = upperKey(u.s)
	return nil
}

var compareEvery = cmp.Options{
	cmp.AllowUnexported(port{}, upper{}),
	cmp.Comparer(func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }),
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
}

// TestDecodeValue: CloudFormation sends booleans and numbers as strings; the
// field's type says what is meant.
func TestDecodeValue(t *testing.T) {
	one := 1
	onePtr := &one
	addr := netip.MustParseAddr("10.0.0.1")
	cases := []struct {
		name, raw string
		want      every
	}{
		{"bool from a string", `{"Bool":"true"}`, every{Bool: true}},
		{"bool from a string in capitals, as YAML's tools write", `{"Bool":"TRUE"}`, every{Bool: true}},
		{"bool from a string in title case, as Python's str writes", `{"Bool":"True"}`, every{Bool: true}},
		{"false in title case", `{"Bool":"False"}`, every{}},
		{"native bool", `{"Bool":true}`, every{Bool: true}},

		{"int from a string", `{"Int":"14"}`, every{Int: 14}},
		{"native int", `{"Int":14}`, every{Int: 14}},
		{"leading zeros are no octal", `{"Int":"010"}`, every{Int: 10}},
		{"native integral float", `{"Int":14.0}`, every{Int: 14}},
		{"integral float", `{"Int":"14.0"}`, every{Int: 14}},
		{"exponent", `{"Int":"1e3"}`, every{Int: 1000}},
		{"exponent in a big number", `{"Int64":"9.223372036854775807E+18"}`, every{Int64: 1<<63 - 1}},
		{"negative exponent", `{"Int":"1200e-2"}`, every{Int: 12}},
		{"minus", `{"Int":"-14"}`, every{Int: -14}},
		{"plus", `{"Int":"+14"}`, every{Int: 14}},
		{"zero with a huge exponent", `{"Int":"0e999999999999"}`, every{}},
		{"int8 lowest", `{"Int8":"-128"}`, every{Int8: -128}},
		{"int16 highest", `{"Int16":"32767"}`, every{Int16: 32767}},
		{"int32 lowest", `{"Int32":"-2147483648"}`, every{Int32: -1 << 31}},
		{"int64 lowest", `{"Int64":"-9223372036854775808"}`, every{Int64: -1 << 63}},
		{"int64 highest", `{"Int64":"9223372036854775807"}`, every{Int64: 1<<63 - 1}},
		{"uint", `{"Uint":"14"}`, every{Uint: 14}},
		{"uint8 highest", `{"Uint8":"255"}`, every{Uint8: 255}},
		{"uint16", `{"Uint16":"65535"}`, every{Uint16: 65535}},
		{"uint32", `{"Uint32":"4294967295"}`, every{Uint32: 1<<32 - 1}},
		{"uint64 highest", `{"Uint64":"18446744073709551615"}`, every{Uint64: 1<<64 - 1}},
		{"uint64 highest, native", `{"Uint64":18446744073709551615}`, every{Uint64: 1<<64 - 1}},
		{"uintptr", `{"Uintptr":"7"}`, every{Uintptr: 7}},
		{"minus zero is zero", `{"Uint":"-0"}`, every{}},

		{"float", `{"Float64":"1.5"}`, every{Float64: 1.5}},
		{"native float", `{"Float64":1.5}`, every{Float64: 1.5}},
		{"float from an integer", `{"Float64":"2"}`, every{Float64: 2}},
		{"float with an exponent", `{"Float64":"1.5E-3"}`, every{Float64: 0.0015}},
		{"float32", `{"Float32":"0.1"}`, every{Float32: 0.1}},
		{"float without a whole part", `{"Float64":".5"}`, every{Float64: 0.5}},

		{"string", `{"Text":"a"}`, every{Text: "a"}},
		{"empty string", `{"Text":""}`, every{}},
		{"a string of digits keeps its zeros", `{"Text":"0123"}`, every{Text: "0123"}},
		{"a native number's literal text in a string", `{"Text":1.50}`, every{Text: "1.50"}},
		{"a native bool in a string", `{"Text":false}`, every{Text: "false"}},
		{"a string named null is a string", `{"Text":"null"}`, every{Text: "null"}},
		{"escapes", `{"Text":"a\"\u00e9\n\ud83d\ude00"}`, every{Text: "a\"é\n😀"}},
		{"a name with escapes", `{"\u0054ext":"a"}`, every{Text: "a"}},
		{"a string of a named type", `{"Named":"a"}`, every{Named: "a"}},

		{"duration", `{"Duration":"1m30s"}`, every{Duration: 90 * time.Second}},
		{"time", `{"Time":"2026-01-02T03:04:05Z"}`, every{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		{"UnmarshalText", `{"Addr":"10.0.0.1"}`, every{Addr: addr}},
		{"UnmarshalJSON gets a native number", `{"Port":80}`, every{Port: port{80}}},
		{"UnmarshalJSON that wants a number gets it without quotes", `{"Port":"80"}`, every{Port: port{80}}},
		{"UnmarshalJSON of the standard library", `{"Big":"123456789012345678901234567890"}`, every{Big: bigInt("123456789012345678901234567890")}},

		{"bytes", `{"Bytes":"aGk="}`, every{Bytes: []byte("hi")}},
		{"bytes from a list", `{"Bytes":["104",105]}`, every{Bytes: []byte("hi")}},
		{"no bytes", `{"Bytes":""}`, every{Bytes: []byte{}}},
		{"any gets what came", `{"Any":{"a":["1",true,2]}}`, every{Any: map[string]any{"a": []any{"1", true, 2.0}}}},
		{"RawMessage gets the text that came", `{"Raw":{"a": "1"}}`, every{Raw: json.RawMessage(`{"a": "1"}`)}},
		{"Number from a string", `{"Number":"1.50"}`, every{Number: "1.50"}},
		{"native Number", `{"Number":1.50}`, every{Number: "1.50"}},

		{"pointer", `{"Pointer":"1"}`, every{Pointer: onePtr}},
		{"pointer to a pointer", `{"Twice":"1"}`, every{Twice: &onePtr}},
		{"list", `{"List":["1","2"]}`, every{List: []int{1, 2}}},
		{"empty list", `{"List":[]}`, every{List: []int{}}},
		{"lists in a list", `{"Lists":[["a"],[]]}`, every{Lists: [][]string{{"a"}, {}}}},
		{"array", `{"Array":["1","2"]}`, every{Array: [2]int{1, 2}}},
		{"array, short", `{"Array":["1"]}`, every{Array: [2]int{1}}},
		{"map", `{"Map":{"a":"1"}}`, every{Map: map[string]int{"a": 1}}},
		{"empty map", `{"Map":{}}`, every{Map: map[string]int{}}},
		{"map by int", `{"ByInt":{"-1":"a"}}`, every{ByInt: map[int]string{-1: "a"}}},
		{"map by uint8", `{"ByUint":{"255":"a"}}`, every{ByUint: map[uint8]string{255: "a"}}},
		{"map by a type with UnmarshalText", `{"ByText":{"a":"1"}}`, every{ByText: map[upperKey]string{"A": "1"}}},
		{"structs in a map do not inherit from each other", `{"ByName":{"a":{"A":"1"},"b":{}}}`, every{ByName: map[string]struct{ A int }{"a": {1}, "b": {}}}},
		{"invalid UTF-8, as encoding/json reads it", "{\"Text\":\"a\xffb\"}", every{Text: "a\ufffdb"}},
		{"nested struct", `{"Nested":{"A":"1","B":2}}`, every{Nested: struct{ A, B int }{1, 2}}},
		{"structs in a list", `{"Structs":[{"A":"1"},{}]}`, every{Structs: []struct{ A int }{{1}, {}}}},
		{"recursive types", `{"Chain":{"Name":"a","Next":{"Name":"b"},"Kids":[{"Name":"c"}],"Map":{"x":{"Name":"d"}}}}`,
			every{Chain: &chain{Name: "a", Next: &chain{Name: "b"}, Kids: []chain{{Name: "c"}}, Map: map[string]chain{"x": {Name: "d"}}}}},

		{"null is absent", `{"Bool":null,"Pointer":null,"List":null,"Map":null,"Nested":null,"Raw":null,"Any":null,"Port":null}`, every{}},
		{"null in a list is dropped", `{"List":["1",null,"2"]}`, every{List: []int{1, 2}}},
		{"null in an array is dropped", `{"Array":[null,"2"]}`, every{Array: [2]int{2}}},
		{"null in a map is dropped", `{"Map":{"a":null,"b":"1"}}`, every{Map: map[string]int{"b": 1}}},
		{"ServiceToken and ServiceTimeout are CloudFormation's", `{"ServiceToken":"arn","ServiceTimeout":"30","Int":"1"}`, every{Int: 1}},

		{"letter case does not matter", `{"bool":"true","INT":"1"}`, every{Bool: true, Int: 1}},
		{"of duplicates the last wins", `{"Int":"1","Int":"2"}`, every{Int: 2}},
		{"of duplicates the last wins, bad before it or not", `{"Int":"x","Int":"2"}`, every{Int: 2}},
		{"of duplicates the last wins, also null", `{"Int":"1","Int":null}`, every{}},
		{"duplicate lists are not merged", `{"Map":{"a":"1"},"Map":{"b":"2"}}`, every{Map: map[string]int{"b": 2}}},
		{"duplicate keys of a map", `{"Map":{"a":"1","a":"2","b":"1","b":null}}`, every{Map: map[string]int{"a": 2}}},
		{"white space", " {\n\t\"Int\" : \"1\" , \"List\" : [ 1 , 2 ] }\r\n", every{Int: 1, List: []int{1, 2}}},
	}
	s := mustSchema[every](t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := every{Int: 99, List: []int{7}} // what was there before is gone
			for _, err := range s.Decode(json.RawMessage(c.raw), &got).all() {
				t.Error(err)
			}
			if diff := cmp.Diff(c.want, got, compareEvery); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}

func bigInt(s string) *big.Int {
	i, _ := new(big.Int).SetString(s, 10)
	return i
}

// TestDecodeBad: what does not fit is an error that says what to do, never
// what came, and the rest is read.
func TestDecodeBad(t *testing.T) {
	const (
		noBool = ": true or false was expected, but what came is not one"
		empty  = " was expected, but an empty string came: leave the property out, with AWS::NoValue where it depends on a condition"
	)
	cases := []struct{ name, raw, want string }{
		{"bool", `{"Bool":"yes"}`, "Bool" + noBool},
		{"bool from a number", `{"Bool":1}`, "Bool" + noBool},
		{"bool from an empty string", `{"Bool":""}`, "Bool: true or false" + empty},
		{"bool from a list", `{"Bool":["true"]}`, "Bool: true or false was expected, but a list came"},
		{"bool with a space", `{"Bool":"true "}`, "Bool" + noBool},
		{"int", `{"Int":"fourteen"}`, "Int: a whole number was expected, but what came is not one"},
		{"int from an empty string", `{"Int":""}`, "Int: a whole number" + empty},
		{"int from a fraction", `{"Int":"14.5"}`, "Int: a whole number was expected, but a fraction came"},
		{"int from a small fraction", `{"Int":"1e-999999999999"}`, "Int: a whole number was expected, but a fraction came"},
		{"int from a bool", `{"Int":true}`, "Int: a whole number was expected, but what came is not one"},
		{"int from hexadecimal", `{"Int":"0x10"}`, "Int: a whole number was expected, but what came is not one"},
		{"int with underscores", `{"Int":"1_000"}`, "Int: a whole number was expected, but what came is not one"},
		{"int with a space", `{"Int":" 1"}`, "Int: a whole number was expected, but what came is not one"},
		{"int with a lone exponent", `{"Int":"1e"}`, "Int: a whole number was expected, but what came is not one"},
		{"int with two signs", `{"Int":"--1"}`, "Int: a whole number was expected, but what came is not one"},
		{"int from a point", `{"Int":"."}`, "Int: a whole number was expected, but what came is not one"},
		{"int from an object", `{"Int":{}}`, "Int: a whole number was expected, but an object came"},
		{"int8 too high", `{"Int8":"128"}`, "Int8: the number does not fit: -128 to 127 are allowed"},
		{"int16 too low", `{"Int16":"-32769"}`, "Int16: the number does not fit: -32768 to 32767 are allowed"},
		{"int32 too high", `{"Int32":2147483648}`, "Int32: the number does not fit: -2147483648 to 2147483647 are allowed"},
		{"int64 too high", `{"Int64":"9223372036854775808"}`, "Int64: the number does not fit: -9223372036854775808 to 9223372036854775807 are allowed"},
		{"int64 far too high", `{"Int64":"1e999999999999"}`, "Int64: the number does not fit: -9223372036854775808 to 9223372036854775807 are allowed"},
		{"uint8 too high", `{"Uint8":"256"}`, "Uint8: the number does not fit: 0 to 255 are allowed"},
		{"uint below zero", `{"Uint64":"-1"}`, "Uint64: the number does not fit: 0 to 18446744073709551615 are allowed"},
		{"float", `{"Float64":"x"}`, "Float64: a number was expected, but what came is not one"},
		{"float from an empty string", `{"Float64":""}`, "Float64: a number" + empty},
		{"NaN", `{"Float64":"NaN"}`, "Float64: a number was expected, but what came is not one"},
		{"Infinity", `{"Float64":"-Inf"}`, "Float64: a number was expected, but what came is not one"},
		{"hexadecimal float", `{"Float64":"0x1p-2"}`, "Float64: a number was expected, but what came is not one"},
		{"float too high", `{"Float64":1e999}`, "Float64: the number does not fit float64"},
		{"float32 too high", `{"Float32":"1e39"}`, "Float32: the number does not fit float32"},
		{"string from a list", `{"Text":["a"]}`, "Text: a string was expected, but a list came"},
		{"string from an object", `{"Named":{}}`, "Named: a string was expected, but an object came"},
		{"duration without a unit", `{"Duration":"30"}`, "Duration: a duration with its unit was expected, but a bare number came: write 30s"},
		{"duration from a native number", `{"Duration":30}`, "Duration: a duration with its unit was expected, but a bare number came: write 30s"},
		{"duration of zero without a unit", `{"Duration":"0"}`, "Duration: a duration with its unit was expected, but a bare number came: write 30s"},
		{"duration", `{"Duration":"soon"}`, "Duration: a duration with its unit (write 30s) was expected, but what came is not one"},
		{"time", `{"Time":"yesterday"}`, "Time: a time was expected, but what came is not one: write it as 2006-01-02T15:04:05Z"},
		{"UnmarshalText", `{"Addr":"localhost"}`, "Addr: is not a valid netip.Addr: its UnmarshalText method refused what came"},
		{"UnmarshalText of a list", `{"Addr":[]}`, "Addr: a string was expected, but a list came"},
		{"UnmarshalJSON", `{"Port":"http"}`, "Port: is not a valid properties.port: its UnmarshalJSON method refused what came"},
		{"UnmarshalJSON panics", `{"Port":"panic"}`, "Port: properties.port's UnmarshalJSON method panicked on what came"},
		{"UnmarshalJSON of null in quotes", `{"Port":"null"}`, "Port: is not a valid properties.port: its UnmarshalJSON method refused what came"},
		{"bytes", `{"Bytes":"?"}`, "Bytes: base64 text was expected, but what came is not one"},
		{"bytes from an object", `{"Bytes":{}}`, "Bytes: base64 text was expected, but an object came"},
		{"any with a number that float64 cannot hold", `{"Any":[1e999]}`, "Any: a number in it does not fit float64"},
		{"Number", `{"Number":"1x"}`, "Number: a number was expected, but what came is not one"},
		{"Number from an object in a string", `{"Number":"{}"}`, "Number: a number was expected, but what came is not one"},
		{"Number that JSON cannot write", `{"Number":"010"}`, "Number: a number was expected, but what came is not one"},
		{"pointer", `{"Pointer":"x"}`, "Pointer: a whole number was expected, but what came is not one"},
		{"list from a string", `{"List":"1,2"}`, "List: a list was expected, but a string came"},
		{"list from an object", `{"List":{}}`, "List: a list was expected, but an object came"},
		{"list from a number", `{"List":1}`, "List: a list was expected, but a number came"},
		{"an element", `{"List":["1",null,"x"]}`, "List[2]: a whole number was expected, but what came is not one"},
		{"an element of an element", `{"Lists":[["a"],[{}]]}`, "Lists[1][0]: a string was expected, but an object came"},
		{"array too long", `{"Array":["1","2","3"]}`, "Array: the list is too long: at most 2 elements are allowed"},
		{"array from a string", `{"Array":"1"}`, "Array: a list was expected, but a string came"},
		{"map from a list", `{"Map":[]}`, "Map: an object was expected, but a list came"},
		{"a member", `{"Map":{"Env":"x"}}`, "Map.Env: a whole number was expected, but what came is not one"},
		{"a key", `{"ByInt":{"x":"a"}}`, "ByInt.x: as a key, a whole number was expected, but what came is not one"},
		{"a key too high", `{"ByUint":{"256":"a"}}`, "ByUint.256: as a key, the number does not fit: 0 to 255 are allowed"},
		{"a key that its type refuses", `{"ByText":{"refuse":"a"}}`, "ByText.refuse: is not a valid properties.upperKey: its UnmarshalText method refused what came"},
		{"a key that its type panics on", `{"ByText":{"panic":"a"}}`, "ByText.panic: properties.upperKey's UnmarshalText method panicked on what came"},
		{"nested from a bool", `{"Nested":true}`, "Nested: an object was expected, but true or false came"},
		{"nested", `{"Nested":{"A":"x"}}`, "Nested.A: a whole number was expected, but what came is not one"},
		{"nested in a list", `{"Structs":[{},{"A":"x"}]}`, "Structs[1].A: a whole number was expected, but what came is not one"},
		{"deep", `{"Chain":{"Next":{"Kids":[{"Map":{"k":{"Name":[]}}}]}}}`, "Chain.Next.Kids[0].Map.k.Name: a string was expected, but a list came"},
	}
	s := mustSchema[every](t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got every
			raw := strings.TrimSuffix(c.raw, "}") + `,"ServiceToken":"arn","Text":"kept"}`
			if strings.HasPrefix(c.name, "string from a list") {
				raw = c.raw
			}
			r := s.Decode(json.RawMessage(raw), &got)
			if diff := cmp.Diff([]string{c.want}, texts(r.all())); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
			if got.Text != "kept" && raw != c.raw {
				t.Error("the rest was not read")
			}
			if r.Missing {
				t.Error("Missing is for properties of which nothing can be read")
			}
		})
	}
}

// TestDecodeBadIsZero: on Delete, the handler runs with what could be read. A
// zero value in a list would be taken for a value.
func TestDecodeBadIsZero(t *testing.T) {
	got, r := decode[every](t, `{"List":["1","x","3"],"Map":{"a":"x","b":"2"},"Array":["x","2"],"Pointer":"x","Port":"x",
		"Nested":{"A":"x","B":"2"},"Structs":[{"A":"x"},"y",{"A":"3"}],"Lists":[["a"],"b"],"Bytes":["1","x"]}`)
	want := every{
		List: []int{1, 3}, Map: map[string]int{"b": 2}, Array: [2]int{0, 2},
		Structs: []struct{ A int }{{}, {3}}, Lists: [][]string{{"a"}}, Bytes: []byte{1},
	}
	want.Nested.B = 2
	if diff := cmp.Diff(want, got, compareEvery); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if got, _ := decode[every](t, `{"Array":["1","2","3"]}`); got.Array != [2]int{} {
		t.Errorf("of an array that is too long came %v", got.Array)
	}
	wantPaths := []string{"Array[0]", "Bytes[1]", "List[1]", "Lists[1]", "Map.a", "Nested.A", "Pointer", "Port", "Structs[0].A", "Structs[1]"}
	if diff := cmp.Diff(wantPaths, paths(r.Bad)); diff != "" {
		t.Error("all are collected and sorted by path; -want +got:\n" + diff)
	}
}

// TestDecodeMissing: properties may be absent altogether. Defaults apply, and what is required is
// said, unless that would only repeat that there is nothing.
func TestDecodeMissing(t *testing.T) {
	type props struct {
		Days int    `cfn:"default=14"`
		Name string `cfn:"required"`
	}
	cases := []struct {
		name, raw     string
		missing       bool
		bad, required []string
	}{
		{"empty", ``, true, nil, []string{"Name"}},
		{"null", `null`, true, nil, []string{"Name"}},
		{"an empty object is not missing", `{}`, false, nil, []string{"Name"}},
		{"a string", `"x"`, true, []string{"the properties must be an object, but a string came"}, nil},
		{"a list", `[{}]`, true, []string{"the properties must be an object, but a list came"}, nil},
		{"not JSON", `{"Days":`, true, []string{"the properties are not valid JSON, or too large"}, nil},
		{"two objects", `{} {}`, true, []string{"the properties are not valid JSON, or too large"}, nil},
		{"nested more than JSON may be", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000), true, []string{"the properties are nested more than 10,000 deep, which encoding/json does not read: nest less"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, r := decode[props](t, c.raw)
			if r.Missing != c.missing {
				t.Errorf("Missing = %t, want %t", r.Missing, c.missing)
			}
			if diff := cmp.Diff(c.bad, texts(r.Bad)); diff != "" {
				t.Error("Bad: -want +got:\n" + diff)
			}
			if diff := cmp.Diff(c.required, paths(r.Required)); diff != "" {
				t.Error("Required: -want +got:\n" + diff)
			}
			if got.Days != 14 {
				t.Errorf("Days = %d, want its default 14", got.Days)
			}
		})
	}
}

// TestDecodeDeep: hostile nesting must end neither the stack nor the memory.
func TestDecodeDeep(t *testing.T) {
	const depth = 9_000
	for _, c := range []struct{ name, open, value, end string }{
		{"objects", `{"Next":`, `{}`, `}`},
		{"objects with something wrong in each", `{"x":"{{resolve:","Next":`, `{}`, `}`},
		{"lists", `{"Kids":[`, `{}`, `]}`},
		{"maps", `{"Map":{"k":`, `{}`, `}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := depth / len(c.end)
			raw := strings.Repeat(c.open, n) + c.value + strings.Repeat(c.end, n)
			_, r := decode[chain](t, raw)
			if len(r.Bad) != 1 || !strings.HasSuffix(r.Bad[0].Error(), ": is nested more than 1000 deep") {
				t.Errorf("got %d errors %.200v", len(r.Bad), r.Bad)
			}
			if n := len(r.Unresolved); n > maxDepth+1 {
				t.Errorf("got %d unresolved", n)
			}
		})
	}
	t.Run("lists of lists", func(t *testing.T) {
		type lists []lists
		_, r := decode[struct{ L lists }](t, `{"L":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`)
		if len(r.Bad) != 1 {
			t.Errorf("got %d errors", len(r.Bad))
		}
	})
	t.Run("any", func(t *testing.T) {
		got := mustDecode[struct{ A any }](t, `{"A":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`)
		if got.A == nil {
			t.Error("not read")
		}
	})
}

// TestDecodeUnknown: a property that the type does not know is most often a typo.
func TestDecodeUnknown(t *testing.T) {
	type rule struct{ Port, Protocol string }
	type props struct {
		Topic  string
		Days   int
		Rules  []rule
		ByName map[string]rule
		None   struct{}
	}
	cases := []struct{ name, raw, want string }{
		{"a typo", `{"Tpic":"a"}`, `Tpic: is not a known property: did you mean "Topic"?`},
		{"neighbours swapped", `{"Dyas":"1"}`, `Dyas: is not a known property: did you mean "Days"?`},
		{"nothing near", `{"Colour":"a"}`, `Colour: is not a known property: known are Topic, Days, Rules, ByName, None`},
		{"without a name", `{"":"a"}`, `"": is not a known property: known are Topic, Days, Rules, ByName, None`},
		{"without a name, further in", `{"ByName":{"":{"":"a"}}}`, `ByName.""."": is not a known property: known are Port, Protocol`},
		{"with a name of which nothing can be seen", `{"\u200b":"a"}`, `"": is not a known property: known are Topic, Days, Rules, ByName, None`},
		{"in a list", `{"Rules":[{},{"Prot":"1"}]}`, `Rules[1].Prot: is not a known property: did you mean "Port"?`},
		{"in a map", `{"ByName":{"web":{"Prot":"1"}}}`, `ByName.web.Prot: is not a known property: did you mean "Port"?`},
		{"where there are none", `{"None":{"A":"1"}}`, `None.A: is not a known property: there are none here, remove it`},
		{"ServiceToken is dropped at the top only", `{"None":{"ServiceToken":"1"}}`, `None.ServiceToken: is not a known property: there are none here, remove it`},
		{"ServiceToken in another case", `{"servicetoken":"1"}`, `servicetoken: is not a known property: known are Topic, Days, Rules, ByName, None`},
		{"beside the exact name", `{"Topic":"b","topic":"a"}`, `topic: is not a known property: did you mean "Topic"?`},
		{"before the exact name", `{"topic":"a","Topic":"b"}`, `topic: is not a known property: did you mean "Topic"?`},
		{"a very long name", `{"` + strings.Repeat("T", 200) + `":""}`, strings.Repeat("T", 64) + `…: is not a known property: known are Topic, Days, Rules, ByName, None`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, r := decode[props](t, c.raw)
			if diff := cmp.Diff([]string{c.want}, texts(r.Unknown)); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
			if got.Topic == "a" {
				t.Error("of two members that mean one field, that with the exact name wins")
			}
		})
	}
	t.Run("very long names are not compared", func(t *testing.T) {
		if near, ok := nearest(strings.Repeat("a", 101), []string{strings.Repeat("a", 100)}); ok {
			t.Errorf("got %s", near)
		}
		if near, ok := nearest(strings.Repeat("a", 100), []string{strings.Repeat("a", 101)}); ok {
			t.Errorf("got %s", near)
		}
	})
	t.Run("the list is bounded", func(t *testing.T) {
		type many struct{ A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14 string }
		_, r := decode[many](t, `{"Zzzz":""}`)
		wantError(t, r.Unknown[0], "known are A1, A2,", "A12 and 2 more")
	})
}

// TestDecodeServiceToken: a type may ask for what CloudFormation sends along.
func TestDecodeServiceToken(t *testing.T) {
	type props struct {
		ServiceToken   string
		ServiceTimeout int
	}
	got := mustDecode[props](t, `{"ServiceToken":"arn","ServiceTimeout":"30"}`)
	if want := (props{"arn", 30}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestDecodeRequired: a property counts as absent if it is null; in a nested
// struct only if that is there.
func TestDecodeRequired(t *testing.T) {
	type auth struct {
		User string `cfn:"required"`
	}
	type props struct {
		Name   string  `cfn:"required"`
		Auth   auth    // not required itself
		Ptr    *auth   `cfn:"required"`
		Auths  []auth  `json:"auths"`
		ByName []*auth `cfn:"required"`
	}
	cases := []struct {
		name, raw string
		want      []string
	}{
		{"absent", `{}`, []string{"ByName", "Name", "Ptr"}},
		{"null", `{"Name":null,"Ptr":null,"ByName":null,"Auth":null}`, []string{"ByName", "Name", "Ptr"}},
		{"empty is there", `{"Name":"","Ptr":{"User":""},"ByName":[]}`, nil},
		{"bad is there", `{"Name":[],"Ptr":[],"ByName":"x"}`, nil},
		{"nested", `{"Name":"","Ptr":{},"ByName":[],"Auth":{},"auths":[{"User":"a"},{}]}`, []string{"Auth.User", "Ptr.User", "auths[1].User"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, r := decode[props](t, c.raw)
			if diff := cmp.Diff(c.want, paths(r.Required)); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
			for _, err := range r.Required {
				wantError(t, err, "is required, but absent: set it in the template")
			}
		})
	}
}

// TestDecodeDefault: a default stands for what is absent.
func TestDecodeDefault(t *testing.T) {
	type auth struct {
		User string `cfn:"default=admin"`
		Port int    `cfn:"default=22"`
	}
	type base struct {
		Region string `cfn:"default=here"`
	}
	type props struct {
		base
		*Embedded
		Text     string            `cfn:"default=a,b"`
		Empty    string            `cfn:"default="`
		Days     int               `cfn:"createOnly,default=14"`
		Ptr      *bool             `cfn:"default=true"`
		Wait     time.Duration     `cfn:"default=30s"`
		List     []int             `cfn:"default=[1,\"2\"]"`
		Map      map[string]string `cfn:"default={\"a\":1}"`
		Addr     netip.Addr        `cfn:"default=::1"`
		Port     port              `cfn:"default=80"`
		Raw      json.RawMessage   `cfn:"default={\"a\":1}"`
		Any      any               `cfn:"default=x"`
		Auth     auth
		Absent   struct{ *Embedded }
		AuthPtr  *auth
		AuthFull *auth `cfn:"default={\"User\":\"root\"}"`
		Auths    []auth
	}
	yes := true
	full := func() props {
		return props{
			base: base{"here"}, Text: "a,b", Days: 14, Ptr: &yes, Wait: 30 * time.Second,
			List: []int{1, 2}, Map: map[string]string{"a": "1"}, Addr: netip.IPv6Loopback(), Port: port{80},
			Raw: json.RawMessage(`{"a":1}`), Any: "x",
			Auth: auth{"admin", 22}, AuthFull: &auth{"root", 22},
		}
	}
	compare := cmp.Options{compareEvery, cmp.AllowUnexported(props{})}

	t.Run("absent", func(t *testing.T) {
		if diff := cmp.Diff(full(), mustDecode[props](t, `{}`), compare); diff != "" {
			t.Error("-want +got:\n" + diff)
		}
	})
	t.Run("null", func(t *testing.T) {
		if diff := cmp.Diff(full(), mustDecode[props](t, `{"Text":null,"Days":null,"List":null,"Auth":null,"AuthPtr":null}`), compare); diff != "" {
			t.Error("-want +got:\n" + diff)
		}
	})
	t.Run("there", func(t *testing.T) {
		want := full()
		want.Text, want.Days, want.Ptr, want.List = "", 0, new(bool), []int{}
		got := mustDecode[props](t, `{"Text":"","Days":"0","Ptr":"false","List":[]}`)
		if diff := cmp.Diff(want, got, compare); diff != "" {
			t.Error("-want +got:\n" + diff)
		}
	})
	t.Run("bad is zero, not the default", func(t *testing.T) {
		got, r := decode[props](t, `{"Days":"x"}`)
		if got.Days != 0 || len(r.Bad) != 1 {
			t.Errorf("Days = %d with %v", got.Days, r.Bad)
		}
	})
	t.Run("nested where the struct is there", func(t *testing.T) {
		want := full()
		want.Auth, want.AuthPtr, want.Auths = auth{"a", 22}, &auth{"admin", 22}, []auth{{"admin", 1}, {"admin", 22}}
		got := mustDecode[props](t, `{"Auth":{"User":"a"},"AuthPtr":{},"Auths":[{"Port":"1"},{}]}`)
		if diff := cmp.Diff(want, got, compare); diff != "" {
			t.Error("-want +got:\n" + diff)
		}
	})
	t.Run("not shared", func(t *testing.T) {
		s := mustSchema[props](t)
		var a, b props
		s.Decode(nil, &a)
		a.List[0], a.Map["a"], a.Raw[0] = 9, "9", '9'
		*a.Ptr = false
		s.Decode(nil, &b)
		if diff := cmp.Diff(full(), b, compare); diff != "" {
			t.Error("a handler changed the default: -want +got:\n" + diff)
		}
	})
}

type Embedded struct {
	Deep string `cfn:"default=not through nil"`
}

// TestDecodeMap: a map takes all properties.
func TestDecodeMap(t *testing.T) {
	got := mustDecode[map[string]any](t, `{"ServiceToken":"arn","ServiceTimeout":"1","a":"1","b":["x"],"c":null}`)
	if diff := cmp.Diff(map[string]any{"a": "1", "b": []any{"x"}}, got); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if got := mustDecode[map[named]int](t, `{"a":"1"}`); got["a"] != 1 {
		t.Errorf("got %v", got)
	}
	if got, r := decode[map[string]int](t, `{"a":"x","b":"1"}`); got["b"] != 1 || len(got) != 1 || len(r.Bad) != 1 {
		t.Errorf("got %v, %v", got, r.Bad)
	}
	if got, r := decode[map[string]int](t, ``); got == nil || !r.Missing {
		t.Errorf("got %v, %+v", got, r)
	}
}

// TestDecodeUnresolved: CloudFormation sends some dynamic references as text.
func TestDecodeUnresolved(t *testing.T) {
	type props struct {
		Password string
		Port     int
		List     []string
		Map      map[string]string
		Any      any
	}
	_, r := decode[props](t, `{"ServiceToken":"{{resolve:no:matter}}","Password":"{{resolve:secretsmanager:db:SecretString}}","Port":"{{resolve:ssm-secure:p:1}}",
		"List":["a","{{resolve:a}}"," {{resolve:in the middle}}"],"Map":{"k":"\u007b{resolve:b}}"},"Any":[{"x":"{{resolve:c}}"}]}`)
	want := []string{"Any[0].x", "List[1]", "List[2]", "Map.k", "Password", "Port"}
	if diff := cmp.Diff(want, paths(r.Unresolved)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if _, r := decode[props](t, `{"Password":"\u007b{\u0072esolve:a}}"}`); len(r.Unresolved) != 1 {
		t.Errorf("written with escapes: got %v", r.Unresolved)
	}
	wantError(t, r.Unresolved[4], "Password: ", "pass the secret's ARN")
	if diff := cmp.Diff([]string{"Port"}, paths(r.Bad)); diff != "" {
		t.Error("Bad: -want +got:\n" + diff)
	}
}

// TestDecodeOwnGetsCopy: a type's own reader may change what it gets.
func TestDecodeOwnGetsCopy(t *testing.T) {
	raw := json.RawMessage(`{"A":"abc"}`)
	var p struct{ A scribble }
	mustSchema[struct{ A scribble }](t).Decode(raw, &p)
	if string(raw) != `{"A":"abc"}` {
		t.Errorf("the event was changed: %s", raw)
	}
}

type scribble struct{}

func (*scribble) UnmarshalText(b []byte) error {
	clear(b)
	return nil
}

// TestDecodeInto: no mistake of the caller makes it panic.
func TestDecodeInto(t *testing.T) {
	s := mustSchema[every](t)
	for _, into := range []any{nil, every{}, (*every)(nil), new(int), new(*every)} {
		if r := s.Decode(json.RawMessage(`{}`), into); !r.Missing || len(r.Bad) != 1 {
			t.Errorf("%T: %+v", into, r)
		}
	}
}

// TestFieldRules: names and embedding are encoding/json's, so the same text
// goes to the same fields.
func TestFieldRules(t *testing.T) {
	type A struct{ X, OnlyA, Tagged string }
	type B struct {
		X      string
		OnlyB  string
		Hidden string `json:"Tagged"`
	}
	type inner struct{ Promoted string }
	type Ptr struct{ ViaPtr string }
	type Named struct{ In string }
	type Text string
	type rules struct {
		A
		B
		inner
		*Ptr
		Named   `json:"named"`
		Text    // embedded, but no struct
		Own     string
		Renamed string `json:"other,omitempty"`
		Dash    string `json:"-,"`
		Skipped string `json:"-"`
		Quoted  int    `json:",string"`
		private string //nolint:unused // is not read
		Both    string
		BOTH    string
	}
	raw := `{"X":"1","OnlyA":"2","OnlyB":"3","Tagged":"4","Promoted":"5","ViaPtr":"6","named":{"In":"7"},"Text":"8","Own":"9",
		"other":"10","-":"11","Skipped":"12","private":"14","Quoted":"15","OWN":"16","BOTH":"17","both":"18","Both":"19"}`
	var want rules
	if err := json.Unmarshal([]byte(strings.Replace(raw, `"OWN":"16",`, "", 1)), &want); err != nil {
		t.Fatal(err)
	}
	want.Both = "19" // not the one before it that only matches without regard to case
	got, r := decode[rules](t, raw)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(rules{})); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if diff := cmp.Diff([]string{"OWN", "Skipped", "X", "both", "private"}, paths(r.Unknown)); diff != "" {
		t.Error("Unknown: -want +got:\n" + diff)
	}
	if got, _ := decode[rules](t, `{}`); got.Ptr != nil {
		t.Error("an embedded pointer is made only for a field in it")
	}
}

// TestFieldsOfRecursion: a struct may embed a pointer to itself.
func TestFieldsOfRecursion(t *testing.T) {
	if got := mustDecode[Loop](t, `{"A":"a"}`); got.A != "a" || got.Loop != nil {
		t.Errorf("got %+v", got)
	}
}

type Loop struct {
	*Loop
	A string
}

// TestFieldsAgree: the fields that a type has are those that encoding/json writes.
func TestFieldsAgree(t *testing.T) {
	type L3 struct{ A, B, C string }
	type L2a struct {
		L3
		B string
	}
	type L2b struct {
		L3
		C string `json:"c2"`
	}
	type T1 struct {
		L2a
		L2b
	}
	type T2 struct {
		L3
		L2a
		C string
	}
	type E1 struct{ X string }
	type E2 struct{ X, Y string }
	type T3 struct {
		E1
		E2
	}
	type T4 struct {
		T3
		X string
		Y string `json:"Y"`
	}
	for _, v := range []any{T1{}, T2{}, T3{}, T4{}} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var names map[string]any
		if err := json.Unmarshal(raw, &names); err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		fields, _ := fieldsOf(reflect.TypeOf(v))
		for _, f := range fields {
			got[f.name] = ""
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("%T: -encoding/json +ours:\n%s", v, diff)
		}
	}
}
