package properties

import (
	"iter"
	"reflect"
)

// entries yields what a map holds. reflect.Value.Seq2 does so too, but links the
// calling of functions by reflection, some 20 kB of a program.
func entries(v reflect.Value) iter.Seq2[reflect.Value, reflect.Value] {
	return func(yield func(key, elem reflect.Value) bool) {
		for it := v.MapRange(); it.Next(); {
			if !yield(it.Key(), it.Value()) {
				return
			}
		}
	}
}
