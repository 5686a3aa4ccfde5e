package properties

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// identities is every kind of createOnly property.
type identities struct {
	Bool     bool            `cfn:"createOnly"`
	Int      int             `cfn:"createOnly"`
	Uint     uint8           `cfn:"createOnly"`
	Float    float64         `cfn:"createOnly"`
	Float32  float32         `cfn:"createOnly"`
	Text     string          `cfn:"createOnly"`
	Wait     time.Duration   `cfn:"createOnly"`
	Time     time.Time       `cfn:"createOnly"`
	Addr     netip.Addr      `cfn:"createOnly"`
	Big      big.Int         `cfn:"createOnly"`
	Upper    upper           `cfn:"createOnly"`
	Port     port            `cfn:"createOnly"`
	Bytes    []byte          `cfn:"createOnly"`
	Any      any             `cfn:"createOnly"`
	Raw      json.RawMessage `cfn:"createOnly"`
	Number   json.Number     `cfn:"createOnly"`
	Ptr      *int            `cfn:"createOnly"`
	List     []float64       `cfn:"createOnly"`
	Array    [2]int          `cfn:"createOnly"`
	Map      map[string]int  `cfn:"createOnly"`
	ByInt    map[int]bool    `cfn:"createOnly"`
	ByUint   map[uint]int    `cfn:"createOnly"`
	ByText   map[upper]int   `cfn:"createOnly"`
	Lists    [][]*int        `cfn:"createOnly"`
	Lazy     lazy            `cfn:"createOnly"`
	Struct   *point          `cfn:"createOnly"`
	Outer    outer           `cfn:"createOnly"`
	ByValue  point           `cfn:"createOnly"`
	Points   []point         `cfn:"createOnly"`
	Renamed  string          `json:"name" cfn:"createOnly"`
	Nested   struct{ In deep }
	PtrTo    *deep
	Default  int `cfn:"createOnly,default=14"`
	NotPart  string
	Password string `cfn:"secret"`
	*Optional
}

type Optional struct {
	Maybe string `cfn:"createOnly"`
}

type outer struct {
	ID string `cfn:"createOnly"` // again: it is a part of Outer
}

// lazy has more than one form of zero.
type lazy struct{ n *int }

func (l *lazy) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(string(b))
	l.n = &n
	return err
}

func (l lazy) MarshalText() ([]byte, error) {
	if l.n == nil {
		return []byte("0"), nil
	}
	return strconv.AppendInt(nil, int64(*l.n), 10), nil
}

type deep struct {
	ID    string `cfn:"createOnly"`
	Other string
}

type point struct {
	Y, X int
	Tags []string `json:"tags,omitempty"`
}

// TestIdentityVectors pins the text of identities. Physical IDs are made of it: a change here
// replaces the resources of every user. Never change a vector; a new kind of property may add one.
func TestIdentityVectors(t *testing.T) {
	vectors := []struct{ name, raw, want string }{
		{"nothing but the default", `{}`, `{"Default":14}`},
		{"bool", `{"Bool":"true"}`, `{"Bool":true,"Default":14}`},
		{"int", `{"Int":"-14"}`, `{"Default":14,"Int":-14}`},
		{"uint", `{"Uint":"255"}`, `{"Default":14,"Uint":255}`},
		{"float", `{"Float":"1.50"}`, `{"Default":14,"Float":1.5}`},
		{"big float", `{"Float":"1e21"}`, `{"Default":14,"Float":1e+21}`},
		{"small float", `{"Float":"0.0000001"}`, `{"Default":14,"Float":1e-7}`},
		{"float32", `{"Float32":"0.1"}`, `{"Default":14,"Float32":0.1}`},
		{"string", `{"Text":"a \"<é>\""}`, `{"Default":14,"Text":"a \"\u003cé\u003e\""}`},
		{"duration", `{"Wait":"90s"}`, `{"Default":14,"Wait":90000000000}`},
		{"time", `{"Time":"2026-01-02T03:04:05+00:00"}`, `{"Default":14,"Time":"2026-01-02T03:04:05Z"}`},
		{"MarshalText", `{"Addr":"2001:0DB8::1"}`, `{"Addr":"2001:db8::1","Default":14}`},
		{"MarshalJSON of a big number", `{"Big":"123"}`, `{"Big":"123","Default":14}`},
		{"MarshalText of our own", `{"Upper":"AbC"}`, `{"Default":14,"Upper":"abc"}`},
		{"MarshalJSON", `{"Port":80}`, `{"Default":14,"Port":"80"}`},
		{"bytes", `{"Bytes":"aGk="}`, `{"Bytes":"aGk=","Default":14}`},
		{"any", `{"Any":{"b":1.0,"a":[true,"x",null]}}`, `{"Any":{"a":["true","x"],"b":"1"},"Default":14}`},
		{"RawMessage", `{"Raw":{"b":"1", "a":[true]}}`, `{"Default":14,"Raw":{"a":["true"],"b":"1"}}`},
		{"Number", `{"Number":"-1200.0"}`, `{"Default":14,"Number":-12e2}`},
		{"pointer", `{"Ptr":"1"}`, `{"Default":14,"Ptr":1}`},
		{"pointer to zero is not absent", `{"Ptr":"0"}`, `{"Default":14,"Ptr":0}`},
		{"list", `{"List":["1.0","2"]}`, `{"Default":14,"List":[1,2]}`},
		{"array", `{"Array":["1"]}`, `{"Array":[1,0],"Default":14}`},
		{"map", `{"Map":{"b":"1","a":"0"}}`, `{"Default":14,"Map":{"a":0,"b":1}}`},
		{"map by int, in the order of the text", `{"ByInt":{"10":"true","9":"false"}}`, `{"ByInt":{"10":true,"9":false},"Default":14}`},
		{"map by uint", `{"ByUint":{"1":"2"}}`, `{"ByUint":{"1":2},"Default":14}`},
		{"map by text", `{"ByText":{"b":"1","A":"2"}}`, `{"ByText":{"a":2,"b":1},"Default":14}`},
		{"lists in a list", `{"Lists":[["1"],[],["0"]]}`, `{"Default":14,"Lists":[[1],[],[0]]}`},
		{"in an embedded pointer", `{"Maybe":"a"}`, `{"Default":14,"Maybe":"a"}`},
		{"struct, its zero fields left out", `{"Struct":{"Y":"2","X":"1","tags":["a"]}}`, `{"Default":14,"Struct":{"X":1,"Y":2,"tags":["a"]}}`},
		{"pointer to a zero struct is not absent", `{"Struct":{}}`, `{"Default":14,"Struct":{}}`},
		{"struct by value", `{"ByValue":{"X":"1","tags":[]}}`, `{"ByValue":{"X":1},"Default":14}`},
		{"structs in a list", `{"Points":[{"X":"1"},{}]}`, `{"Default":14,"Points":[{"X":1},{}]}`},
		{"the property's name, not the field's", `{"Name":"a"}`, `{"Default":14,"name":"a"}`},
		{"a type with several forms of zero", `{"Lazy":"1"}`, `{"Default":14,"Lazy":"1"}`},
		{"createOnly within createOnly", `{"Outer":{"ID":"a"}}`, `{"Default":14,"Outer":{"ID":"a"}}`},
		{"nested", `{"Nested":{"In":{"ID":"a","Other":"b"}}}`, `{"Default":14,"Nested.In.ID":"a"}`},
		{"through a pointer", `{"PtrTo":{"ID":"a"}}`, `{"Default":14,"PtrTo.ID":"a"}`},
		{"a default of zero again", `{"Default":"0"}`, `{}`},
		{"what does not count", `{"NotPart":"a","Password":"b","Unknown":"c","ServiceToken":"d"}`, `{"Default":14}`},
		{"several", `{"name":"n","Text":"t","Bool":true}`, `{"Bool":true,"Default":14,"Text":"t","name":"n"}`},
	}
	s := mustSchema[identities](t)
	for _, c := range vectors {
		t.Run(c.name, func(t *testing.T) {
			var p identities
			if r := s.Decode(json.RawMessage(c.raw), &p); len(r.Bad) > 0 {
				t.Fatal(r.Bad)
			}
			if got := s.Identity(p); got != c.want {
				t.Errorf("of a value: got %s, want %s", got, c.want)
			}
			if got := s.Identity(&p); got != c.want {
				t.Errorf("of a pointer: got %s, want %s", got, c.want)
			}
			if !json.Valid([]byte(c.want)) {
				t.Error("not JSON")
			}
		})
	}
}

// TestIdentitySame: the same properties, written differently, are the same
// resource. Any difference would be an accidental replacement.
func TestIdentitySame(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"number formats", `{"Float":"1.0","Int":"1e3","Number":"1.0"}`, `{"Float":"1","Int":"1000","Number":"1"}`},
		{"native types", `{"Float":1,"Bool":true,"Int":1}`, `{"Float":"1","Bool":"true","Int":"1"}`},
		{"native types in what is kept as JSON", `{"Any":{"a":1,"b":true},"Raw":[1]}`, `{"Any":{"a":"1","b":"true"},"Raw":["1"]}`},
		{"case of booleans", `{"Bool":"True"}`, `{"Bool":"true"}`},
		{"false or left out", `{"Bool":"false"}`, `{}`},
		{"the default written out", `{"Default":"14"}`, `{}`},
		{"zero written out", `{"Int":"0","Float":"-0","Text":"","Number":"","Wait":"0s","Big":"0","Lazy":"00"}`, `{}`},
		{"empty lists and maps", `{"List":[],"Map":{},"Bytes":"","ByValue":{"tags":[]},"Array":[]}`, `{}`},
		{"minus zero", `{"List":["-0"]}`, `{"List":["0"]}`},
		{"order of members", `{"Map":{"a":"1","b":"2"},"Text":"x"}`, `{"Text":"x","Map":{"b":"2","a":"1"}}`},
		{"white space", `{"Raw":{"a": "1" , "b":[ ]}}`, `{"Raw":{"b":[],"a":"1"}}`},
		{"case of names", `{"TEXT":"a"}`, `{"Text":"a"}`},
		{"durations", `{"Wait":"90s"}`, `{"Wait":"1m30s"}`},
		{"text forms of a type", `{"Addr":"2001:DB8:0::1"}`, `{"Addr":"2001:db8::1"}`},
		{"null", `{"Text":null,"List":[null,"1"]}`, `{"List":["1"]}`},
		{"what CloudFormation adds", `{"ServiceToken":"a","ServiceTimeout":"1"}`, `{}`},
		{"an absent struct and one without anything", `{"PtrTo":{},"Nested":{}}`, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustSchema[identities](t)
			var a, b identities
			s.Decode(json.RawMessage(c.a), &a)
			s.Decode(json.RawMessage(c.b), &b)
			if x, y := s.Identity(a), s.Identity(b); x != y {
				t.Errorf("%s is not %s", x, y)
			}
		})
	}
}

// TestIdentityOther: different properties are different resources.
func TestIdentityOther(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"text", `{"Text":"a"}`, `{"Text":"b"}`},
		{"leading zeros in text", `{"Text":"01"}`, `{"Text":"1"}`},
		{"which property", `{"Text":"a"}`, `{"name":"a"}`},
		{"order of a list", `{"List":["1","2"]}`, `{"List":["2","1"]}`},
		{"nesting", `{"Nested":{"In":{"ID":"a"}}}`, `{"PtrTo":{"ID":"a"}}`},
		{"a key with an empty value", `{"Map":{"a":"0"}}`, `{}`},
		{"numbers beyond float64", `{"Number":"9007199254740993"}`, `{"Number":"9007199254740992"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustSchema[identities](t)
			var a, b identities
			s.Decode(json.RawMessage(c.a), &a)
			s.Decode(json.RawMessage(c.b), &b)
			if x, y := s.Identity(a), s.Identity(b); x == y {
				t.Errorf("both are %s", x)
			}
		})
	}
}

// TestIdentityEvolves: types grow; what exists keeps its identity.
func TestIdentityEvolves(t *testing.T) {
	type v1 struct {
		B struct{ X int } `cfn:"createOnly"`
		C string          `cfn:"createOnly"`
	}
	type v2 struct { // fields in another order, new ones
		New string `cfn:"createOnly"`
		C   string `cfn:"createOnly"`
		B   struct {
			New []string `json:"new"`
			X   int
		} `cfn:"createOnly"`
	}
	raw := `{"B":{"X":"1"},"C":"c"}`
	a, b := mustDecode[v1](t, raw), mustDecode[v2](t, raw)
	x, y := mustSchema[v1](t).Identity(a), mustSchema[v2](t).Identity(b)
	if x != y || x != `{"B":{"X":1},"C":"c"}` {
		t.Errorf("%s became %s", x, y)
	}
}

// TestIdentityNone: without createOnly properties there is no identity.
func TestIdentityNone(t *testing.T) {
	if got := mustSchema[struct{ A int }](t).Identity(struct{ A int }{1}); got != "" {
		t.Errorf("struct: got %q", got)
	}
	if got := mustSchema[map[string]string](t).Identity(map[string]string{"a": "b"}); got != "" {
		t.Errorf("map: got %q", got)
	}
}

// TestIdentityTotal: Identity answers whatever it is asked with.
func TestIdentityTotal(t *testing.T) {
	s := mustSchema[identities](t)
	for _, v := range []any{nil, (*identities)(nil), 1, "x", &struct{}{}} {
		if got := s.Identity(v); got != "{}" {
			t.Errorf("%T: got %s", v, got)
		}
	}
	for _, v := range []identities{
		{Upper: upper{"UNWRITABLE"}}, {Upper: upper{"UNSPEAKABLE"}}, {Any: make(chan int)}, {Any: math.NaN()}, {Raw: json.RawMessage("{")},
	} {
		if got := s.Identity(v); !json.Valid([]byte(got)) || len(got) < len(`{"Any":null}`) {
			t.Errorf("got %s", got)
		}
	}
	for name, v := range map[string]identities{
		`{"ByText":null}`:           {ByText: map[upper]int{{"UNWRITABLE"}: 1}},
		`{"ByText":null} `:          {ByText: map[upper]int{{"a"}: 1, {"A"}: 2}},
		`{"Lists":[[null]]}`:        {Lists: [][]*int{{nil}}},
		`{"Number":"not a number"}`: {Number: "not a number"},
	} {
		if got := s.Identity(v); got != strings.TrimSpace(name) {
			t.Errorf("got %s, want %s", got, name)
		}
	}
	if got := s.Identity(identities{Float: math.Copysign(0, -1)}); got != "{}" {
		t.Errorf("minus zero: got %s", got)
	}
}
