package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"regexp"
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
	// The library has checked the syntax only. What CloudFormation allows of YAML is less.
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
	// A tag with one exclamation mark is a short function. "!" alone makes a string, and those with two are YAML's own.
	isOwn := strings.HasPrefix(n.Tag, "!") && n.Tag != "!"
	if isOwn && !strings.HasPrefix(n.Tag, "!!") {
		return y.short(n, out, n.Tag, depth)
	}
	y.content(n, out, n.Style&yaml.TaggedStyle != 0 || n.Tag == "!", depth)
	return out
}

// short writes a short tag out: !Sub text is the object {Fn::Sub: text}.
func (y yamlReader) short(n *yaml.Node, out *Node, tag string, depth int) *Node {
	function, known := y.tags[tag]
	switch {
	case strings.HasPrefix(tag, "!Rain::"):
		y.report.Errorf(out, "%s is a directive of rain, which CloudFormation refuses; deploy the template that rain pkg writes", Shorten(tag))
		return out
	case !known:
		y.report.Errorf(out, "%s is not a function of CloudFormation%s", Shorten(tag), DidYouMean(tag, maps.Keys(y.tags)))
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
	isString := n.Tag == "!!str" || n.Tag == "!"
	if n.Style&quoted != 0 || tagged && isString {
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
		}
		y.checkKey(k, key)
		out.Fields = addField(out.Fields, seen, Field{Key: key, Value: y.node(n.Content[i+1], out, k.Value, depth+1)}, y.report)
	}
}

// checkKey refuses keys that are no text, as CloudFormation does in every section (observed of numbers:
// aws-cloudformation/cfn-lint#292, awsdocs/aws-cloudformation-user-guide#404; of functions, by people's notes). What it
// makes of a boolean or of null is not known.
func (y yamlReader) checkKey(k *yaml.Node, key *Node) {
	switch _, function := y.tags[k.Tag]; {
	case function:
		y.report.Checkf(key, "map keys must be strings; received a map instead: no function can stand in a key; write the key out")
		return
	case k.Style&quoted != 0, k.Style&yaml.TaggedStyle != 0 && k.Tag == "!!str":
		return
	case yamlNull.MatchString(k.Value), yamlBool.MatchString(k.Value):
		y.report.Warnf(key, "CloudFormation wants keys that are text, and in YAML 1.1 this is a boolean, or null: quote it")
		return
	}
	switch value, note, err := plainScalar(k.Value); value.(type) {
	case json.Number:
		y.report.Checkf(key, "map keys must be strings; received numeric [%v] instead: quote the key", value)
	default:
		if err != nil {
			y.report.Checkf(key, "%v", err)
		} else if note != "" {
			y.report.Warnf(key, "%s", note)
		}
	}
}

// addField adds an entry to an object. If two have one key, CloudFormation takes the last, in YAML
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

// yamlSyntax reports the YAML library's error about a file that is not YAML, and adds a hint about the
// most common mistake.
func yamlSyntax(err error, body []byte, r *Report) {
	at, text := &Node{}, err.Error()
	if load, ok := errors.AsType[*yaml.LoadError](err); ok {
		at.line, at.column = load.Mark.Line, load.Mark.Column
		text = load.Message
		if strings.Contains(text, "unknown anchor") { // whose name is a piece of a value
			text = "unknown anchor"
		}
		if load.ContextMsg != "" {
			text = load.ContextMsg + ": " + text
		}
		// Where a quote began, not where the file ends; and the key, not what follows it.
		if strings.Contains(load.ContextMsg, "quoted scalar") || strings.Contains(text, "could not find expected ':'") {
			at.line, at.column = load.ContextMark.Line, load.ContextMark.Column
		}
	}
	r.Errorf(at, "this is not well-formed YAML: %s%s", text, yamlHint(at, text, body))
}

// yamlHint is advice about a mistake, or "".
func yamlHint(at *Node, text string, body []byte) string {
	lines := bytes.Split(body, []byte("\n"))
	if at.line < 1 || at.line > len(lines) {
		return ""
	}
	written := string(lines[at.line-1])
	rest := []rune(written)
	rest = rest[min(max(at.column-1, 0), len(rest)):]
	lacksColon := at.line > 1 && !strings.Contains(strings.TrimSuffix(written, string(rest)), ":")
	// By the text of the file, and then by the library's message.
	switch {
	case strings.HasPrefix(strings.TrimLeft(written, " "), "\t"):
		return "; indent with spaces, YAML does not allow tabs"
	case strings.HasPrefix(string(rest), "!") && strings.Count(written, "!") > 1:
		return "; two short functions cannot follow each other: write the outer one in full, as in Fn::Base64: !Sub ..."
	case strings.HasPrefix(string(rest), "@"), strings.HasPrefix(string(rest), "%"), strings.HasPrefix(string(rest), "`"):
		return "; quote a value that begins with " + string(rest[0])
	case strings.Contains(text, "mapping values are not allowed") && lacksColon:
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

var (
	yamlNull = regexp.MustCompile(`^(?:~|null|Null|NULL|)$`)
	yamlTrue = regexp.MustCompile(`^(?:true|True|TRUE|yes|Yes|YES|on|On|ON)$`)
	yamlBool = regexp.MustCompile(`^(?:true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$`)
	yamlYN   = regexp.MustCompile(`^[yYnN]$`)
	yamlInt  = regexp.MustCompile(`^[-+]?(?:0|[1-9][0-9_]*)$`)
	// Octal, hexadecimal and binary.
	yamlBased = regexp.MustCompile(`^[-+]?(?:0[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)$`)
	// Base 60, which makes a number of a time of day.
	yamlSixty = regexp.MustCompile(`^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$`)
	yamlFloat = regexp.MustCompile(`^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$`)
	yamlNaN   = regexp.MustCompile(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// plainScalar gives an unquoted YAML scalar the type and the text that CloudFormation gives it:
// "YAML Version 1.1 with a few exceptions" (user guide, "CloudFormation template format"), so yes
// and on are true, 0755 is octal and 12:30 is base 60; timestamps are among the exceptions and stay
// as they are written. note is not empty if the resulting text probably differs from the intended one;
// it never holds the value, which may be a secret.
func plainScalar(text string) (value any, note string, err error) {
	switch {
	case yamlBool.MatchString(text):
		b := yamlTrue.MatchString(text)
		if !strings.EqualFold(text, strconv.FormatBool(b)) { // yes, no, on, off
			note = fmt.Sprintf("CloudFormation reads %s as the boolean %t; quote it if the word is meant", text, b)
		}
		return b, note, nil
	case yamlYN.MatchString(text):
		return text, fmt.Sprintf("%s is a boolean in YAML 1.1, and it is not known whether CloudFormation reads it as one; quote it", text), nil
	case yamlNaN.MatchString(text):
		return nil, "", errors.New("JSON, which CloudFormation works with, has no infinity and no not-a-number; quote the value if the word is meant")
	// Numbers, by their notation.
	case yamlInt.MatchString(text):
		n := json.Number(strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+"))
		if n == "-0" {
			n = "0"
		}
		return n, changed(text, n, "a number"), nil
	case len(text) <= 64 && yamlBased.MatchString(text):
		if i, ok := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 0); ok {
			n := json.Number(i.String())
			return n, changed(text, n, "an octal, hexadecimal or binary number"), nil
		}
	case len(text) <= 64 && yamlSixty.MatchString(text):
		n := sixty(text)
		return n, changed(text, n, "a number to base 60"), nil
	case yamlFloat.MatchString(text):
		if n, ok := decimal(strings.ReplaceAll(text, "_", "")); ok {
			return n, changed(text, n, "a floating-point number"), nil
		}
	}
	return text, "", nil
}

// changed is the note for a number whose text changes.
func changed(text string, n json.Number, kind string) string {
	if text == string(n) {
		return ""
	}
	return "CloudFormation reads this as " + kind + " and writes it differently; quote it if it is meant as written"
}

func sixty(text string) json.Number {
	digits := strings.TrimLeft(strings.ReplaceAll(text, "_", ""), "+-")
	sum := new(big.Int)
	for part := range strings.SplitSeq(digits, ":") {
		i, _ := new(big.Int).SetString(part, 10)
		sum.Add(sum.Mul(sum, big.NewInt(60)), i)
	}
	if strings.HasPrefix(text, "-") {
		sum.Neg(sum)
	}
	return json.Number(sum.String())
}

// decimal writes a number that is no integer as CloudFormation has been seen to: as a Java double,
// so that 3.10 is 3.1, 5e8 is 5.0E8, and 012345678901, which is no octal number, is
// 1.2345678901E10.
func decimal(text string) (json.Number, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	if f == 0 {
		return "0.0", true
	}
	if a := math.Abs(f); a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return json.Number(s), true
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, 64), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	e, _ := strconv.Atoi(exponent)
	return json.Number(mantissa + "E" + strconv.Itoa(e)), true
}
