package properties

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

type modelled struct {
	Name    string `cfn:"createOnly"`
	Active  bool
	Count   int
	Wait    time.Duration
	Token   string `cfn:"secret"`
	Empty   string
	None    []string
	Nobody  []string
	Tags    map[string]string
	Address netip.Addr
	Never   *int
	Deep    []struct {
		Port     int
		Password string `cfn:"secret"`
	}
	Left struct{ A string }
}

// A model has every property with a value, and no secret at any depth: the
// registry's contract forbids nulls and write-only properties. What is false or 0
// has a value: without it a template that says so would have drifted.
func TestModelHasWhatHasAValueAndNoSecret(t *testing.T) {
	s, err := SchemaOf(reflect.TypeFor[modelled]())
	if err != nil {
		t.Fatal(err)
	}
	var v modelled
	const came = `{"Name":"n","Wait":"90s","Token":"hush-hush","Nobody":[],"Tags":{"a":""},"Address":"10.0.0.1","Deep":[{"Port":"1","Password":"hush"}]}`
	if res := s.Decode(json.RawMessage(came), &v); res.Bad != nil {
		t.Fatal(res.Bad)
	}
	m, err := s.Model(&v)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(m)
	const want = `{"Active":false,"Address":"10.0.0.1","Count":0,"Deep":[{"Port":1}],"Name":"n","Nobody":[],"Tags":{"a":""},"Wait":"1m30s"}`
	if string(got) != want {
		t.Errorf("the model is\n%s, want\n%s", got, want)
	}
}

type looped struct{ Next *looped }

// What points to itself ends with an error, not with the process.
func TestModelOfWhatHoldsItself(t *testing.T) {
	s, err := SchemaOf(reflect.TypeFor[looped]())
	if err != nil {
		t.Fatal(err)
	}
	v := &looped{}
	v.Next = v
	if _, err := s.Model(v); err == nil {
		t.Error("there is no error")
	}
}

func TestModelOfData(t *testing.T) {
	type data struct {
		URL    string `json:"Url"`
		Secret string `cfn:"secret"`
		Count  *int
	}
	s, err := DataSchemaOf(reflect.TypeFor[*data]())
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Model(&data{URL: "u", Secret: "hush"})
	if got, _ := json.Marshal(m); err != nil || string(got) != `{"Url":"u"}` {
		t.Errorf("the model is %s, %v", got, err)
	}
	if got := s.Names(); !reflect.DeepEqual(got, []string{"Count", "Secret", "Url"}) {
		t.Errorf("the names are %q", got)
	}
}

// Empty text is no value, since a field that nobody has set is empty, too. A pointer
// tells the two apart, and what a template sets to "" then has not drifted.
func TestModelOfAPointerToEmptyText(t *testing.T) {
	type props struct{ Set, Unset *string }
	s, err := SchemaOf(reflect.TypeFor[props]())
	if err != nil {
		t.Fatal(err)
	}
	var v props
	s.Decode(json.RawMessage(`{"Set":""}`), &v)
	m, err := s.Model(&v)
	if got, _ := json.Marshal(m); err != nil || string(got) != `{"Set":""}` {
		t.Errorf("the model is %s, %v", got, err)
	}
}
