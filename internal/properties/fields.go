package properties

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A field is a struct's field as encoding/json sees it, its own or promoted
// from an embedded struct.
type field struct {
	name       string // of the property
	named      bool   // by its json tag
	index      []int  // from the struct, through embedded ones
	owner      reflect.Type
	sf         reflect.StructField
	tag        tag
	plan       *plan
	defaultDoc *document // of tag.defaultValue
}

// String names the field for a developer: "main.Props.Topic".
func (f *field) String() string { return f.owner.String() + "." + f.sf.Name }

// in returns the field's value, or false if the embedded struct that holds it is a nil pointer.
func (f *field) in(v reflect.Value) (reflect.Value, bool) {
	v, err := v.FieldByIndexErr(f.index)
	return v, err == nil
}

// make returns the field's value in a settable struct, and allocates embedded structs on the way.
func (f *field) make(v reflect.Value) reflect.Value {
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// A skippedField is a field that encoding/json ignores.
type skippedField struct {
	owner  reflect.Type
	sf     reflect.StructField
	reason string
}

// fieldsOf returns the fields of a struct by encoding/json's rules. Fields of embedded structs
// count as the struct's own. Of several with the same name the least nested wins, then the one with
// a json tag; if several are left, none is read. fieldsOf also returns the fields that are ignored.
func fieldsOf(t reflect.Type) (fields []field, passed []skippedField) {
	type embedded struct {
		t     reflect.Type
		index []int
	}
	var all []field
	seen := map[reflect.Type]bool{}
	level := []embedded{{t: t}}

	// Structs are visited level by level: of fields with one name the least nested is the first.
	for len(level) > 0 {
		times := map[reflect.Type]int{}
		for _, e := range level {
			times[e.t]++
		}
		var next []embedded
		for _, e := range level {
			if seen[e.t] {
				continue
			}
			seen[e.t] = true
			for i := range e.t.NumField() {
				// Which of the struct's fields are read?
				sf := e.t.Field(i)
				inner := sf.Type
				if inner.Kind() == reflect.Pointer && inner.Name() == "" {
					inner = inner.Elem()
				}
				embeds := sf.Anonymous && inner.Kind() == reflect.Struct
				jsonTag := sf.Tag.Get("json")
				if jsonTag == "-" {
					passed = append(passed, skippedField{e.t, sf, `json:"-" leaves it out: remove one of the two tags`})
					continue
				}
				if !sf.IsExported() && !embeds {
					passed = append(passed, skippedField{e.t, sf, "it is not exported: write its name with a capital letter"})
					continue
				}

				// What is it called, or are its own fields meant?
				name, _, _ := strings.Cut(jsonTag, ",")
				if !validName(name) {
					name = ""
				}
				index := append(slices.Clip(e.index), i)
				if embeds && name == "" {
					passed = append(passed, skippedField{e.t, sf, "it is embedded and its fields are properties of their own: tag these, or give it a name with a json tag"})
					next = append(next, embedded{inner, index})
					continue
				}
				f := field{name: cmp.Or(name, sf.Name), named: name != "", index: index, owner: e.t, sf: sf}
				all = append(all, f)
				if times[e.t] > 1 {
					all = append(all, f) // a struct embedded twice at one depth: its fields hide each other
				}
			}
		}
		level = next
	}

	// Of each name one field is left, or none.
	byName := map[string][]field{}
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	for _, group := range byName {
		if f, ok := dominant(group); ok {
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return fields, passed
}

// dominant returns the field that wins among those with the same name.
func dominant(group []field) (field, bool) {
	rank := func(f field) int {
		if f.named {
			return 2 * len(f.index)
		}
		return 2*len(f.index) + 1
	}
	slices.SortFunc(group, func(a, b field) int { return rank(a) - rank(b) })
	return group[0], len(group) == 1 || rank(group[0]) < rank(group[1])
}

// validName reports whether encoding/json accepts a tag's name. If not, it uses the
// field's own name.
func validName(name string) bool {
	for _, c := range name {
		isMark := strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c)
		isAccepted := isMark || unicode.IsLetter(c) || unicode.IsDigit(c)
		if !isAccepted {
			return false
		}
	}
	return name != ""
}
