package cdk

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"

	"github.com/cfnresource/sdk-go/internal/properties"
)

// check returns the properties of a resource as a template has them, and what is wrong with them. They are checked
// against the handler's type or, if that is not known, against the struct's own.
func (p *provider) check(typ string, given any) (map[string]any, []string) {
	handlers, known := p.typeOf(typ)
	v := reflect.ValueOf(given)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	want := handlers.Properties
	switch {
	case !v.IsValid() || v.Kind() == reflect.Pointer:
		v = reflect.ValueOf(map[string]any{})
	case v.Kind() == reflect.Struct && !known:
		want = v.Type()
	case v.Kind() == reflect.Struct && v.Type() != want:
		return nil, []string{fmt.Sprintf("the properties are a %s, and the handler of %s reads a %s", v.Type(), typ, want)}
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
	case v.Kind() != reflect.Struct:
		return nil, []string{fmt.Sprintf("the properties are a %s: give a struct of the handler's type, or a map[string]any", v.Type())}
	}

	// The values, and the same ones with a text for each token.
	var schema *properties.Schema
	if want != nil {
		var err error
		if schema, err = properties.SchemaOf(want); err != nil {
			return nil, []string{err.Error()}
		}
	}
	if v.Kind() == reflect.Struct {
		var err error
		if v, err = members(schema, v); err != nil {
			return nil, []string{err.Error()}
		}
	}
	var r reader
	values, err := r.object(v, "")
	if err != nil {
		return nil, []string{err.Error()}
	}
	var mistakes []string
	for _, name := range []string{"ServiceToken", "ServiceTimeout"} {
		if _, taken := values[name]; taken {
			mistakes = append(mistakes, name+": the provider sets it; leave it out")
			delete(values, name)
		}
	}
	if schema == nil {
		return values, mistakes
	}
	return values, append(mistakes, r.mistakes(schema, values)...)
}

// members returns the properties that a struct has, by name. A zero value is none, unless it is a number or
// a boolean that is required.
func members(schema *properties.Schema, v reflect.Value) (reflect.Value, error) {
	model, err := schema.Whole(v.Interface())
	if err != nil {
		return v, err
	}
	for _, f := range schema.Type().Fields() {
		promoted, _ := v.Type().FieldByName(f.Go.Name) // with the way to it
		if field, err := v.FieldByIndexErr(promoted.Index); err == nil && field.IsZero() && !f.Required {
			delete(model, f.Name)
		}
	}
	raw, err := json.Marshal(model)
	if err != nil {
		return v, err
	}
	var all map[string]any
	err = json.Unmarshal(raw, &all)
	return reflect.ValueOf(all), err
}

// A reader makes what the CDK takes of Go values, and notes where tokens are.
type reader struct{ tokens []string }

// value returns a value as the CDK takes it, or nil if it is none.
func (r *reader) value(v reflect.Value, path string) (any, error) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, nil
		}
		if token, ok := reflect.TypeAssert[awscdk.IResolvable](v); ok {
			r.tokens = append(r.tokens, path)
			return token, nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); strings.Contains(text, "${Token[") || strings.Contains(text, "#{Token[") {
			r.tokens = append(r.tokens, path)
		}
		return v.String(), nil
	case reflect.Float64:
		if v.Float() < -1e280 { // tokens as numbers are such, and nothing else in a template
			r.tokens = append(r.tokens, path)
		}
		return v.Float(), nil
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return r.object(v, path)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return r.list(v, path)
		}
	}
	raw, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, fmt.Errorf("%s: a %s cannot be written as JSON", path, v.Type())
	}
	var plain any
	return plain, json.Unmarshal(raw, &plain)
}

func (r *reader) object(v reflect.Value, path string) (map[string]any, error) {
	out := map[string]any{}
	for _, key := range v.MapKeys() {
		at := strings.TrimPrefix(path+"."+key.String(), ".")
		value, err := r.value(v.MapIndex(key), at)
		if err != nil {
			return nil, err
		}
		if value != nil {
			out[key.String()] = value
		}
	}
	return out, nil
}

func (r *reader) list(v reflect.Value, path string) (any, error) {
	out := []any{}
	for i := range v.Len() {
		value, err := r.value(v.Index(i), path+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// mistakes are what the handler would refuse. A value with a token is not known yet.
func (r *reader) mistakes(schema *properties.Schema, values map[string]any) (all []string) {
	raw, err := json.Marshal(withoutTokens(values))
	if err != nil {
		return []string{err.Error()}
	}
	result := schema.Decode(raw, reflect.New(schema.Type().Go()).Interface())
	for _, err := range slices.Concat(result.Required, result.Unknown, result.Unresolved) {
		all = append(all, err.Error())
	}
	for _, err := range result.Bad {
		if !slices.ContainsFunc(r.tokens, func(at string) bool { return within(at, err.Path) || within(err.Path, at) }) {
			all = append(all, err.Error())
		}
	}
	return all
}

// within reports whether a path is a place, or leads into it.
func within(path, place string) bool {
	rest, ok := strings.CutPrefix(path, place)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], ".["))
}

// withoutTokens returns values with a text in the place of each object that is a token.
func withoutTokens(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for name, value := range out {
			out[name] = withoutTokens(value)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, value := range out {
			out[i] = withoutTokens(value)
		}
		return out
	case awscdk.IResolvable:
		return "a token"
	}
	return v
}
