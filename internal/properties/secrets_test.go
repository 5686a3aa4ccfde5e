package properties

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// redacted is a type for secrets that does not write them.
type redacted struct{ hidden string }

func (r *redacted) UnmarshalText(b []byte) error { r.hidden = "decoded " + string(b); return nil }
func (redacted) MarshalText() ([]byte, error)    { return []byte("[redacted]"), nil }

type login struct {
	User     string
	Password string `cfn:"secret"`
}

// TestSecrets: what is tagged secret is known in every form in which it may occur in a text.
func TestSecrets(t *testing.T) {
	type tree struct {
		Pin  int `cfn:"secret"`
		Name string
		Kids []*tree
	}
	type props struct {
		Plain  string
		Token  string                `cfn:"secret"`
		Number int                   `cfn:"secret"`
		Float  float64               `cfn:"secret"`
		Wait   time.Duration         `cfn:"secret"`
		Flag   bool                  `cfn:"secret"`
		List   []string              `cfn:"secret"`
		Map    map[string]string     `cfn:"secret"`
		Any    any                   `cfn:"secret"`
		Struct struct{ A, B string } `cfn:"secret"`
		Bytes  []byte                `cfn:"secret"`
		Own    redacted              `cfn:"secret"`
		Login  login
		Ptr    *login
		Logins []login
		ByName map[string]login
		Tree   *tree
	}
	cases := []struct {
		name, raw string
		want      []string
	}{
		{"none", `{"Plain":"not secret","ServiceToken":"arn"}`, nil},
		{"string", `{"Token":"hunter2","Plain":"not secret"}`, []string{"hunter2"}},
		{"empty", `{"Token":""}`, nil},
		{"escaped", `{"Token":"a\"\u00e9b"}`, []string{`a"éb`}},
		{"in another letter case", `{"TOKEN":"hunter2"}`, []string{"hunter2"}},
		{"twice", `{"Token":"hunter2","Token":"hunter3"}`, []string{"hunter2", "hunter3"}},
		{"number, raw and decoded", `{"Number":"007"}`, []string{"007", "7"}},
		{"number, as fmt prints it too", `{"Float":"12345678"}`, []string{"12345678", "1.2345678e+07"}},
		{"integer, as a float too", `{"Number":"1234567890"}`, []string{"1234567890", "1.23456789e+09"}},
		{"duration, as fmt prints it too", `{"Wait":"90s"}`, []string{"90s", "90000000000", "9e+10", "1m30s"}},
		{"native number", `{"Number":1234}`, []string{"1234"}},
		{"list", `{"List":["aaaa","bb"]}`, []string{"aaaa", "bb"}},
		{"map, not its keys", `{"Map":{"key":"value"}}`, []string{"value"}},
		{"any", `{"Any":{"a":["x1",{"b":"x2"}],"c":3}}`, []string{"x1", "x2", "3"}},
		{"struct", `{"Struct":{"A":"a1","B":"b1","Unknown":"c1"}}`, []string{"a1", "b1", "c1"}},
		{"bytes, in both forms", `{"Bytes":"c2VjcmV0"}`, []string{"c2VjcmV0", "secret"}},
		{"a type that hides it", `{"Own":"abc"}`, []string{"decoded abc", "[redacted]", "abc"}},
		{"nested", `{"Login":{"User":"me","Password":"pw1"},"Ptr":{"Password":"pw2"},"Logins":[{"Password":"pw3"}],"ByName":{"x":{"Password":"pw4"}}}`, []string{"pw1", "pw2", "pw3", "pw4"}},
		{"recursive", `{"Tree":{"Pin":"1","Name":"n","Kids":[{"Pin":"2","Kids":[{"Pin":"3"}]}]}}`, []string{"1", "2", "3"}},
		{"of the wrong shape", `{"Token":["t1",{"k":"t2"}],"Number":"n1"}`, []string{"n1", "t1", "t2"}},
		{"in what is of the wrong shape, all is secret", `{"Login":"l1","Logins":{"a":"l2"},"ByName":["l3"],"Ptr":["l4"]}`, []string{"l1", "l2", "l3", "l4"}},
		{"in properties that are no object", `["p1"]`, []string{"p1"}},
		{"not JSON", `{"Token":"x`, nil},
		{"one a part of another", `{"List":["pass","password1","pas"]}`, []string{"password1", "pass", "pas"}},
	}
	s := mustSchema[props](t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var p props
			s.Decode(json.RawMessage(c.raw), &p)
			got := s.Secrets(json.RawMessage(c.raw), &p)
			if diff := cmp.Diff(c.want, got, cmp.Transformer("set", set)); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
	t.Run("only raw", func(t *testing.T) {
		if diff := cmp.Diff([]string{"hunter2"}, s.Secrets(json.RawMessage(`{"Token":"hunter2"}`), nil)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("only decoded", func(t *testing.T) {
		if diff := cmp.Diff([]string{"hunter2"}, s.Secrets(nil, props{Token: "hunter2"})); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a type without secrets", func(t *testing.T) {
		if got := mustSchema[struct{ A string }](t).Secrets(json.RawMessage(`{"A":"b"}`), struct{ A string }{"b"}); got != nil {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a map of structs with secrets", func(t *testing.T) {
		got := mustSchema[map[string]login](t).Secrets(json.RawMessage(`{"a":{"Password":"pw1"}}`), map[string]login{"b": {Password: "pw2"}})
		if diff := cmp.Diff([]string{"pw1", "pw2"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func set(all []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range all {
		m[s] = true
	}
	return m
}

// TestDataSecrets: a secret attribute makes the answer NoEcho.
func TestDataSecrets(t *testing.T) {
	type loop struct {
		Key  string `cfn:"secret"`
		Next *loop
		Any  any `cfn:"secret"`
	}
	cyclic := &loop{Key: "k1"}
	cyclic.Next = &loop{Key: "k2", Next: cyclic}
	cyclic.Any = cyclic
	for _, c := range []struct {
		name string
		t    reflect.Type
		v    any
		has  bool
		want []string
	}{
		{"no secret", reflect.TypeFor[struct{ A string }](), struct{ A string }{"a"}, false, nil},
		{"secret", reflect.TypeFor[login](), login{"u", "p"}, true, []string{"p"}},
		{"pointer", reflect.TypeFor[*login](), &login{"u", "p"}, true, []string{"p"}},
		{"nil pointer", reflect.TypeFor[*login](), (*login)(nil), true, nil},
		{"nil", reflect.TypeFor[login](), nil, true, nil},
		{"nested", reflect.TypeFor[map[string][]*login](), map[string][]*login{"a": {{"u", "p"}, nil}}, true, []string{"p"}},
		{"interface", reflect.TypeFor[any](), login{"u", "p"}, false, nil},
		{"cyclic", reflect.TypeFor[*loop](), cyclic, true, []string{"k1", "k2"}},
		{"of another type", reflect.TypeFor[login](), 1, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := DataSchemaOf(c.t)
			if err != nil {
				t.Fatal(err)
			}
			if s.HasSecret() != c.has {
				t.Errorf("HasSecret = %t", s.HasSecret())
			}
			if diff := cmp.Diff(c.want, s.Secrets(c.v)); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}
