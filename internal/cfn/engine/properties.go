package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Properties are a resource's properties as they go over the wire: a JSON object in one form (keys
// sorted, no spaces), so that two are the same if their strings are.
type Properties string

// Map returns the properties as encoding/json decodes them.
func (p Properties) Map() map[string]any {
	if p == "" {
		return nil
	}
	var v any                         // which is decoded sooner than a map
	_ = json.Unmarshal([]byte(p), &v) // written by wire: it is an object
	m, _ := v.(map[string]any)
	return m
}

// Exact is Map with numbers as they are written, as json.Number.
func (p Properties) Exact() map[string]any {
	v, _ := decode([]byte(p)) // as in Map
	m, _ := v.(map[string]any)
	return m
}

// MarshalJSON returns the object itself.
func (p Properties) MarshalJSON() ([]byte, error) {
	if p == "" {
		return []byte("null"), nil
	}
	return []byte(p), nil
}

// UnmarshalJSON takes an object in any form.
func (p *Properties) UnmarshalJSON(text []byte) error {
	v, err := decode(text)
	if err != nil {
		return err
	}
	object, ok := v.(map[string]any)
	if !ok {
		*p = ""
		return nil
	}
	out, err := appendJSON(nil, object, false)
	*p = Properties(out)
	return err
}

// marshalProperties makes the properties of a template what a handler gets: true, 14 and
// 1.5 are strings in it, at every depth [O]; lists and maps keep their
// structure, and what is empty is kept [I].
func marshalProperties(properties map[string]any) (Properties, error) {
	out, err := appendJSON(make([]byte, 0, 256), properties, true)
	return Properties(out), err
}

// decode decodes one JSON value, and keeps numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return v, nil
}

// appendJSON appends v in the one form, scalars as strings if so asked.
func appendJSON(out []byte, v any, asStrings bool) (_ []byte, err error) {
	switch v := v.(type) {
	// What holds others, keys sorted.
	case map[string]any:
		out = append(out, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, k), ':')
			if out, err = appendJSON(out, v[k], asStrings); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case []any:
		out = append(out, '[')
		for i, e := range v {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendJSON(out, e, asStrings); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	// What has a form of its own.
	case nil:
		if asStrings { // [O] a template with null is refused
			return nil, fmt.Errorf("[/Resources] 'null' values are not allowed in templates")
		}
		return append(out, "null"...), nil
	case string:
		return appendString(out, v), nil
	}
	// Numbers and booleans.
	s, err := scalar(v)
	if err != nil {
		return nil, err
	}
	if asStrings {
		return appendString(out, s), nil
	}
	return append(out, s...), nil
}

// scalar is a scalar as CloudFormation writes it: a number as it was written
// where that is known [?], a boolean in lower case [O].
func scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, json.Number, int, int64, uint64:
		return fmt.Sprint(v), nil
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
	}
	return "", fmt.Errorf("a value of type %T cannot stand in a template", v)
}

func appendString(out []byte, s string) []byte {
	escaped := func(c rune) bool { return c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf }
	if strings.ContainsFunc(s, escaped) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(s) // a string always can be
		return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
	}
	out = append(out, '"')
	out = append(out, s...)
	return append(out, '"')
}

// refs resolves against what the stack is now. It notes whether a value came
// of an answer with NoEcho.
type refs struct {
	m      *Machine
	noEcho bool
}

func (r *refs) find(logicalID string) (*StackResource, error) {
	found := r.m.byID[logicalID]
	if found == nil || found.PhysicalID == "" {
		return nil, fmt.Errorf("resource %s does not exist yet", logicalID)
	}
	return found, nil
}

// Ref returns the physical ID [D].
func (r *refs) Ref(logicalID string) (string, error) {
	found, err := r.find(logicalID)
	if err != nil {
		return "", err
	}
	return found.PhysicalID, nil
}

// GetAtt returns an attribute of a resource, as its provider has it.
func (r *refs) GetAtt(logicalID, attribute string) (any, error) {
	found, err := r.find(logicalID)
	if err != nil {
		return nil, err
	}
	if c := r.m.child(found); c != nil {
		return c.stack.output(attribute)
	}
	p := r.m.provider(found.Type)
	if p == nil {
		return r.m.native().Attribute(r.m.stack, found, attribute), nil
	}
	v, err := p.attribute(r.m.stack, found, attribute)
	r.noEcho = r.noEcho || err == nil && found.NoEcho
	return v, err
}

// output returns a nested stack's attribute Outputs.NAME [D]. It is documented that an
// unknown one is an error, but not with what text [?].
func (s *Stack) output(attribute string) (any, error) {
	name, ok := strings.CutPrefix(attribute, "Outputs.")
	i := slices.IndexFunc(s.Outputs, func(o StackOutput) bool { return o.Name == name })
	if !ok || i < 0 {
		return nil, fmt.Errorf("Output '%s' not found in stack '%s'", name, s.ID)
	}
	return s.Outputs[i].Value, nil
}

// A resolved holds resolved properties, and what CloudFormation itself reads of them.
type resolved struct {
	properties     Properties
	token, timeout string
}

// resolve returns a resource's properties as they would be sent now.
func (m *Machine) resolve(t *Resource) (res resolved, err error) {
	var values map[string]any
	if t.Properties != nil {
		if values, err = t.Properties(&refs{m: m}); err != nil {
			return res, err
		}
	}
	if p := m.provider(t.Type); p != nil {
		return p.resolve(t, values)
	}
	res.properties, err = marshalProperties(values)
	return res, err
}

// ErrNoText is the error of an output whose value is a list or an object [O].
var ErrNoText = errors.New("Template format error: Every Value member must be a string.") // as CloudFormation has it

// OutputText is an output's value as the stack has it. The error is ErrNoText.
func OutputText(v any) (string, error) {
	text, err := scalar(v)
	if err != nil {
		return "", ErrNoText
	}
	return text, nil
}

func (m *Machine) outputs(t *Template) ([]StackOutput, error) {
	var all []StackOutput
	for _, o := range t.Outputs {
		f := &refs{m: m}
		v, err := o.Value(f)
		if err != nil {
			return nil, err
		}
		text, err := OutputText(v)
		if err != nil {
			return nil, err
		}
		if f.noEcho && m.stack.Options.MaskNoEcho {
			text = "*****" // [D]
		}
		all = append(all, StackOutput{o.Name, text, o.Description, o.ExportName})
	}
	return all, nil
}

// A placed error knows where in a template the value stands that it is about.
// CloudFormation tells that nowhere, so that no reason has it.
type placed interface {
	error
	Reason() string
	Place() string
}

// explain returns the reason of a row, and the place beside it, or "".
func explain(err error) (reason, place string) {
	if p, ok := errors.AsType[placed](err); ok {
		return p.Reason(), p.Place()
	}
	return err.Error(), ""
}

// place notes the place that a reason is about, beside the first row with it of those since one.
func (s *Stack) place(since int, reason, place string) {
	for _, e := range s.Events[since:] {
		if place != "" && strings.HasPrefix(e.ResourceStatusReason, reason) {
			if s.Places == nil {
				s.Places = map[string]string{}
			}
			s.Places[e.EventId] = place
			return
		}
	}
}
