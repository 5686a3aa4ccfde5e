package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// fuzzed is every kind of property with every tag.
type fuzzed struct {
	every
	ID      string   `cfn:"createOnly"`
	Where   point    `cfn:"createOnly"`
	Raws    []upper  `cfn:"createOnly"`
	Must    string   `cfn:"required"`
	Days    int8     `cfn:"default=14"`
	Login   login    `json:"login"`
	Logins  []*login `json:"logins"`
	Hidden  redacted `cfn:"secret"`
	Keyless map[string]login
}

// FuzzDecode: whatever comes, nothing panics and no error holds a value.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"ServiceToken":"arn:aws:lambda"}`,
		`{"Bool":"TRUE","Int":"14","Int8":"1e2","Uint64":"-1","Float64":"0.5","Text":1.50,"Duration":"30s","Time":"tomorrow1"}`,
		`{"Addr":"10.0.0.1","Big":"123456789","Port":"80x","Bytes":"aGkhaGkh","Any":[null,1e999,{"a":"secret1"}],"Raw":{"b": 1},"Number":"1e-7"}`,
		`{"List":["1","two-two",null],"Array":[1,2,3],"Map":{"k":"value-1"},"ByInt":{"x":"1"},"ByText":{"a":"1"},"Structs":[{"A":"1"},"wrong-kind"]}`,
		`{"Chain":{"Name":"a","Next":{"Kids":[{"Map":{"k":{"Nmae":"typo-value"}}}]}}}`,
		`{"ID":"{{resolve:ssm:x}}","Where":{"X":"1"},"Raws":["unwritable","unspeakable","panic","refuse"],"login":{"Password":"hunter2hunter2"}}`,
		`{"Days":"3000000","id":"\u0041\ud800","ID":"b","logins":[{"Password":["p4ssw0rd"]}],"Hidden":{},"Keyless":"s3cr3tive"}`,
	} {
		f.Add([]byte(seed))
	}
	s := mustSchema[fuzzed](f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var p fuzzed
		r := s.Decode(raw, &p)
		secrets := s.Secrets(raw, &p)
		id := s.Identity(p)
		if id != s.Identity(&p) || !json.Valid([]byte(id)) {
			t.Errorf("identity %q", id)
		}
		if s.IdentityReadable(r) && !json.Valid(raw) {
			t.Error("an identity was read from what is no JSON")
		}
		for _, secret := range secrets {
			if secret == "" {
				t.Error("the empty string is no secret")
			}
		}
		again := fuzzed{}
		if diff := cmp.Diff(texts(r.all()), texts(s.Decode(raw, &again).all())); diff != "" {
			t.Errorf("decoded twice: %s", diff)
		}
		if again := s.Identity(again); again != id {
			t.Errorf("decoded twice, the identity is %s and %s", id, again)
		}

		// A part of an event is read as it is alone.
		var part Member
		event := fmt.Appendf(nil, `{"before":[{"a":1}],"part": %s ,"after":0}`, raw)
		if json.Valid(raw) && Members(event, func(name []byte, m Member) {
			if string(name) == "part" {
				part = m
			}
		}) {
			again := fuzzed{}
			if diff := cmp.Diff(texts(r.all()), texts(s.DecodeMember(part, &again).all())); diff != "" {
				t.Errorf("decoded as a part: %s", diff)
			}
			if again := s.Identity(again); again != id {
				t.Errorf("decoded as a part, the identity is %s and %s", id, again)
			}
			if diff := cmp.Diff(secrets, s.MemberSecrets(part, &again)); diff != "" {
				t.Errorf("secrets of a part: %s", diff)
			}
		}

		if marked, ok := mark(raw); ok {
			for _, err := range s.Decode(marked, &p).all() {
				if strings.Contains(err.Err.Error(), marker) {
					t.Errorf("the value is in %q", err)
				}
			}
			for _, secret := range s.Secrets(marked, &p) {
				if strings.HasPrefix(secret, marker) && !strings.HasSuffix(secret, marker) {
					t.Errorf("a part of a secret: %q", secret)
				}
			}
		}
		// Nor as it came: this sees numbers, which a marker makes text of.
		for _, err := range r.all() {
			words := vocabulary.Replace(err.Err.Error())
			for _, leaf := range leaves(raw) {
				if len(leaf) >= 6 && strings.ContainsAny(leaf, "0123456789") && strings.Contains(words, leaf) {
					t.Errorf("the value is in %q", err)
				}
			}
		}
	})
}

const marker = "zq7x"

// vocabulary takes out of an error's words those that have digits: they may be a value by chance.
var vocabulary = strings.NewReplacer(
	"18446744073709551615", "", "-9223372036854775808", "", "9223372036854775807", "", "-2147483648", "", "2147483647", "",
	"4294967295", "", "-32768", "", "32767", "", "65535", "", "2006-01-02T15:04:05Z", "", "base64", "",
	"Float64", "", "Float32", "", "float64", "", "float32", "", "Int64", "", "Int32", "", "Int16", "", "Uint64", "", "Uint32", "", "Uint16", "",
)

// mark puts a marker around every string, so that a leak can be told from the words of an error.
func mark(raw []byte) ([]byte, bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil, false
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return marker + v + marker
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	marked, err := json.Marshal(walk(v))
	return marked, err == nil
}

func leaves(raw []byte) []string {
	c := collector{}
	if doc, err := parseDocument(raw); err == nil {
		c.addScalars(doc, 0)
	}
	return c.sorted()
}

type roundTrip struct {
	Bool   bool
	Int    int64
	Small  int8
	Uint   uint64
	Float  float64
	Float4 float32
	Text   string
	Bytes  []byte
	Number json.Number
	Upper  upper
	Port   port
	Ptr    *string
	Nested struct {
		List   []int64
		Texts  []string
		Floats map[string]float64
		ByInt  map[int64]bool
	}
	Kids []*roundTrip
}

// FuzzRoundTrip: what a template says arrives in the handler, though
// CloudFormation makes strings of it.
func FuzzRoundTrip(f *testing.F) {
	f.Add(true, int64(14), uint64(1<<64-1), 0.1, "a\"b", []byte("hi"), "k")
	f.Add(false, int64(-1<<63), uint64(0), 1e300, "", []byte{}, "")
	f.Add(false, int64(1<<53+1), uint64(1), -1e-300, "true", []byte(nil), "0123")
	s := mustSchema[roundTrip](f)
	f.Fuzz(func(t *testing.T, b bool, i int64, u uint64, fl float64, text string, bytes []byte, key string) {
		if fl != fl || fl-fl != 0 || !utf8.ValidString(text) || !utf8.ValidString(key) {
			t.Skip("JSON has no NaN, no infinity and no invalid UTF-8")
		}
		number, _ := json.Marshal(fl)
		kid := roundTrip{
			Bool: b, Int: i, Small: int8(i), Uint: u, Float: fl, Float4: float32(u), Text: text, Bytes: bytes,
			Number: json.Number(number), Upper: upper{"A"}, Port: port{int(i >> 16)}, Ptr: &key,
		}
		kid.Nested.List = []int64{i, -1, i}
		kid.Nested.Texts = []string{text, key}
		kid.Nested.Floats = map[string]float64{key: fl, text: 1}
		kid.Nested.ByInt = map[int64]bool{i: b, 0: true}
		want := roundTrip{Text: key, Number: "0", Kids: []*roundTrip{&kid, {Number: "1", Text: text}}}

		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := json.Marshal(parsed)
		if err != nil {
			t.Fatal(err)
		}
		var got roundTrip
		for _, err := range s.Decode(sent, &got).all() {
			if !strings.Contains(err.Error(), "{{resolve:") {
				t.Errorf("%v in %s", err, sent)
			}
		}
		if !reflect.DeepEqual(want, got) {
			t.Error("-want +got:\n" + cmp.Diff(want, got, cmp.AllowUnexported(upper{}, port{})))
		}
		var native roundTrip
		s.Decode(raw, &native)
		if !reflect.DeepEqual(want, native) {
			t.Error("native types: -want +got:\n" + cmp.Diff(want, native, cmp.AllowUnexported(upper{}, port{})))
		}
	})
}

// Identities are made of these texts, and are fixed for ever: the short way writes what
// encoding/json writes.
func FuzzAppendText(f *testing.F) {
	for _, s := range []string{"", "plain ~", `a"b`, `a\b`, "<&>", "é", "\u2028", "\x7f", "\x00", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(appendText(nil, s)), string(appendJSON(nil, s)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// FuzzDocument: what is read is what encoding/json takes, and its index leads to the values.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `{}`, `[]`, ` [ 1 , {"a" : -0.5e+10, "b":[true,false,null]} ] `, `"\u00e9\n\"\/"`, `"é\ud800"`, "\"\xff\"",
		`[,]`, `[1,]`, `[1 2]`, `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":1 "b":2}`, `{1:2}`, `[1`, `{"a":`, `[}`, `]`, `1 2`, `{} {}`,
		`01`, `-`, `[-]`, `1.`, `.5`, `1e`, `1E+`, `+1`, `-0`, `0x1`, `tru`, `[truee]`, `nul`, `NaN`,
		`"`, `"a"b"`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\x7f\"", "\ufeff1", `'a'`, "[1]\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := parseDocument(raw)
		if valid := json.Valid(raw); valid != (err == nil) {
			t.Fatalf("encoding/json takes it: %t, and here: %v", valid, err)
		}
		if err != nil {
			return
		}
		var want any
		decoder := json.NewDecoder(strings.NewReader(string(raw)))
		decoder.UseNumber()
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := decodedTree(doc, 0); !reflect.DeepEqual(want, got) {
			t.Error("-want +got:\n" + cmp.Diff(want, got))
		}
	})
}

// decodedTree returns a value as encoding/json decodes it.
func decodedTree(d *document, n int) any {
	switch d.kind(n) {
	case null:
		return nil
	case boolean:
		return d.text(n) == "true"
	case number:
		return json.Number(d.text(n))
	case text:
		return d.text(n)
	case list:
		all := []any{}
		for _, value := range d.elements(n) {
			all = append(all, decodedTree(d, value))
		}
		return all
	}
	all := map[string]any{}
	for name, value := range d.members(n) {
		all[d.text(name)] = decodedTree(d, value)
	}
	return all
}
