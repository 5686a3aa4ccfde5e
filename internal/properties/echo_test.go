package properties

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

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
			if g, w := tree(mustMarshal(got)), tree(mustMarshal(want)); !reflect.DeepEqual(g, w) {
				t.Errorf("%s comes back as %v, want %v", test.came, g, w)
			}
		})
	}
}
