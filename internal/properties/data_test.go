package properties

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDataSchemaErrors: Fn::GetAtt reads Data by names.
func TestDataSchemaErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		t    reflect.Type
		want string
	}{
		{"none", nil, "write a struct, or a map with strings as keys"},
		{"scalar", reflect.TypeFor[string](), "string is neither"},
		{"list", reflect.TypeFor[[]string](), "[]string is neither"},
		{"JSON", reflect.TypeFor[json.RawMessage](), "is neither"},
		{"map by int", reflect.TypeFor[map[int]string](), "map[int]string is neither"},
		{"pointer to an interface", reflect.TypeFor[*any](), "*interface {} is neither"},
		{"pointer to a pointer", reflect.TypeFor[**login](), "**properties.login is neither"},
		{"unknown tag", reflect.TypeFor[struct {
			A string `cfn:"noEcho"`
		}](), `.A: "noEcho" in the cfn tag is not known`},
		{"tag on a field that is not exported", reflect.TypeFor[struct {
			a string `cfn:"secret"`
		}](), ".a: the cfn tag has no effect, since it is not exported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DataSchemaOf(c.t)
			wantError(t, err, c.want)
		})
	}
}

// TestDataSchemaAllows: Data may be whatever encoding/json writes, and share types with properties.
func TestDataSchemaAllows(t *testing.T) {
	for _, v := range []any{
		struct{}{}, &struct{}{}, map[string]any{}, map[named]int{}, map[upper]int{},
		struct {
			C chan int
			E error
			T time.Time
		}{},
		struct {
			ID   string `cfn:"createOnly"`
			Days int    `cfn:"default=14"`
		}{},
	} {
		if _, err := DataSchemaOf(reflect.TypeOf(v)); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[error]()} {
		if _, err := DataSchemaOf(typ); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// TestFlatten: what Fn::GetAtt finds.
func TestFlatten(t *testing.T) {
	type endpoint struct {
		Host string `json:"host"`
		Port int
		TLS  bool
	}
	type data struct {
		ARN      string
		Count    int64
		Ratio    float64
		On       bool
		Endpoint *endpoint
		Zones    []string          `json:",omitempty"`
		Ports    []int             `json:",omitempty"`
		Points   []endpoint        `json:",omitempty"`
		Tags     map[string]string `json:",omitempty"`
	}
	for _, c := range []struct {
		name string
		v    any
		want map[string]any
	}{
		{"nil", nil, map[string]any{}},
		{"nil pointer", (*data)(nil), map[string]any{}},
		{"nil map", map[string]any(nil), map[string]any{}},
		{"empty struct", struct{}{}, map[string]any{}},
		{"scalars are strings", data{ARN: "a", Count: 1 << 60, Ratio: 1.5, On: true}, map[string]any{"ARN": "a", "Count": "1152921504606846976", "Ratio": "1.5", "On": "true"}},
		{"nested objects get dotted names", map[string]any{"E": endpoint{"h", 80, true}, "M": map[string]any{"a": map[string]any{"b": 1}}}, map[string]any{"E.host": "h", "E.Port": "80", "E.TLS": "true", "M.a.b": "1"}},
		{"lists are kept", map[string]any{"L": []any{1, "a", true}, "E": []int{}}, map[string]any{"L": []any{"1", "a", "true"}, "E": []any{}}},
		{"objects in lists are kept", map[string]any{"L": []endpoint{{"h", 80, true}}}, map[string]any{"L": []any{map[string]any{"host": "h", "Port": "80", "TLS": "true"}}}},
		{"nulls are dropped", map[string]any{"A": nil, "B": map[string]any{"c": nil}, "C": []any{nil, 1}}, map[string]any{"C": []any{"1"}}},
		{"an empty object has no attributes", map[string]any{"A": map[string]any{}}, map[string]any{}},
		{"a scalar beside a dotted name", map[string]any{"a": 1, "a.b": 2}, map[string]any{"a": "1", "a.b": "2"}},
		{"own text", map[string]any{"T": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "D": time.Second}, map[string]any{"T": "2026-01-02T03:04:05Z", "D": "1000000000"}},
		{"a type that writes itself as an object", json.RawMessage(`{"a":{"b":1e3}}`), map[string]any{"a.b": "1e3"}},
		{"characters that HTML knows", map[string]string{"a": "<&>"}, map[string]any{"a": "<&>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Flatten(c.v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}

type failing struct{ text string }

func (f failing) MarshalJSON() ([]byte, error) {
	switch f.text {
	case "panic marker":
		panic(f.text)
	case "garbage marker":
		return []byte(f.text), nil
	}
	return nil, errors.New("cannot write " + f.text)
}

// TestFlattenErrors: the error names the attribute, and not its value.
func TestFlattenErrors(t *testing.T) {
	type ring struct{ Next *ring }
	cycle := &ring{}
	cycle.Next = cycle
	cyclicMap := map[string]any{}
	cyclicMap["Self"] = cyclicMap
	cyclicList := make([]any, 1)
	cyclicList[0] = cyclicList
	type base struct{ Done chan int }
	deep := map[string]any{}
	for range 10_000 {
		deep = map[string]any{"a": deep}
	}
	for _, c := range []struct {
		name string
		v    any
		want []string
	}{
		{"too deep to be read", deep, []string{"Data: is nested too deep"}},
		{"channel", map[string]any{"A": "a", "Done": make(chan int)}, []string{"Data.Done: a value of type chan int cannot be written as JSON", `json:"-"`}},
		{"function", map[string]any{"Do": func() {}}, []string{"Data.Do: a value of type func() cannot be written as JSON"}},
		{"channel in an embedded struct", struct {
			base
			A string
		}{}, []string{"Data.Done: a value of type chan int"}},
		{"the one that is left out is not to blame", struct {
			C chan int `json:",omitempty"`
			N float64  `json:"nan"`
		}{N: math.NaN()}, []string{"Data.nan: NaN cannot be written as JSON"}},
		{"nested", map[string]any{"A": map[string]any{"B": []any{math.Inf(1)}}}, []string{"Data.A.B: +Inf cannot be written as JSON"}},
		{"in a struct that a pointer leads to", &struct{ P *base }{&base{}}, []string{"Data.P.Done: a value of type chan int"}},
		{"cycle", cycle, []string{"Data.Next.Next", "cycle"}},
		{"cycle through a list", map[string]any{"List": cyclicList}, []string{"Data.List", "cycle"}},
		{"cycle through a map", cyclicMap, []string{"Data.Self.Self", "cycle"}},
		{"MarshalJSON fails", map[string]any{"F": failing{"marker"}}, []string{"Data.F: the MarshalJSON or MarshalText method of properties.failing failed"}},
		{"MarshalJSON panics", map[string]any{"F": failing{"panic marker"}}, []string{"Data.F: a MarshalJSON or MarshalText method panicked"}},
		{"MarshalJSON writes no JSON", map[string]any{"F": failing{"garbage marker"}}, []string{"Data.F: the MarshalJSON or MarshalText method of properties.failing failed"}},
		{"MarshalText fails", struct{ U upper }{upper{"UNWRITABLE"}}, []string{"Data.U: the MarshalJSON or MarshalText method of properties.upper failed"}},
		{"a number that is none", map[string]any{"N": json.Number("marker")}, []string{"Data.N: "}},
		{"Data itself", failing{"marker"}, []string{"Data: the MarshalJSON or MarshalText method of properties.failing failed"}},
		{"keys that cannot be names", map[bool]int{true: 1}, []string{"Data: ", "cannot be written"}},
		{"scalar", 1, []string{"Data must be written as an object"}},
		{"list", []int{1}, []string{"Data must be written as an object"}},
		{"time", time.Time{}, []string{"Data must be written as an object"}},
		{"one name twice", map[string]any{"a.b": "marker", "a": map[string]any{"b": "marker"}}, []string{"Data.a.b: two values have this name"}},
		{"one name twice, deeper", map[string]any{"a": map[string]any{"b.c": 1, "b": map[string]any{"c": 2}}}, []string{"Data.a.b.c: two values have this name"}},
		{"nested too deep", json.RawMessage(strings.Repeat(`{"a":`, 9_999) + "[[]]" + strings.Repeat("}", 9_999)), []string{"Data: the MarshalJSON or MarshalText method of "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Flatten(c.v)
			wantError(t, err, c.want...)
			if got != nil {
				t.Errorf("got %v beside an error", got)
			}
			if err != nil && (strings.Contains(err.Error(), "marker") || strings.Contains(err.Error(), "UNWRITABLE")) {
				t.Errorf("the value is in %q", err)
			}
		})
	}
}
