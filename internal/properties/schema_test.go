package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

type selfPointer *selfPointer

type selfList []selfList

type tagged struct {
	A string `cfn:"secret"`
}

func (*tagged) UnmarshalText([]byte) error { return nil }

type readOnly struct{ s string }

func (r *readOnly) UnmarshalText(b []byte) error { r.s = string(b); return nil }

type lower struct {
	A string `cfn:"required"`
}

// TestSchemaErrors: a mistake in a type is said before the first event, with
// type, field and what to write.
func TestSchemaErrors(t *testing.T) {
	type node struct {
		Name string `cfn:"createOnly"`
		Next *node
	}
	type rule struct {
		Port int `cfn:"createOnly"`
	}
	type cred struct {
		User     string
		Password string `cfn:"secret"`
	}
	type key struct {
		ID string `cfn:"createOnly"`
	}
	type loop struct {
		Loop *loop `cfn:"default={}"`
	}
	type deflt struct {
		Port int `cfn:"required"`
	}
	cases := []struct {
		name string
		v    any
		want []string
	}{
		{"scalar", "", []string{"string is neither"}},
		{"pointer", &struct{}{}, []string{"*struct {} is neither"}},
		{"map by int", map[int]string{}, []string{"map[int]string is neither"}},
		{"a type that reads itself", time.Time{}, []string{"time.Time has an UnmarshalJSON or UnmarshalText method"}},
		{"a type that reads itself by embedding", struct{ time.Time }{}, []string{"own or embedded", "to the type of a property"}},

		{"channel", struct{ Done chan int }{}, []string{".Done: no property can be read into a chan (chan int)", `json:"-"`}},
		{"func in a list in a map", struct{ M map[string][]func() }{}, []string{".M: no property can be read into a func (func())"}},
		{"complex", map[string]complex128{}, []string{"map[string]complex128: no property can be read into a complex128"}},
		{"interface", struct{ E fmt.Stringer }{}, []string{".E: no property can be read into the interface fmt.Stringer: write any, or a concrete type"}},
		{"keys", struct{ M map[float64]int }{}, []string{".M: the keys of map[float64]int cannot be property names"}},
		{"pointer to itself", struct{ P selfPointer }{}, []string{".P: properties.selfPointer points to itself"}},
		{"embedded pointer that cannot be made", struct{ *lower }{}, []string{"properties.lower.A: it is in the embedded *properties.lower, which cannot be made: embed properties.lower by value, or export it"}},
		{"embedded struct with a name that is not exported", struct {
			lower `json:"lower"`
		}{}, []string{".lower: it is not exported"}},

		{"unknown word", struct {
			A string `cfn:"createonly"`
		}{}, []string{`.A: "createonly" in the cfn tag is not known: write createOnly, required, secret, reference or default=…`}},
		{"comma at the end", struct {
			A string `cfn:"required,"`
		}{}, []string{".A: the cfn tag ends in a comma"}},
		{"malformed", map[string]any{"": reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[string](), Tag: `cfn: "secret"`}})}, []string{".A: the cfn tag is malformed", "without a space"}},
		{"reference on what is no text", struct {
			A int            `cfn:"reference"`
			B []byte         `cfn:"reference"`
			C any            `cfn:"reference"`
			D map[string]int `cfn:"reference"`
			E cred           `cfn:"reference"`
			F selfList       `cfn:"reference"`
		}{}, []string{".A: reference in the cfn tag is for a string", ".B: ", ".C: ", ".D: ", ".E: ", ".F: "}},
		{"createOnly and reference", struct {
			A string `cfn:"createOnly,reference"`
			B struct {
				C []string `cfn:"reference"`
			} `cfn:"createOnly"`
		}{}, []string{".A: a property cannot be both createOnly and reference", ".B: "}},
		{"required and default", struct {
			A string `cfn:"required,default=x"`
		}{}, []string{".A: a required property needs no default"}},
		{"tag on a field that is not exported", struct {
			a string `cfn:"secret"`
		}{}, []string{".a: the cfn tag has no effect, since it is not exported: write its name with a capital letter"}},
		{"tag on a field that is left out", struct {
			A string `json:"-" cfn:"secret"`
		}{}, []string{".A: the cfn tag has no effect, since json:\"-\" leaves it out"}},
		{"tag on an embedded struct", struct {
			cred `cfn:"secret"`
		}{}, []string{".cred: the cfn tag has no effect, since it is embedded"}},
		{"tag in a type that reads itself", struct{ T tagged }{}, []string{"properties.tagged.A: the cfn tag has no effect in a type with an UnmarshalJSON or UnmarshalText method: tag the property"}},

		{"default that does not fit", struct {
			Days int `cfn:"default=many"`
		}{}, []string{".Days: the default does not fit: Days: a whole number was expected"}},
		{"default out of range", struct {
			Days int8 `cfn:"default=128"`
		}{}, []string{"the default does not fit: Days: the number does not fit: -128 to 127"}},
		{"default of a duration without a unit", struct {
			Wait time.Duration `cfn:"default=30"`
		}{}, []string{"write 30s"}},
		{"empty default of a number", struct {
			Days int `cfn:"default="`
		}{}, []string{".Days: the default does not fit: Days: a whole number was expected, but an empty string came"}},
		{"default of a list that is not JSON", struct {
			L []string `cfn:"default=a,b"`
		}{}, []string{".L: the default is not valid JSON: write a list as in a template, as in default=[\"a\",\"b\"]"}},
		{"default of a list that is an object", struct {
			L *[]string `cfn:"default={}"`
		}{}, []string{"L: a list was expected, but an object came"}},
		{"default null", struct {
			L []string `cfn:"default=null"`
		}{}, []string{".L: the default is null"}},
		{"default with an unknown field", struct {
			R rule `cfn:"default={\"Prt\":1}"`
		}{}, []string{`R.Prt: is not a known property: did you mean "Port"?`}},
		{"default without what is required", struct {
			R deflt `cfn:"default={}"`
		}{}, []string{`R.Port: is required`}},
		{"default in a type that contains itself", loop{}, []string{"properties.loop.Loop: a property that can hold another properties.loop cannot have a default"}},

		{"createOnly below a list", struct{ R []rule }{}, []string{"properties.rule.Port: createOnly below a list or map"}},
		{"createOnly below an array", struct{ R [2]rule }{}, []string{"createOnly below a list or map"}},
		{"createOnly below a map", struct{ R map[string]*rule }{}, []string{"createOnly below a list or map"}},
		{"createOnly below P that is a map", map[string]rule{}, []string{"createOnly below a list or map"}},
		{"createOnly and secret", struct {
			A string `cfn:"createOnly,secret"`
		}{}, []string{".A: a property cannot be both createOnly and secret"}},
		{"createOnly with a secret in it", struct {
			C cred `cfn:"createOnly"`
		}{}, []string{".C: a property cannot be both createOnly and secret"}},
		{"createOnly with a secret in a list in it", struct {
			C []*cred `cfn:"createOnly"`
		}{}, []string{".C: a property cannot be both createOnly and secret"}},
		{"createOnly in a secret", struct {
			K key `cfn:"secret"`
		}{}, []string{"properties.key.ID: a property cannot be both createOnly and secret"}},
		{"createOnly in a type that contains itself", node{}, []string{"properties.node.Name: createOnly in a type that contains itself"}},
		{"two createOnly of one path", struct {
			A string `json:"K.ID" cfn:"createOnly"`
			K key
		}{}, []string{`two createOnly properties cannot both be "K.ID"`}},
		{"createOnly that cannot be written", struct {
			R readOnly `cfn:"createOnly"`
		}{}, []string{".R: a createOnly property is written as well as read: give the type that reads itself in it a MarshalText or MarshalJSON method"}},

		{"createOnly with keys that cannot be written", struct {
			M map[readOnly]int `cfn:"createOnly"`
		}{}, []string{".M: a createOnly property is written as well as read"}},
		{"default of a map that is not JSON", struct {
			M map[string]string `cfn:"default=a"`
		}{}, []string{`.M: the default is not valid JSON: write an object as in a template, as in default={"Key":"value"}`}},

		{"all mistakes at once", struct {
			A chan int
			B func()
			C []rule
			D string `cfn:"nope"`
		}{}, []string{".A: ", ".B: ", "rule.Port: ", ".D: "}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			typ := reflect.TypeOf(c.v)
			if m, ok := c.v.(map[string]any); ok {
				typ = m[""].(reflect.Type)
			}
			_, err := SchemaOf(typ)
			wantError(t, err, c.want...)
		})
	}
	t.Run("no type", func(t *testing.T) {
		_, err := SchemaOf(nil)
		wantError(t, err, "are read into a struct or a map")
	})
	t.Run("any", func(t *testing.T) {
		_, err := SchemaOf(reflect.TypeFor[any]())
		wantError(t, err, "interface {} is neither")
	})
	t.Run("a mistake in a struct that is embedded twice is said once", func(t *testing.T) {
		type base struct {
			C int `cfn:"nope"`
		}
		type a struct{ base }
		type b struct{ base }
		_, err := SchemaOf(reflect.TypeFor[struct {
			A a
			B b
		}]())
		if n := strings.Count(err.Error(), "\n"); n != 0 {
			t.Errorf("%d lines: %v", n+1, err)
		}
	})
}

// TestSchemaAllows: what is no mistake.
func TestSchemaAllows(t *testing.T) {
	type cred struct {
		Password string `cfn:"secret"`
	}
	type node struct {
		Name string `cfn:"required"`
		Next *node
		Kids []node
	}
	type textOnly []string
	for _, v := range []any{
		struct{}{},
		map[string]any{},
		map[named]struct{ A int }{},
		map[upperKey]string{},
		struct {
			A string `doc:"the cfn: stack's" json:"a"`
		}{},
		struct {
			A chan int `json:"-"`
			b chan int
		}{},
		struct {
			N node `cfn:"createOnly"` // recursive inside, but with one path itself
		}{},
		struct {
			A    string `cfn:"createOnly, required"`
			Cred cred   // beside it
		}{},
		struct {
			L []cred          `cfn:"required"`
			M map[string]cred `cfn:"secret"`
		}{},
		struct {
			T time.Time       `cfn:"createOnly"`
			R json.RawMessage `cfn:"createOnly"`
			U upper           `cfn:"createOnly"`
			L textOnly        `cfn:"createOnly"`
		}{},
	} {
		if _, err := SchemaOf(reflect.TypeOf(v)); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
}

// TestIdentityReadable: an identity that cannot be read is unknown, and never
// the reason of a replacement.
func TestIdentityReadable(t *testing.T) {
	type inner struct {
		ID   string `cfn:"createOnly"`
		Port int
	}
	type props struct {
		Topic   string   `cfn:"createOnly"`
		Zones   []string `cfn:"createOnly"`
		TopicID int
		Inner   inner
		Ptr     *inner
		U       upper `cfn:"createOnly"`
		Days    int
	}
	cases := []struct {
		name, raw string
		want      bool
	}{
		{"all can be read", `{"Topic":"a","Zones":["b"]}`, true},
		{"absent is zero", `{}`, true},
		{"missing", ``, false},
		{"null", `null`, false},
		{"no object", `[]`, false},
		{"something else is bad", `{"Days":"x","Inner":{"Port":"x"},"TopicID":"x"}`, true},
		{"something unknown", `{"Topik":"x"}`, true},
		{"bad", `{"Topic":[]}`, false},
		{"bad below it", `{"Zones":["a",{}]}`, false},
		{"bad in a nested struct", `{"Inner":{"ID":[]}}`, false},
		{"what it is a part of is bad", `{"Ptr":"x"}`, false},
		{"cannot be written", `{"U":"unwritable"}`, false},
		{"panics when written", `{"U":"unspeakable"}`, false},
		{"refused", `{"U":"refuse"}`, false},
	}
	s := mustSchema[props](t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var p props
			r := s.Decode(json.RawMessage(c.raw), &p)
			if got := s.IdentityReadable(r); got != c.want {
				t.Errorf("got %t, want %t; bad: %v", got, c.want, r.Bad)
			}
			s.Identity(p) // must not panic
		})
	}
	if !mustSchema[struct{ A int }](t).IdentityReadable(Result{Bad: []*Error{{Path: "A"}}}) {
		t.Error("without createOnly properties there is nothing that cannot be read")
	}
}

// TestErrorText: Error says where and unwraps to what.
func TestErrorText(t *testing.T) {
	if got := (&Error{Err: errRequired}).Error(); got != errRequired.Error() {
		t.Errorf("got %q", got)
	}
	err := &Error{"Rules[2].Port", errRequired}
	if err.Unwrap() != errRequired || err.Error() != "Rules[2].Port: "+errRequired.Error() {
		t.Errorf("got %q", err)
	}
}

// TestSchemaConcurrent: one schema serves all requests of a process (run with -race).
func TestSchemaConcurrent(t *testing.T) {
	s := mustSchema[identities](t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				var p identities
				raw := json.RawMessage(`{"Text":"a","Wrong":"b","Password":"c","Int":"x"}`)
				r := s.Decode(raw, &p)
				if len(r.all()) != 2 || r.Unknown[0].Error() == "" || s.Identity(p) == "" || len(s.Secrets(raw, p)) != 1 {
					t.Errorf("got %v", r.all())
				}
			}
		})
	}
	group.Wait()
}
