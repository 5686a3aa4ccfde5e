package template

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

const maxLoops = 5 // within each other ("Fn::ForEach", template reference)

// expandLoops writes out the loops of a template: Fn::ForEach::Name: [Identifier, collection, {key:
// value}]. Within a loop ${Identifier} stands for an item of the collection wherever it is written,
// &{Identifier} for its letters and digits alone, and {Ref: Identifier} is the item. collection
// evaluates a collection, and reports its mistakes.
func expandLoops(root *source.Node, r *source.Report, collection func(*source.Node) []string) *source.Node {
	e := &expander{Report: r, collection: collection}
	out := source.NewObject(root)
	for _, f := range root.Fields {
		switch f.Name() {
		case "Conditions", "Resources", "Outputs":
			f.Value = e.node(f.Value, nil, 0)
		}
		out.Fields = append(out.Fields, f)
	}
	return out
}

// expander counts what the loops of one template make.
type expander struct {
	*source.Report
	collection func(*source.Node) []string
	made       int // bytes
	stopped    bool
}

var notLettersAndDigits = regexp.MustCompile(`[^A-Za-z0-9]`)

// binding is the item that an identifier stands for in one turn of a loop.
type binding struct {
	identifier, item string
	word             string // the item's letters and digits
}

func (e *expander) node(n *source.Node, scope []binding, loops int) *source.Node {
	if !e.make(len(n.Name)+4, n) {
		return n
	}
	switch n.Kind {
	case source.List:
		items := make([]*source.Node, len(n.Items))
		for i, item := range n.Items {
			items[i] = e.node(item, scope, loops)
		}
		return source.NewList(n, items...)
	case source.Object:
		if item, ok := referenced(n, scope); ok {
			return source.NewScalar(n, item)
		}
		out := source.NewObject(n)
		e.fields(n, out, scope, loops, map[string]bool{})
		return out
	}
	if s, ok := n.Text(); ok {
		if len(scope) > 0 && !e.make(len(s), n) { // each turn has a copy
			return n
		}
		return source.NewScalar(n, e.replace(s, scope, n))
	}
	return source.NewScalar(n, n.Value)
}

// make accounts for bytes of the expanded template, and reports whether there is room for them.
func (e *expander) make(bytes int, at *source.Node) bool {
	if e.made += bytes; e.made > source.MaxBytes && !e.stopped {
		e.Errorf(at, "with its loops written out, the template is larger than the %d bytes that CloudFormation allows for a transformed template; loop over less", source.MaxBytes)
		e.stopped = true
	}
	return !e.stopped
}

func (e *expander) fields(n, out *source.Node, scope []binding, loops int, seen map[string]bool) {
	for _, f := range n.Fields {
		if e.stopped {
			return
		}
		if strings.HasPrefix(f.Name(), source.LoopPrefix) {
			e.loop(f, out, scope, loops, seen)
			continue
		}
		name := e.replace(f.Name(), scope, f.Key)
		key := source.NewKey(f.Key, name)
		if seen[name] {
			e.Errorf(f.Key, "the loops make the key %s twice; use the identifier in the key", source.Shorten(name))
			e.stopped = true
			return
		}
		seen[name] = true
		value := e.node(f.Value, scope, loops)
		out.Fields = append(out.Fields, source.Field{Key: key, Value: value.Within(out, name)})
	}
}

func (e *expander) loop(f source.Field, out *source.Node, scope []binding, loops int, seen map[string]bool) {
	const write = "Fn::ForEach::Name: [Identifier, [item, item], {\"Key${Identifier}\": value}]"
	if loops == maxLoops {
		e.Errorf(f.Key, "at most %d loops can stand within each other", maxLoops)
		e.stopped = true
		return
	}
	isTriple := f.Value.Kind == source.List && len(f.Value.Items) == 3
	if !isTriple || f.Value.Items[2].Kind != source.Object {
		e.Errorf(f.Value, "Fn::ForEach takes an identifier, a collection and an object; write %s", write)
		return
	}
	identifier, ok := f.Value.Items[0].Text()
	isName := ok && identifier != ""
	if !isName || notLettersAndDigits.MatchString(identifier) {
		e.Errorf(f.Value.Items[0], "the identifier of Fn::ForEach must be a word of letters and digits; write %s", write)
		return
	}
	for _, item := range e.collection(e.node(f.Value.Items[1], scope, loops)) {
		if !e.make(4, f.Key) {
			return
		}
		e.fields(f.Value.Items[2], out, append(slices.Clip(scope), binding{identifier, item, notLettersAndDigits.ReplaceAllString(item, "")}), loops+1, seen)
	}
}

// referenced is the item that {Ref: Identifier} stands for.
func referenced(n *source.Node, scope []binding) (string, bool) {
	if len(n.Fields) != 1 || n.Fields[0].Name() != "Ref" {
		return "", false
	}
	name, _ := n.Fields[0].Value.Text()
	for _, b := range scope {
		if b.identifier == name {
			return b.item, true
		}
	}
	return "", false
}

// replace puts the items into a text, where that does not make it too long.
func (e *expander) replace(s string, scope []binding, at *source.Node) string {
	for _, b := range scope {
		for _, r := range [][2]string{{"${" + b.identifier + "}", b.item}, {"&{" + b.identifier + "}", b.word}} {
			if n := strings.Count(s, r[0]); n > 0 && e.make(n*len(r[1]), at) {
				s = strings.ReplaceAll(s, r[0], r[1])
			}
		}
	}
	return s
}

// static returns a literal name, or with AWS::LanguageExtensions the value of an expression in its place.
// refused is the error about an expression without that transform.
func (c *compiler) static(n *source.Node, what, refused string) (string, bool) {
	if s, ok := n.Text(); ok {
		return s, true
	}
	if c.settled == nil {
		c.Errorf(n, refused, n.Describe())
		return "", false
	}
	before := len(c.Errors)
	e := c.textual(n, what)
	if len(c.Errors) > before {
		return "", false
	}
	s, err := c.settled.early().text(e, n, what)
	if err != nil {
		c.Add(err)
	}
	return s, err == nil
}

// collection evaluates the collection of a loop, which must be known before any resource exists.
func (c *compiler) collection(n *source.Node) (items []string) {
	before := len(c.Errors)
	if before > maxErrors {
		return nil
	}
	e := c.listed(n, "the collection of Fn::ForEach", "[item, item]")
	if len(c.Errors) > before {
		return nil
	}
	all, err := c.settled.early().list(e, n, "the collection of Fn::ForEach")
	if err != nil {
		c.Add(err)
		return nil
	}
	for _, v := range all {
		s, ok := source.Text(v)
		if !ok {
			c.Errorf(n, "the collection of Fn::ForEach must be a list of strings, and contains %s", describe(v))
			return nil
		}
		items = append(items, s)
	}
	return items
}
