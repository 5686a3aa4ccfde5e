package template

import (
	"bytes"
	"encoding/json"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// jsonString is Fn::ToJsonString: a list or an object as JSON, its keys in the order of the
// template.
type jsonString struct{}

func (jsonString) compile(c *compiler, f call) expr {
	if !c.extension(f) {
		return invalidExpr{}
	}
	if f.argument.Kind == source.Scalar {
		c.Errorf(f.argument, "Fn::ToJsonString takes an object or a list, and here is a single value; write %s", f.example)
		return invalidExpr{}
	}
	value := c.expr(f.argument)
	return applied{[]expr{value}, func(ev *evaluation) (any, error) {
		var out bytes.Buffer
		if _, err := writeJSON(&out, value, ev, f.at); err != nil {
			return nil, err
		}
		return out.String(), nil
	}}
}

// writeJSON writes a value; it is left out, and written is false, if it is AWS::NoValue.
func writeJSON(out *bytes.Buffer, e expr, ev *evaluation, at *source.Node) (written bool, err error) {
	switch e := e.(type) {
	case objectExpr:
		return true, writeEntries(out, "{}", e.names, e.values, ev, at)
	case listExpr:
		return true, writeEntries(out, "[]", nil, e.items, ev, at)
	}
	v, err := e.eval(ev)
	if err != nil || v == any(noValue{}) {
		return false, err
	}
	before := out.Len()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return false, ev.fail(at, "Fn::ToJsonString cannot write this value: %v", err)
	}
	out.Truncate(out.Len() - 1) // the line's end
	return true, ev.spend(out.Len()-before, at)
}

// writeEntries writes a list, or an object if there are names, without what is AWS::NoValue.
func writeEntries(out *bytes.Buffer, brackets string, names []string, values []expr, ev *evaluation, at *source.Node) error {
	out.WriteByte(brackets[0])
	first := out.Len()
	for i, value := range values {
		mark := out.Len()
		if mark > first {
			out.WriteByte(',')
		}
		if names != nil {
			key, _ := json.Marshal(names[i]) // a string always can be
			out.Write(key)
			out.WriteByte(':')
		}
		written, err := writeJSON(out, value, ev, at)
		if err != nil {
			return err
		}
		if !written {
			out.Truncate(mark)
		}
	}
	out.WriteByte(brackets[1])
	return nil
}
