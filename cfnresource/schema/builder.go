package schema

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cfnresource/sdk-go/internal/properties"
)

// A builder makes the schema of one resource type.
type builder struct {
	document *document
	named    map[definition]string // names of definitions
	open     []reflect.Type        // lists and maps that are being described
	read     bool                  // the type is a registered one: what is sent has to come back
}

// A definition is a struct: as it is read, or as it is written, which may differ.
type definition struct {
	t       reflect.Type
	written bool
}

// properties describes P.
func (b *builder) properties(t properties.Type) error {
	if t.Form() != properties.Object { // a map, of which any property may be a member
		b.document.AdditionalProperties = true
		return nil
	}
	b.paths(t, nil, nil)
	var err error
	b.document.Required, err = b.members(t, b.document.Properties, false)
	return err
}

// members describes the members of an object, and returns the names of those that are required.
func (b *builder) members(t properties.Type, into map[string]*Property, written bool) (required []string, err error) {
	for _, f := range t.Fields() {
		if into[f.Name], err = b.field(f, written); err != nil {
			return nil, err
		}
		if f.Required {
			required = append(required, f.Name)
		}
	}
	return required, nil
}

// paths collects the pointers to properties that are tagged createOnly or secret.
func (b *builder) paths(t properties.Type, at []string, open []reflect.Type) {
	if slices.Contains(open, t.Go()) {
		return
	}
	open = append(slices.Clip(open), t.Go())
	switch t.Form() {
	case properties.List, properties.Array, properties.Mapping:
		b.paths(t.Elem(), append(slices.Clip(at), "*"), open)
		return
	case properties.Object:
	default:
		return
	}
	for _, f := range t.Fields() {
		here := append(slices.Clip(at), f.Name)
		if f.CreateOnly {
			b.document.CreateOnly = append(b.document.CreateOnly, pointer(here...))
		}
		if f.Secret {
			b.document.WriteOnly = append(b.document.WriteOnly, pointer(here...))
			continue
		}
		b.paths(f.Type, here, open)
	}
}

// field describes a member of an object.
func (b *builder) field(f properties.Field, written bool) (*Property, error) {
	p, err := b.value(f.Type, f.Name, written)
	if err != nil {
		return nil, err
	}
	if text := f.Go.Tag.Get("doc"); text != "" {
		p.Description = text
	}
	holdsSecret := f.Secret || f.Type.HasSecret()
	if f.Default != nil && !holdsSecret {
		p.Default = defaultOf(f.Default, f.Type)
	}
	if b.read && !written {
		comesBackIn(f, p)
	}
	return p, nil
}

// value describes a type; within names it if it has no name of its own.
func (b *builder) value(t properties.Type, within string, written bool) (p *Property, err error) {
	if t.Form() == properties.Object {
		return b.object(t, within, written)
	}
	p = &Property{}
	if slices.Contains(b.open, t.Go()) { // a list of itself has no end, and no name
		return p, nil
	}
	b.open = append(b.open, t.Go())
	defer func() { b.open = b.open[:len(b.open)-1] }()

	// What the form says.
	switch t.Form() {
	case properties.Anything:
	case properties.Boolean:
		p.Type = "boolean"
	case properties.Integer:
		p.Type = "integer"
		p.Minimum, p.Maximum = bounds(t.Go())
	case properties.Float:
		p.Type = "number"
	case properties.Text:
		p.Type = "string"
		if t.Go() == timeType {
			p.Format = "date-time"
		}
	case properties.Duration:
		p.Type, p.Pattern, p.Examples = "string", durationPattern, []any{"1h30m"}
	case properties.Bytes:
		p.Type, p.Pattern = "string", base64Pattern
	case properties.List, properties.Array:
		p.Type = "array"
		if t.Form() == properties.Array {
			p.MaxItems = t.Go().Len()
		}
		p.Items, err = b.value(t.Elem(), within, written)
	case properties.Mapping:
		p.Type, p.AdditionalProperties = "object", new(bool)
		var elem *Property
		elem, err = b.value(t.Elem(), within, written)
		p.PatternProperties = map[string]*Property{keyPattern(t): elem}
	}
	if err != nil {
		return nil, err
	}
	if b.read && !written {
		comesBack(t, p)
	}

	// What the type says of itself.
	return p, describe(t.Go(), p)
}

// object describes a struct as a definition: the registry takes nested ones only by reference.
func (b *builder) object(t properties.Type, within string, written bool) (_ *Property, err error) {
	key := definition{t.Go(), written}
	name, known := b.named[key]
	if !known {
		name = b.name(t.Go(), within)
		b.named[key] = name
		p := &Property{Type: "object", Description: describedBy(t.Go()), Properties: map[string]*Property{}, AdditionalProperties: new(bool)}
		b.document.Definitions[name] = p
		if p.Required, err = b.members(t, p.Properties, written); err != nil {
			return nil, err
		}
		if err := describe(t.Go(), p); err != nil {
			return nil, err
		}
	}
	return &Property{Ref: "#/definitions/" + name}, nil
}

// name returns a name that no other definition has.
func (b *builder) name(t reflect.Type, within string) string {
	const longest = 60 // of 64, which leaves room for a number
	name := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, t.Name())
	name = cmp.Or(name, within)
	name = name[:min(len(name), longest)]
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try += strconv.Itoa(n)
		}
		if _, taken := b.document.Definitions[try]; !taken {
			return try
		}
	}
}

var timeType = reflect.TypeFor[time.Time]()

const (
	durationPattern = `^[-+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|ms|s|m|h))+$` // as time.ParseDuration reads, in ASCII
	base64Pattern   = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`
)

// bounds returns the range of an integer type of fewer than 64 bits, and that an
// unsigned one has no minus.
func bounds(t reflect.Type) (least, most json.Number) {
	bits := t.Bits()
	switch t.Kind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if bits < 64 {
			most = json.Number(strconv.FormatUint(1<<bits-1, 10))
		}
		return "0", most
	}
	if bits < 64 {
		high := int64(1)<<(bits-1) - 1
		return json.Number(strconv.FormatInt(-high-1, 10)), json.Number(strconv.FormatInt(high, 10))
	}
	return "", ""
}

// keyPattern returns the pattern of a map's keys.
func keyPattern(t properties.Type) string {
	switch form, unsigned := t.Key(); {
	case form != properties.Integer:
		return "^.*$"
	case unsigned:
		return "^[0-9]+$"
	}
	return "^-?[0-9]+$"
}

// defaultOf returns a default with the types of JSON that the schema says.
func defaultOf(raw json.RawMessage, t properties.Type) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return string(raw) // it has been read before
	}
	return typed(v, t)
}

func typed(v any, t properties.Type) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = typed(v[i], t.Elem())
		}
	case map[string]any:
		if t.Form() == properties.Mapping {
			for name := range v {
				v[name] = typed(v[name], t.Elem())
			}
		}
		if t.Form() == properties.Object {
			for _, f := range t.Fields() {
				if member, ok := v[f.Name]; ok {
					v[f.Name] = typed(member, f.Type)
				}
			}
		}
	case string:
		return typedText(v, t.Form())
	}
	return v
}

func typedText(s string, form properties.Form) any {
	switch form {
	case properties.Boolean:
		return strings.EqualFold(s, "true")
	case properties.Integer, properties.Float:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
		}
	}
	return s
}
