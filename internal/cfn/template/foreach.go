package template

import (
	"slices"
	"strings"
)

// expander writes the loops of AWS::LanguageExtensions out: Fn::ForEach::Name: [Identifier, collection, {key: value}]. Within
// the loop ${Identifier} stands for an item of the collection wherever it is written, &{Identifier} for its letters and
// digits alone, and {Ref: Identifier} is the item.
type expander struct {
	*compiler
	decisions *decisions
	made      int // bytes
	stopped   bool
}

const (
	loopPrefix = "Fn::ForEach::"
	maxLoops   = 5 // within each other ("Fn::ForEach", template reference)
)

// binding is the item that an identifier stands for in one turn of a loop.
type binding struct{ identifier, item string }

// expand is a section with its loops written out.
func (x *expander) expand(section *node) *node {
	if section == nil {
		return nil
	}
	out := x.node(section, nil, 0)
	out.parent, out.name = section.parent, section.name
	return out
}

func (x *expander) node(n *node, scope []binding, loops int) *node {
	if !x.make(len(n.name)+4, n) {
		return n
	}
	out := &node{kind: n.kind, line: n.line, column: n.column, parent: n.parent, name: n.name, value: n.value}
	switch n.kind {
	case scalar:
		if s, ok := n.text(); ok {
			out.value = x.replace(s, scope, n)
		}
	case list:
		for _, item := range n.items {
			out.items = append(out.items, x.node(item, scope, loops))
		}
	case object:
		if item, ok := referenced(n, scope); ok {
			return newScalar(n, item)
		}
		seen := map[string]bool{}
		x.fields(n, out, scope, loops, seen)
	}
	return out
}

// make accounts for bytes of the template that comes out, and says whether it may go on.
func (x *expander) make(bytes int, at *node) bool {
	if x.made += bytes; x.made > maxBody && !x.stopped {
		x.errorf(at, "with its loops written out the template is larger than %d bytes, which CloudFormation allows of a transformed template; loop over less", maxBody)
		x.stopped = true
	}
	return !x.stopped
}

func (x *expander) fields(n, out *node, scope []binding, loops int, seen map[string]bool) {
	for _, f := range n.fields {
		if x.stopped {
			return
		}
		if strings.HasPrefix(f.name(), loopPrefix) {
			x.loop(f, out, scope, loops, seen)
			continue
		}
		name := x.replace(f.name(), scope, f.key)
		key := newScalar(f.key, name)
		key.name = name
		if seen[name] {
			x.errorf(f.key, "the loops make the key %s twice; use the identifier in the key", shorten(name))
			x.stopped = true
			return
		}
		seen[name] = true
		value := x.node(f.value, scope, loops)
		value.parent, value.name = out, name
		out.fields = append(out.fields, field{key, value})
	}
}

func (x *expander) loop(f field, out *node, scope []binding, loops int, seen map[string]bool) {
	const write = "Fn::ForEach::Name: [Identifier, [item, item], {\"Key${Identifier}\": value}]"
	if loops == maxLoops {
		x.errorf(f.key, "at most %d loops can stand within each other", maxLoops)
		x.stopped = true
		return
	}
	if f.value.kind != list || len(f.value.items) != 3 || f.value.items[2].kind != object {
		x.errorf(f.value, "Fn::ForEach takes an identifier, a collection and an object; write %s", write)
		return
	}
	identifier, ok := f.value.items[0].text()
	if !ok || !alphanumeric.MatchString(identifier) {
		x.errorf(f.value.items[0], "the identifier of Fn::ForEach is a word of letters and digits; write %s", write)
		return
	}
	for _, item := range x.collection(x.node(f.value.items[1], scope, loops)) {
		if !x.make(4, f.key) {
			return
		}
		x.fields(f.value.items[2], out, append(slices.Clip(scope), binding{identifier, item}), loops+1, seen)
	}
}

// collection evaluates what a loop goes over, which must be known before any resource exists.
func (x *expander) collection(n *node) (items []string) {
	before := len(x.errors)
	e := x.listed(n, "the collection of Fn::ForEach", "[item, item]")
	if len(x.errors) > before {
		return nil
	}
	ev := &evaluation{decisions: x.decisions}
	all, err := ev.list(e, n, "the collection of Fn::ForEach")
	if err != nil {
		x.add(err)
		return nil
	}
	for _, v := range all {
		s, ok := text(v)
		if !ok {
			x.errorf(n, "the collection of Fn::ForEach is a list of strings, and here is %s in it", describe(v))
			return nil
		}
		items = append(items, s)
	}
	return items
}

// referenced is the item that {Ref: Identifier} stands for.
func referenced(n *node, scope []binding) (string, bool) {
	if len(n.fields) != 1 || n.fields[0].name() != "Ref" {
		return "", false
	}
	name, _ := n.fields[0].value.text()
	for _, b := range scope {
		if b.identifier == name {
			return b.item, true
		}
	}
	return "", false
}

// replace puts the items into a text, where that does not make it too long.
func (x *expander) replace(s string, scope []binding, at *node) string {
	for _, b := range scope {
		for _, r := range [][2]string{{"${" + b.identifier + "}", b.item}, {"&{" + b.identifier + "}", notAlphanumeric.ReplaceAllString(b.item, "")}} {
			if n := strings.Count(s, r[0]); n > 0 && x.make(n*len(r[1]), at) {
				s = strings.ReplaceAll(s, r[0], r[1])
			}
		}
	}
	return s
}
