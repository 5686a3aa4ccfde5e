package template

import (
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// text evaluates an expression that must give a scalar; what names the place in messages.
func (ev *evaluation) text(e expr, at *source.Node, what string) (string, error) {
	v, err := e.eval(ev)
	if err != nil {
		return "", err
	}
	s, ok := source.Text(v)
	if !ok {
		return "", ev.fail(at, "%s must be a string, and here is %s", what, describe(v))
	}
	return s, nil
}

// number evaluates an expression that must give a whole number in bounds.
func (ev *evaluation) number(e expr, at *source.Node, what string, least, most int) (int, error) {
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
func (ev *evaluation) list(e expr, at *source.Node, what string) ([]any, error) {
	v, err := e.eval(ev)
	if err != nil {
		return nil, err
	}
	l, ok := source.Slice(v)
	if !ok {
		return nil, ev.fail(at, "%s must be a list, and here is %s%s", what, describe(v), ev.madeUp(e))
	}
	return l, nil
}

// spend accounts for bytes that a function makes.
func (ev *evaluation) spend(bytes int, at *source.Node) error {
	if ev.built += bytes; ev.built > maxOne {
		return ev.fail(at, "the functions of this resource build more than %d bytes; CloudFormation's own limits are far lower: shorten the values", maxOne)
	}
	if ev.owner != "" && !ev.budget.take(ev.owner, bytes) {
		return ev.fail(at, "the functions of this template build more than %d bytes; CloudFormation's own limits are far lower: shorten the values", maxAll)
	}
	return nil
}

// copy keeps a value that the engine is given apart from ours, and accounts for it.
func (ev *evaluation) copy(v any, at *source.Node) (any, error) {
	copied, size := deepCopy(v)
	return copied, ev.spend(size, at)
}

// describe names the kind of a value, never the value.
func describe(v any) string {
	switch v.(type) {
	case noValue:
		return "AWS::NoValue"
	case []any, []string:
		return source.List.String()
	case map[string]any:
		return source.Object.String()
	case nil:
		return "nothing"
	}
	return source.Scalar.String()
}
