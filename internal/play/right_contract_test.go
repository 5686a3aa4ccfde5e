package play_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A Contract's properties are what is sent. The kit knows the handler's own type, so a right handler is right however
// its Contract writes them, and whatever else differs in a replacement; and also where no type is told.
func TestARightHandlerIsRightHoweverItsContractIsWritten(t *testing.T) {
	forms := []struct {
		name   string
		change func(c *play.Contract)
	}{
		{"a map", writtenAs(asMap)},
		{"another struct", writtenAs(asAnotherStruct)},
		{"replaced with more", replaceWithMore},
		{"a map, replaced with more", func(c *play.Contract) { replaceWithMore(c); writtenAs(asMap)(c) }},
		{"another struct, replaced with more", func(c *play.Contract) { replaceWithMore(c); writtenAs(asAnotherStruct)(c) }},
		{"a function that tells no type, replaced with more", func(c *play.Contract) { replaceWithMore(c); tellNoType(c) }},
		{"a map, for a function that tells no type", func(c *play.Contract) { writtenAs(asMap)(c); tellNoType(c) }},
	}
	all := some(rightContracts(), "keeper", "keys", "words", "found", "chosen")
	for i, name := range slices.Sorted(maps.Keys(all)) {
		for j, form := range forms {
			isTurn := (i+j)%len(forms) < 2
			if name == "keeper" { // whose gates are replaced by one property of many
				isTurn = j > 2 // two forms at once
			}
			if !isTurn && !testrun.Thorough() {
				continue
			}
			t.Run(name+", "+form.name, func(t *testing.T) {
				c := all[name]
				form.change(&c)
				for _, r := range play.RunChecks(t, c) {
					if r.Outcome == "failed" || r.Outcome == "unjudged" {
						t.Errorf("%s: %s", r.Name, r.Text)
					}
				}
				if found := play.FirstFinding(t, c, testrun.Share(50, 100)); found.History != "" {
					t.Error(found.Text)
				}
			})
		}
	}
}

// writtenAs returns what writes all properties of a Contract in a form.
func writtenAs(form func(v any) any) func(c *play.Contract) {
	return func(c *play.Contract) {
		for _, p := range []*any{&c.Properties, &c.InPlace, &c.Replacing, &c.Refused, &c.NotUpdatable} {
			if *p != nil {
				*p = form(*p)
			}
		}
	}
}

// tellNoType has somebody wrap the function.
func tellNoType(c *play.Contract) {
	*c = withService(*c, func(s *play.Service) {
		function := s.Function
		s.Function = func() simulate.Function { return struct{ simulate.Function }{function()} }
	})
}

// asMap writes properties as a map, without those that are left out.
func asMap(v any) any {
	out, in := map[string]any{}, reflect.ValueOf(v)
	for _, f := range reflect.VisibleFields(in.Type()) {
		if value := in.FieldByIndex(f.Index); !value.IsZero() {
			out[f.Name] = value.Interface()
		}
	}
	return out
}

// asAnotherStruct writes properties as a struct without tags.
func asAnotherStruct(v any) any {
	in := reflect.ValueOf(v)
	fields := reflect.VisibleFields(in.Type())
	for i := range fields {
		fields[i] = reflect.StructField{Name: fields[i].Name, Type: fields[i].Type}
	}
	out := reflect.New(reflect.StructOf(fields)).Elem()
	for i := range fields {
		out.Field(i).Set(in.Field(i))
	}
	return out.Interface()
}

// replaceWithMore has Replacing differ in all in which InPlace does, too.
func replaceWithMore(c *play.Contract) {
	if c.Replacing == nil || c.InPlace == nil {
		return
	}
	was, inPlace := reflect.ValueOf(c.Properties), reflect.ValueOf(c.InPlace)
	to := reflect.New(was.Type()).Elem()
	to.Set(reflect.ValueOf(c.Replacing))
	for i := range was.NumField() {
		if !reflect.DeepEqual(was.Field(i).Interface(), inPlace.Field(i).Interface()) {
			to.Field(i).Set(inPlace.Field(i))
		}
	}
	c.Replacing = to.Interface()
}

// rightContracts are those of all right handlers.
func rightContracts() map[string]play.Contract {
	all := map[string]play.Contract{
		"keeper":          gateContract(func(h keeper) keeper { return h }, false),
		"copiesContent":   depotContract(func(d *depot) simulate.Function { return process(copiesContent{named{d}}) }),
		"readsFirst":      depotContract(func(d *depot) simulate.Function { return process(readsFirst{named{d}, false}) }),
		"keys":            theKeys(),
		"words":           wordsContract(play.Contract{Replacing: word{"b", "on", "1234"}}, func(*words) {}),
		"words by number": wordsContract(play.Contract{Neither: true}, func(w *words) { w.numbers = true }),
	}
	for name, function := range rightHandlers {
		all[name] = depotContract(function)
	}
	for name, function := range rightContinuing {
		all[name+", which continues"] = continuingContract(function)
	}
	keys := all["keys"]
	keys.Skip = map[string]string{"steps-around-effects": "it keeps them in memory"}
	all["keys"] = keys
	maps.Copy(all, takenForWrong())
	return all
}

// wordsContract is a contract for words, with more to it.
func wordsContract(c play.Contract, with func(w *words)) play.Contract {
	c.Properties, c.InPlace = word{"a", "on", "1234"}, word{"a", "off", "1234"}
	c.New = func(testing.TB) play.Service {
		w := &words{all: map[string]string{}}
		with(w)
		return w.service()
	}
	return c
}
