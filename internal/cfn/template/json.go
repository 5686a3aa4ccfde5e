package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readJSON reads a JSON template. JSON is not read as the YAML that it nearly is: an escaped pair such as \ud83d\ude00
// would come out wrong. What is no JSON and yet YAML is read as that, with a warning: published templates have commas behind
// the last entry and single quotes, and CloudFormation takes them.
func readJSON(body []byte, r *report) *node {
	j := &jsonReader{body: body, report: r, place: place{line: 1, column: 1}}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, new(json.RawMessage)); errors.As(err, &syntax) {
		// The offset is behind the character that does not fit; at the end of the file there is none.
		line, column := j.at(min(max(int(syntax.Offset)-1, 0), len(body)))
		asYAML := &report{file: r.file}
		if root := readYAML(body, asYAML); len(asYAML.errors) == 0 && root.get("Resources") != nil {
			r.warnings = append(r.warnings, asYAML.warnings...)
			r.warnf(&node{line: line, column: column}, "this is not well-formed JSON (%v%s); it is YAML, as which CloudFormation reads it, and other readers of JSON do not", syntax, jsonHint(syntax))
			return root
		}
		r.errorf(&node{line: line, column: column}, "this is not well-formed JSON: %v%s", syntax, jsonHint(syntax))
		return nil
	}
	j.decoder = json.NewDecoder(bytes.NewReader(body))
	j.decoder.UseNumber()
	return j.node(nil, "", 0)
}

func jsonHint(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "looking for beginning of object key string"):
		return "; keys are quoted, and no comma follows the last entry"
	case strings.Contains(text, "looking for beginning of value"):
		return "; no comma follows the last entry, and JSON has no comments"
	case strings.Contains(text, "unexpected end"):
		return "; a brace or a bracket is not closed"
	case strings.Contains(text, "after top-level value"):
		return "; a template is one object: remove what follows it"
	}
	return ""
}

type jsonReader struct {
	body    []byte
	decoder *json.Decoder
	report  *report
	place   place
	stopped bool // nested too deep: the tokens that follow are not read
}

// place is a line and a column that only move forward, so that a whole file is counted once.
type place struct{ offset, line, column int }

func (j *jsonReader) at(offset int) (line, column int) {
	for j.place.offset < offset {
		r, size := utf8.DecodeRune(j.body[j.place.offset:])
		j.place.offset += size
		j.place.column++
		if r == '\n' {
			j.place.line, j.place.column = j.place.line+1, 1
		}
	}
	return j.place.line, j.place.column
}

// token reads the next token and gives the place where it begins.
func (j *jsonReader) token(parent *node, name string) (json.Token, *node) {
	start := int(j.decoder.InputOffset())
	for start < len(j.body) && strings.IndexByte(" \t\r\n,:", j.body[start]) >= 0 {
		start++
	}
	line, column := j.at(start)
	token, err := j.decoder.Token()
	n := &node{line: line, column: column, parent: parent, name: name}
	if err != nil {
		j.report.errorf(n, "this is not well-formed JSON: %v", err)
	}
	return token, n
}

func (j *jsonReader) node(parent *node, name string, depth int) *node {
	token, n := j.token(parent, name)
	if depth > maxDepth {
		j.report.errorf(n, "the template nests deeper than %d levels; make it flatter", maxDepth)
		j.stopped = true
		return n
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			j.items(n, depth)
		} else {
			j.fields(n, depth)
		}
	case nil:
		refuseNull(n, j.report)
		n.value = ""
	case json.Number:
		n.value = token
		if strings.ContainsAny(string(token), ".eE") {
			if d, ok := decimal(string(token)); ok {
				n.value = d
				if note := changed(string(token), d, "a floating-point number"); note != "" {
					j.report.warnf(n, "%s", note)
				}
			}
		}
	default:
		n.value = token
	}
	return n
}

func (j *jsonReader) items(n *node, depth int) {
	n.kind = list
	for i := 0; !j.stopped && j.decoder.More(); i++ {
		n.items = append(n.items, j.node(n, strconv.Itoa(i), depth+1))
	}
	j.close()
}

func (j *jsonReader) fields(n *node, depth int) {
	n.kind = object
	seen := map[string]int{}
	for !j.stopped && j.decoder.More() {
		token, key := j.token(n, "")
		key.name, _ = token.(string)
		key.value = key.name
		n.fields = addField(n.fields, seen, field{key: key, value: j.node(n, key.name, depth+1)}, j.report)
	}
	j.close()
}

// close reads the bracket or brace that ends a list or an object.
func (j *jsonReader) close() {
	if !j.stopped {
		j.token(nil, "")
	}
}
