package cfntest

import (
	"reflect"
	"testing"
	"time"
)

// What a user sets arrives where it is played: a field that is not passed on would be ignored without a word.
func TestWhatIsSetIsPassedOn(t *testing.T) {
	var c Contract
	set(reflect.ValueOf(&c).Elem())
	arrives(t, c, c.behind())
	var e Event
	set(reflect.ValueOf(&e).Elem())
	arrives(t, e, e.behind())
	var o ExploreOptions
	set(reflect.ValueOf(&o).Elem())
	arrives(t, o, o.behind())
}

// set gives each exported field of a struct a value other than zero.
func set(of reflect.Value) {
	for _, f := range of.Fields() {
		if !f.CanSet() {
			continue
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString("text")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(1)
		case reflect.Interface:
			f.Set(reflect.ValueOf(1))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { panic("it is not called") }))
		case reflect.Struct:
			f.Set(reflect.ValueOf(time.Unix(1, 0)))
		default:
			panic("no value for a " + f.Type().String())
		}
	}
}

func arrives(t *testing.T, given, got any) {
	t.Helper()
	of, there := reflect.TypeOf(given), reflect.ValueOf(got)
	for f := range of.Fields() {
		if !f.IsExported() {
			continue
		}
		if v := there.FieldByName(f.Name); !v.IsValid() || v.IsZero() {
			t.Errorf("%v.%s does not arrive in a %v", of, f.Name, there.Type())
		}
	}
}
