package source

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readYAML reads the one document of a YAML file. Decoding to Go values would lose the short tags,
// the text of 2010-09-09 and every position, so it walks the library's node tree.
func readYAML(body []byte, tags map[string]string, r *Report) *Node {
	loader, err := yaml.NewLoader(bytes.NewReader(body))
	if err != nil {
		r.Errorf(&Node{}, "the template cannot be read: %v", err)
		return nil
	}
	var document, second yaml.Node
	if err := loader.Load(&document); err != nil {
		if errors.Is(err, io.EOF) || len(bytes.TrimSpace(body)) == 0 {
			r.Errorf(&Node{}, "the template is empty; it needs at least a Resources section with one resource")
		} else {
			yamlSyntax(err, body, r)
		}
		return nil
	}
	switch err := loader.Load(&second); {
	case err == nil:
		r.Errorf(&Node{line: second.Line, column: second.Column}, "a second YAML document begins here; a template is one document: remove the --- line, or split the file")
		return nil
	case !errors.Is(err, io.EOF):
		yamlSyntax(err, body, r)
		return nil
	}
	if len(document.Content) != 1 {
		r.Errorf(&Node{}, "the template is empty; it needs at least a Resources section with one resource")
		return nil
	}
	y := yamlReader{report: r, tags: tags, aliases: map[string]bool{}}
	return y.node(document.Content[0], nil, "", 0)
}

// quoted is every style whose scalar is a string whatever it looks like.
const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

type yamlReader struct {
	report  *Report
	tags    map[string]string
	aliases map[string]bool // reported already: one message for each is enough
}

func (y yamlReader) node(n *yaml.Node, parent *Node, name string, depth int) *Node {
	out := &Node{line: n.Line, column: n.Column, parent: parent, Name: name}
	if depth > maxDepth {
		y.report.Errorf(out, "the template nests deeper than %d levels; make it flatter", maxDepth)
		return out
	}
	if n.Kind == yaml.AliasNode {
		if y.aliases[n.Value] {
			return out
		}
		y.aliases[n.Value] = true
		y.report.Errorf(out, "CloudFormation does not allow YAML aliases in templates; write the value out, or deploy what sam build or aws cloudformation package writes, which expands *%s", Shorten(n.Value))
		return out
	}
	if tag := n.Tag; strings.HasPrefix(tag, "!") && tag != "!" && !strings.HasPrefix(tag, "!!") {
		return y.short(n, out, tag, depth)
	}
	y.content(n, out, n.Style&yaml.TaggedStyle != 0 || n.Tag == "!", depth)
	return out
}

// short writes a short tag out: !Sub text is the object {Fn::Sub: text}.
func (y yamlReader) short(n *yaml.Node, out *Node, tag string, depth int) *Node {
	function, known := y.tags[tag]
	if !known {
		y.report.Errorf(out, "%s is no function of CloudFormation%s", Shorten(tag), DidYouMean(tag, maps.Keys(y.tags)))
		return out
	}
	argument := &Node{line: n.Line, column: n.Column, parent: out, Name: function}
	if n.Kind == yaml.ScalarNode {
		argument.Value = n.Value // always a string: the tag is of the function, not of the value
	} else {
		y.content(n, argument, false, depth+1)
	}
	out.Kind = Object
	out.Fields = []Field{NewField(function, argument)}
	return out
}

func (y yamlReader) content(n *yaml.Node, out *Node, tagged bool, depth int) {
	switch n.Tag {
	case "!!binary", "!!omap", "!!pairs", "!!set", "!!timestamp":
		if tagged {
			y.report.Errorf(out, "CloudFormation does not support the YAML tag %s; remove it", n.Tag)
			return
		}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		y.scalar(n, out, tagged)
	case yaml.SequenceNode:
		out.Kind = List
		for i, item := range n.Content {
			out.Items = append(out.Items, y.node(item, out, strconv.Itoa(i), depth+1))
		}
	case yaml.MappingNode:
		out.Kind = Object
		y.fields(n, out, depth)
	}
}

func (y yamlReader) scalar(n *yaml.Node, out *Node, tagged bool) {
	out.Value = n.Value
	if n.Style&quoted != 0 || tagged && (n.Tag == "!!str" || n.Tag == "!") {
		return
	}
	if yamlNull.MatchString(n.Value) {
		refuseNull(out, y.report)
		return
	}
	value, note, err := plainScalar(n.Value)
	if err != nil {
		y.report.Errorf(out, "%v", err)
		return
	}
	out.Value = value
	if note != "" {
		y.report.Warnf(out, "%s", note)
	}
}

func (y yamlReader) fields(n *yaml.Node, out *Node, depth int) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		key := &Node{line: k.Line, column: k.Column, parent: out, Name: k.Value}
		switch {
		case k.Kind != yaml.ScalarNode:
			key.Name = "?"
			y.report.Errorf(key, "a key must be a single word; write the value of this one under a name")
			continue
		case k.Tag == "!!merge":
			y.report.Errorf(key, "CloudFormation does not support YAML's merge key <<; write the entries out, or deploy what sam build or aws cloudformation package writes, which expands it")
			continue
		case k.Style&quoted == 0:
			if _, note, _ := plainScalar(k.Value); note != "" {
				y.report.Warnf(key, "%s", note)
			}
		}
		out.Fields = addField(out.Fields, seen, Field{Key: key, Value: y.node(n.Content[i+1], out, k.Value, depth+1)}, y.report)
	}
}

// addField adds an entry to an object. Of two with one key CloudFormation takes the last, in YAML
// and in JSON.
func addField(fields []Field, seen map[string]int, f Field, r *Report) []Field {
	if i, twice := seen[f.Name()]; twice {
		r.Warnf(f.Key, "the key %s is already given in line %d, and CloudFormation takes this one; remove one of the two", Shorten(f.Name()), fields[i].Key.line)
		fields[i] = f
		return fields
	}
	seen[f.Name()] = len(fields)
	return append(fields, f)
}

func refuseNull(n *Node, r *Report) {
	if n.parent == nil {
		r.Errorf(n, "the template is empty; it needs at least a Resources section with one resource")
		return
	}
	r.Errorf(n, "'null' values are not allowed in templates; give %s a value, or leave it out", Shorten(n.Name))
}
