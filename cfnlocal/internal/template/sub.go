package template

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// sub is Fn::Sub: text with values in it.
type sub struct {
	at     *source.Node
	pieces []piece
}

// piece is a stretch of text, or a value.
type piece struct {
	text  string
	name  string // how the value is written between the braces
	value expr
}

// subName is what may stand between the braces ("Fn::Sub", template reference).
var subName = regexp.MustCompile(`^[A-Za-z0-9_.:]+$`)

func (sub) compile(c *compiler, f call) expr {
	template := f.argument
	own := map[string]expr{}
	if f.argument.Kind == source.List {
		items := c.arguments(f, 2, 2)
		if items == nil {
			return invalidExpr{}
		}
		template = items[0]
		if _, isFunction, _ := c.function(items[1]); items[1].Kind != source.Object || isFunction != nil {
			c.Errorf(items[1], "the second argument of Fn::Sub is an object of names and values, and here is %s; write !Sub [text, {Name: value}]", items[1].Describe())
			return invalidExpr{}
		}
		for _, entry := range items[1].Fields {
			own[strings.TrimSpace(entry.Name())] = c.textual(entry.Value, "a value of Fn::Sub")
		}
	}
	text, ok := template.Text()
	if !ok {
		c.Errorf(template, "Fn::Sub takes a literal string, and here is %s; write %s", template.Describe(), f.example)
		return invalidExpr{}
	}
	return sub{f.at, c.pieces(template, text, own)}
}

// pieces cuts the text at its ${names}. ${!name} is the text ${name}; a ${ that is not closed is
// text.
func (c *compiler) pieces(at *source.Node, text string, own map[string]expr) []piece {
	var pieces []piece
	for {
		before, rest, found := strings.Cut(text, "${")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return append(pieces, piece{text: text})
		}
		pieces = append(pieces, piece{text: before})
		if literal, escaped := strings.CutPrefix(name, "!"); escaped {
			pieces = append(pieces, piece{text: "${" + literal + "}"})
		} else {
			pieces = append(pieces, piece{name: name, value: c.subValue(at, name, own)})
		}
		text = after
	}
}

func (c *compiler) subValue(at *source.Node, name string, own map[string]expr) expr {
	name = strings.TrimSpace(name) // spaces within the braces are allowed: ${ AWS::Region }
	if value := own[name]; value != nil {
		return value
	}
	if !subName.MatchString(name) {
		c.Errorf(at, "${%s} is no reference: names in Fn::Sub are letters, digits, underscores, periods and colons; for the text itself write ${!%s}", source.Shorten(name), source.Shorten(name))
		return invalidExpr{}
	}
	id, attr, dotted := strings.Cut(name, ".")
	if c.references[name] == "" && dotted && attr != "" && !strings.HasPrefix(name, "AWS::") {
		return c.attributeOf(at, id, literal{attr})
	}
	return c.named(at, name)
}

func (s sub) eval(ev *evaluation) (any, error) {
	var b strings.Builder
	for _, p := range s.pieces {
		if p.value == nil {
			b.WriteString(p.text)
			continue
		}
		text, err := ev.text(p.value, s.at, "${"+source.Shorten(p.name)+"}")
		if err != nil {
			return nil, err
		}
		if err := ev.spend(len(text), s.at); err != nil {
			return nil, err
		}
		b.WriteString(text)
	}
	if err := ev.spend(b.Len(), s.at); err != nil {
		return nil, err
	}
	return b.String(), nil
}

func (s sub) parts(map[string]bool) (values []expr) {
	for _, p := range s.pieces {
		values = append(values, p.value)
	}
	return values
}

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
