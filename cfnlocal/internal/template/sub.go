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
	names  []string // as they are written between the braces, each once
	values []expr   // of the names: each is evaluated once
}

// piece is a stretch of text, or one of the values by its place among them.
type piece struct {
	text  string
	value int // -1 for text
}

// subName matches the names allowed between the braces ("Fn::Sub", template reference).
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
			return c.invalid(items[1], "the second argument of Fn::Sub must be an object of names and values, not %s; write !Sub [text, {Name: value}]", items[1].Describe())
		}
		for _, entry := range items[1].Fields {
			own[strings.TrimSpace(entry.Name())] = c.textual(entry.Value, "a value of Fn::Sub")
		}
	}
	text, ok := template.Text()
	if !ok {
		return c.invalid(template, "Fn::Sub takes a literal string, not %s; write %s", template.Describe(), f.example)
	}
	s := sub{at: f.at}
	c.cut(&s, template, text, own)
	return s
}

// cut cuts the text at its ${names}. ${!name} is the text ${name}; a ${ that is not closed is text.
func (c *compiler) cut(s *sub, at *source.Node, text string, own map[string]expr) {
	// A name that stands several times is evaluated once.
	places := map[string]int{}
	for {
		before, rest, found := strings.Cut(text, "${")
		name, after, closed := strings.Cut(rest, "}")
		if isReference := found && closed; !isReference {
			s.pieces = append(s.pieces, piece{text, -1})
			return
		}
		s.pieces = append(s.pieces, piece{before, -1})
		if literal, escaped := strings.CutPrefix(name, "!"); escaped {
			s.pieces = append(s.pieces, piece{"${" + literal + "}", -1})
		} else {
			key := strings.TrimSpace(name) // spaces within the braces are allowed: ${ AWS::Region }
			place, again := places[key]
			if !again {
				place = len(s.values)
				places[key] = place
				s.names, s.values = append(s.names, name), append(s.values, c.subValue(at, key, own))
			}
			s.pieces = append(s.pieces, piece{value: place})
		}
		text = after
	}
}

func (c *compiler) subValue(at *source.Node, name string, own map[string]expr) expr {
	if value := own[name]; value != nil {
		return value
	}
	if !subName.MatchString(name) {
		return c.invalid(at, "${%s} is not a reference: names in Fn::Sub are letters, digits, underscores, periods and colons; for the text itself write ${!%s}", source.Shorten(name), source.Shorten(name))
	}
	id, attr, dotted := strings.Cut(name, ".")
	// A reference of SAM such as Function.Version is one name, although it has a dot.
	isWhole := c.references[name] != "" || strings.HasPrefix(name, "AWS::")
	isAttribute := dotted && attr != ""
	if isAttribute && !isWhole {
		return c.attributeOf(at, id, literal{attr})
	}
	return c.named(at, name)
}

func (s sub) eval(ev *evaluation) (any, error) {
	texts := make([]string, len(s.values))
	for i, value := range s.values {
		text, err := ev.text(value, s.at, "${"+source.Shorten(s.names[i])+"}")
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	// The length of the text is known before it is made.
	size := 0
	for _, p := range s.pieces {
		size += len(p.in(texts))
	}
	if err := ev.spend(size+perStep*len(s.pieces), s.at); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.Grow(size)
	for _, p := range s.pieces {
		b.WriteString(p.in(texts))
	}
	return b.String(), nil
}

// in is the text of a piece, given those of the values.
func (p piece) in(texts []string) string {
	if p.value < 0 {
		return p.text
	}
	return texts[p.value]
}

// written is the text without the values.
func (s sub) written() string {
	var b strings.Builder
	for _, p := range s.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

func (s sub) parts(map[string]bool) []expr { return s.values }

// jsonString is Fn::ToJsonString: a list or an object as JSON, its keys in the order of the
// template.
type jsonString struct{}

func (jsonString) compile(c *compiler, f call) expr {
	if f.argument.Kind == source.Scalar {
		return c.invalid(f.argument, "Fn::ToJsonString takes an object or a list, not a single value; write %s", f.example)
	}
	value := c.expr(f.argument)
	c.checkJSON(f.argument, value)
	return applied{[]expr{value}, func(ev *evaluation) (any, error) {
		var out bytes.Buffer
		if _, err := writeJSON(&out, value, ev, f.at); err != nil {
			return nil, err
		}
		return out.String(), nil
	}}
}

// checkJSON refuses what CloudFormation cannot make JSON of: a condition (observed:
// aws-cloudformation/cfn-language-discussion#156), and an attribute that is a list (observed: #103 there), since the
// transform writes an Fn::Sub.
func (c *compiler) checkJSON(n *source.Node, e expr) {
	switch e := e.(type) {
	case objectExpr:
		if _, word := n.Get("Condition").Text(); word && len(n.Fields) == 1 {
			c.Checkf(n, "Fn::ToJsonString does not support Condition intrinsic function, and an object with this one key is one; write Fn::If, or another key")
		}
		for i, value := range e.values {
			if n.Kind == source.Object && len(n.Fields) == len(e.values) {
				c.checkJSON(n.Fields[i].Value, value)
			}
		}
	case listExpr:
		for i, item := range e.items {
			if n.Kind == source.List && len(n.Items) == len(e.items) {
				c.checkJSON(n.Items[i], item)
			}
		}
	case attribute:
		if c.isListAttribute(e) {
			c.Checkf(e.at, "Fn::ToJsonString cannot write a list that an attribute gives: every value of the context object of every Fn::Sub object must be a string; write !Join or !Select with it")
		}
	}
}

// writeJSON writes a value; it is left out, and written is false, if it is AWS::NoValue.
func writeJSON(out *bytes.Buffer, e expr, ev *evaluation, at *source.Node) (written bool, err error) {
	if err := ev.spend(perStep, at); err != nil {
		return false, err
	}
	switch e := e.(type) {
	case objectExpr:
		return true, writeEntries(out, "{}", e.names, e.values, ev, at)
	case listExpr:
		return true, writeEntries(out, "[]", nil, e.items, ev, at)
	}
	v, err := ev.eval(e)
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

// writeEntries writes a list, or an object if there are names, without entries that are AWS::NoValue.
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
