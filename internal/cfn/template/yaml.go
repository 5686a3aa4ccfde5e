package template

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// shortTags are the tags of YAML templates and the functions that they stand for.
var shortTags = map[string]string{
	"!Ref": "Ref", "!Condition": "Condition",
	"!Contains": "Fn::Contains", "!EachMemberEquals": "Fn::EachMemberEquals", "!EachMemberIn": "Fn::EachMemberIn",
	"!RefAll": "Fn::RefAll", "!ValueOf": "Fn::ValueOf", "!ValueOfAll": "Fn::ValueOfAll",
	"!And": "Fn::And", "!Base64": "Fn::Base64", "!Cidr": "Fn::Cidr", "!Equals": "Fn::Equals", "!FindInMap": "Fn::FindInMap",
	"!GetAZs": "Fn::GetAZs", "!GetAtt": "Fn::GetAtt", "!If": "Fn::If", "!ImportValue": "Fn::ImportValue", "!Join": "Fn::Join",
	"!Length": "Fn::Length", "!Not": "Fn::Not", "!Or": "Fn::Or", "!Select": "Fn::Select", "!Split": "Fn::Split", "!Sub": "Fn::Sub",
	"!ToJsonString": "Fn::ToJsonString", "!Transform": "Fn::Transform",
}

// readYAML reads the one document of a YAML file. Decoding to Go values would lose the short tags, the text of
// 2010-09-09 and every position, so it walks the library's node tree.
func readYAML(body []byte, r *report) *node {
	loader, err := yaml.NewLoader(bytes.NewReader(body))
	if err != nil {
		r.errorf(&node{}, "the template cannot be read: %v", err)
		return nil
	}
	var document, second yaml.Node
	if err := loader.Load(&document); err != nil {
		if errors.Is(err, io.EOF) || len(bytes.TrimSpace(body)) == 0 {
			r.errorf(&node{}, "the template is empty; it needs at least a Resources section with one resource")
		} else {
			yamlSyntax(err, body, r)
		}
		return nil
	}
	switch err := loader.Load(&second); {
	case err == nil:
		r.errorf(&node{line: second.Line, column: second.Column}, "a second YAML document begins here; a template is one document: remove the --- line, or split the file")
		return nil
	case !errors.Is(err, io.EOF):
		yamlSyntax(err, body, r)
		return nil
	}
	if len(document.Content) != 1 {
		r.errorf(&node{}, "the template is empty; it needs at least a Resources section with one resource")
		return nil
	}
	y := yamlReader{report: r, aliases: map[string]bool{}}
	return y.node(document.Content[0], nil, "", 0)
}

// yamlSyntax reports what the YAML library says of a file that is no YAML, and adds what people most often did.
func yamlSyntax(err error, body []byte, r *report) {
	at, text := &node{}, err.Error()
	if load, ok := errors.AsType[*yaml.LoadError](err); ok {
		at.line, at.column = load.Mark.Line, load.Mark.Column
		text = load.Message
		if strings.Contains(text, "unknown anchor") { // whose name is a piece of a value
			text = "unknown anchor"
		}
		if load.ContextMsg != "" {
			text = load.ContextMsg + ": " + text
		}
		if strings.Contains(load.ContextMsg, "quoted scalar") {
			at.line, at.column = load.ContextMark.Line, load.ContextMark.Column // where it began, not where the file ends
		}
		if strings.Contains(text, "could not find expected ':'") {
			at.line, at.column = load.ContextMark.Line, load.ContextMark.Column // the key, not what follows it
		}
	}
	r.errorf(at, "this is not well-formed YAML: %s%s", text, yamlHint(at, text, body))
}

// yamlHint is what to do, or nothing.
func yamlHint(at *node, text string, body []byte) string {
	lines := bytes.Split(body, []byte("\n"))
	if at.line < 1 || at.line > len(lines) {
		return ""
	}
	written := string(lines[at.line-1])
	rest := []rune(written)
	rest = rest[min(max(at.column-1, 0), len(rest)):]
	switch {
	case strings.HasPrefix(strings.TrimLeft(written, " "), "\t"):
		return "; indent with spaces, YAML does not allow tabs"
	case strings.HasPrefix(string(rest), "!") && strings.Count(written, "!") > 1:
		return "; two short functions cannot follow each other: write the outer one in full, as in Fn::Base64: !Sub ..."
	case strings.HasPrefix(string(rest), "@"), strings.HasPrefix(string(rest), "%"), strings.HasPrefix(string(rest), "`"):
		return "; quote a value that begins with " + string(rest[0])
	case strings.Contains(text, "mapping values are not allowed") && at.line > 1 && !strings.Contains(strings.TrimSuffix(written, string(rest)), ":"):
		return "; correct the indentation, or write the colon that the line above lacks"
	case strings.Contains(text, "mapping values are not allowed"):
		return "; quote a value that holds a colon and a space, or correct the indentation"
	case strings.Contains(text, "quoted scalar"):
		return "; close the quote that opens here"
	case strings.Contains(text, "or '}'"), strings.Contains(text, "or ']'"):
		return "; close the brace or bracket that is open, or put a comma between its entries"
	case strings.Contains(text, "unknown anchor"):
		return "; quote a value that begins with *"
	case strings.Contains(text, "could not find expected ':'"):
		return "; write a colon and a space behind the key"
	case strings.Contains(text, "did not find expected key"), strings.Contains(text, "did not find expected '-' indicator"):
		if line := siblingAbove(lines[:at.line]); line > 0 && strings.TrimSpace(written) == strings.TrimSpace(string(rest)) {
			return fmt.Sprintf("; it begins in column %d, and line %d in column %d: indent both alike if they are of one level", at.column, line, indentation(lines[line-1])+1)
		}
	}
	return ""
}

// siblingAbove is the line, from 1, that the last of the lines was probably meant to stand under: the first of those
// above it that are indented more. It is 0 if there is none.
func siblingAbove(lines [][]byte) (found int) {
	own := indentation(lines[len(lines)-1])
	for i := len(lines) - 2; i >= 0; i-- {
		if text := bytes.TrimSpace(lines[i]); len(text) == 0 || text[0] == '#' {
			continue
		}
		if indentation(lines[i]) <= own {
			break
		}
		found = i + 1
	}
	return found
}

func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// quoted is every style whose scalar is a string whatever it looks like.
const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

type yamlReader struct {
	report  *report
	aliases map[string]bool // reported already: one message for each is enough
}

func (y yamlReader) node(n *yaml.Node, parent *node, name string, depth int) *node {
	out := &node{line: n.Line, column: n.Column, parent: parent, name: name}
	if depth > maxDepth {
		y.report.errorf(out, "the template nests deeper than %d levels; make it flatter", maxDepth)
		return out
	}
	if n.Kind == yaml.AliasNode {
		if y.aliases[n.Value] {
			return out
		}
		y.aliases[n.Value] = true
		y.report.errorf(out, "CloudFormation does not allow YAML aliases in templates; write the value out, or deploy what sam build or aws cloudformation package writes, which expands *%s", shorten(n.Value))
		return out
	}
	if tag := n.Tag; strings.HasPrefix(tag, "!") && tag != "!" && !strings.HasPrefix(tag, "!!") {
		return y.short(n, out, tag, depth)
	}
	y.content(n, out, n.Style&yaml.TaggedStyle != 0 || n.Tag == "!", depth)
	return out
}

// short writes a short tag out: !Sub text is the object {Fn::Sub: text}.
func (y yamlReader) short(n *yaml.Node, out *node, tag string, depth int) *node {
	function, known := shortTags[tag]
	if !known {
		y.report.errorf(out, "%s is no function of CloudFormation%s", shorten(tag), didYouMean(tag, maps.Keys(shortTags)))
		return out
	}
	argument := &node{line: n.Line, column: n.Column, parent: out, name: function}
	if n.Kind == yaml.ScalarNode {
		argument.value = n.Value // always a string: the tag is of the function, not of the value
	} else {
		y.content(n, argument, false, depth+1)
	}
	out.kind = object
	key := newScalar(argument, function)
	out.fields = []field{{key: key, value: argument}}
	return out
}

func (y yamlReader) content(n *yaml.Node, out *node, tagged bool, depth int) {
	switch n.Tag {
	case "!!binary", "!!omap", "!!pairs", "!!set", "!!timestamp":
		if tagged {
			y.report.errorf(out, "CloudFormation does not support the YAML tag %s; remove it", n.Tag)
			return
		}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		y.scalar(n, out, tagged)
	case yaml.SequenceNode:
		out.kind = list
		for i, item := range n.Content {
			out.items = append(out.items, y.node(item, out, strconv.Itoa(i), depth+1))
		}
	case yaml.MappingNode:
		out.kind = object
		y.fields(n, out, depth)
	}
}

func (y yamlReader) scalar(n *yaml.Node, out *node, tagged bool) {
	out.value = n.Value
	if n.Style&quoted != 0 || tagged && (n.Tag == "!!str" || n.Tag == "!") {
		return
	}
	if yamlNull.MatchString(n.Value) {
		refuseNull(out, y.report)
		return
	}
	value, note, err := plainScalar(n.Value)
	if err != nil {
		y.report.errorf(out, "%v", err)
		return
	}
	out.value = value
	if note != "" {
		y.report.warnf(out, "%s", note)
	}
}

func (y yamlReader) fields(n *yaml.Node, out *node, depth int) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		key := &node{line: k.Line, column: k.Column, parent: out, name: k.Value, value: k.Value}
		switch {
		case k.Kind != yaml.ScalarNode:
			key.name = "?"
			y.report.errorf(key, "a key must be a single word; write the value of this one under a name")
			continue
		case k.Tag == "!!merge":
			y.report.errorf(key, "CloudFormation does not support YAML's merge key <<; write the entries out, or deploy what sam build or aws cloudformation package writes, which expands it")
			continue
		case k.Style&quoted == 0:
			if _, note, _ := plainScalar(k.Value); note != "" {
				y.report.warnf(key, "%s", note)
			}
		}
		out.fields = addField(out.fields, seen, field{key: key, value: y.node(n.Content[i+1], out, k.Value, depth+1)}, y.report)
	}
}

// addField adds an entry to an object. Of two with one key CloudFormation takes the last, in YAML and in JSON.
func addField(fields []field, seen map[string]int, f field, r *report) []field {
	if i, twice := seen[f.name()]; twice {
		r.warnf(f.key, "the key %s is already given in line %d, and CloudFormation takes this one; remove one of the two", shorten(f.name()), fields[i].key.line)
		fields[i] = f
		return fields
	}
	seen[f.name()] = len(fields)
	return append(fields, f)
}

func refuseNull(n *node, r *report) {
	if n.parent == nil {
		r.errorf(n, "the template is empty; it needs at least a Resources section with one resource")
		return
	}
	r.errorf(n, "'null' values are not allowed in templates; give %s a value, or leave it out", shorten(n.name))
}
