package template

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// extension compiles a function of AWS::LanguageExtensions.
func (c *compiler) extension(name string, at, argument *source.Node) expr {
	switch {
	case c.settled == nil:
		c.Errorf(at, "%s belongs to AWS::LanguageExtensions; add Transform: %s", name, languageExtensions)
		return invalidExpr{}
	case name == "Fn::Length":
		return c.length(at, argument)
	}
	return c.jsonString(at, argument)
}

// length is Fn::Length.
type length struct {
	at   *source.Node
	list expr
}

func (c *compiler) length(at, argument *source.Node) expr {
	return length{at, c.listed(argument, "the argument of Fn::Length", functions["Fn::Length"])}
}

func (l length) eval(ev *evaluation) (any, error) {
	items, err := ev.list(l.list, l.at, "the argument of Fn::Length")
	if err != nil {
		return nil, err
	}
	return json.Number(strconv.Itoa(len(items))), nil
}

func (l length) parts(map[string]bool) iter.Seq[expr] { return each(l.list) }

// jsonString is Fn::ToJsonString: a list or an object as JSON, its keys in the order of the template.
type jsonString struct {
	at    *source.Node
	value expr
}

func (c *compiler) jsonString(at, argument *source.Node) expr {
	if argument.Kind == source.Scalar {
		c.Errorf(argument, "Fn::ToJsonString takes an object or a list, and here is a single value; write %s", functions["Fn::ToJsonString"])
		return invalidExpr{}
	}
	return jsonString{at, c.expr(argument)}
}

func (j jsonString) eval(ev *evaluation) (any, error) {
	var out bytes.Buffer
	if _, err := writeJSON(&out, j.value, ev, j.at); err != nil {
		return nil, err
	}
	return out.String(), nil
}

func (j jsonString) parts(map[string]bool) iter.Seq[expr] { return each(j.value) }

// writeJSON writes a value; it is left out, and written is false, if it is AWS::NoValue.
func writeJSON(out *bytes.Buffer, e expr, ev *evaluation, at *source.Node) (written bool, err error) {
	before := out.Len()
	switch e := e.(type) {
	case objectExpr:
		out.WriteByte('{')
		for i, name := range e.names {
			mark := out.Len()
			if mark > before+1 {
				out.WriteByte(',')
			}
			key, _ := json.Marshal(name) // a string always can be
			out.Write(key)
			out.WriteByte(':')
			written, err := writeJSON(out, e.values[i], ev, at)
			if err != nil {
				return false, err
			}
			if !written {
				out.Truncate(mark)
			}
		}
		out.WriteByte('}')
	case listExpr:
		out.WriteByte('[')
		for _, item := range e.items {
			mark := out.Len()
			if mark > before+1 {
				out.WriteByte(',')
			}
			written, err := writeJSON(out, item, ev, at)
			if err != nil {
				return false, err
			}
			if !written {
				out.Truncate(mark)
			}
		}
		out.WriteByte(']')
	default:
		v, err := e.eval(ev)
		if err != nil || v == any(noValue{}) {
			return false, err
		}
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			return false, ev.fail(at, "Fn::ToJsonString cannot write this value: %v", err)
		}
		out.Truncate(out.Len() - 1) // the line's end
		if err := ev.spend(out.Len()-before, at); err != nil {
			return false, err
		}
	}
	return true, nil
}

// static evaluates at once what AWS::LanguageExtensions allows in place of a literal name.
func (c *compiler) static(n *source.Node, what string) (string, bool) {
	if s, ok := n.Text(); ok || c.settled == nil {
		return s, ok
	}
	before := len(c.Errors)
	e := c.textual(n, what)
	if len(c.Errors) > before {
		return "", false
	}
	s, err := (&evaluation{decisions: c.settled}).text(e, n, what)
	if err != nil {
		c.Add(err)
	}
	return s, err == nil
}
