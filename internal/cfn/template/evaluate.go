package template

import (
	"encoding/json"
	"strconv"
	"strings"
)

// text is the text of a scalar, in the form that CloudFormation gives it in strings.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	case float64: // an attribute, as decoded from an answer
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	}
	return "", false
}

// asList is a value as a list.
func asList(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = s
		}
		return out, true
	}
	return nil, false
}

// text evaluates an expression that must give a scalar; what names the place in messages.
func (ev *evaluation) text(e expr, at *node, what string) (string, error) {
	v, err := e.eval(ev)
	if err != nil {
		return "", err
	}
	s, ok := text(v)
	if !ok {
		return "", ev.fail(at, "%s must be a string, and here is %s", what, describe(v))
	}
	return s, nil
}

// number evaluates an expression that must give a whole number in bounds.
func (ev *evaluation) number(e expr, at *node, what string, least, most int) (int, error) {
	word, err := ev.text(e, at, what)
	if err != nil {
		return 0, err
	}
	i, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || i < least || i > most {
		return 0, ev.fail(at, "%s is a whole number from %d to %d", what, least, most)
	}
	return i, nil
}

// list evaluates an expression that must give a list.
func (ev *evaluation) list(e expr, at *node, what string) ([]any, error) {
	v, err := e.eval(ev)
	if err != nil {
		return nil, err
	}
	l, ok := asList(v)
	if !ok {
		return nil, ev.fail(at, "%s must be a list, and here is %s%s", what, describe(v), ev.madeUp(e))
	}
	return l, nil
}

// spend accounts for bytes that a function makes.
func (ev *evaluation) spend(bytes int, at *node) error {
	if ev.built += bytes; ev.built > maxBuilt {
		return ev.fail(at, "the functions of this resource build more than %d bytes; CloudFormation's own limits are far lower: shorten the values", maxBuilt)
	}
	if ev.owner != "" && !ev.budget.take(ev.owner, bytes) {
		return ev.fail(at, "the functions of this template build more than %d bytes; CloudFormation's own limits are far lower: shorten the values", maxBuiltAll)
	}
	return nil
}

// describe names the kind of a value, never the value.
func describe(v any) string {
	switch v.(type) {
	case noValue:
		return "AWS::NoValue"
	case []any, []string:
		return list.String()
	case map[string]any:
		return object.String()
	case nil:
		return "nothing"
	}
	return scalar.String()
}
