package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readJSON reads a JSON template. JSON is not read as the YAML that it nearly is: an escaped pair
// such as \ud83d\ude00 would come out wrong. A file that is YAML but not JSON is read as YAML, with a
// warning: published templates have commas behind the last entry and single quotes, and
// CloudFormation accepts them.
func readJSON(body []byte, tags map[string]string, r *Report) *Node {
	j := &jsonReader{body: body, report: r, place: place{line: 1, column: 1}}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, new(json.RawMessage)); errors.As(err, &syntax) {
		// The offset is behind the character that does not fit; at the end of the file there is
		// none.
		offset := min(max(int(syntax.Offset)-1, 0), len(body))
		if missesComma(syntax, body[offset:]) { // it belongs behind the value before
			line, column := j.at(len(bytes.TrimRight(body[:offset], " \t\r\n")))
			r.Errorf(&Node{line: line, column: column}, "this is not well-formed JSON: a comma is missing here, between two entries")
			return nil
		}
		line, column := j.at(offset)
		asYAML := &Report{File: r.File}
		if root := readYAML(body, tags, asYAML); len(asYAML.Errors) == 0 && root.Get("Resources") != nil {
			r.Warnings = append(r.Warnings, asYAML.Warnings...)
			r.Warnf(&Node{line: line, column: column}, "this is not well-formed JSON (%v%s); CloudFormation reads it as YAML, and other JSON readers refuse it", syntax, jsonHint(syntax))
			return root
		}
		r.Errorf(&Node{line: line, column: column}, "this is not well-formed JSON: %v%s", syntax, jsonHint(syntax))
		return nil
	}
	j.decoder = json.NewDecoder(bytes.NewReader(body))
	j.decoder.UseNumber()
	return j.node(nil, "", 0)
}

// missesComma reports whether another entry begins where a comma was due.
func missesComma(err error, rest []byte) bool {
	after := strings.Contains(err.Error(), "after object key:value pair") || strings.Contains(err.Error(), "after array element")
	return after && len(rest) > 0 && strings.IndexByte(`"{[-0123456789tfn`, rest[0]) >= 0
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
	report  *Report
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
func (j *jsonReader) token(parent *Node, name string) (json.Token, *Node) {
	start := int(j.decoder.InputOffset())
	for start < len(j.body) && strings.IndexByte(" \t\r\n,:", j.body[start]) >= 0 {
		start++
	}
	line, column := j.at(start)
	token, err := j.decoder.Token()
	n := &Node{line: line, column: column, parent: parent, Name: name}
	if err != nil {
		j.report.Errorf(n, "this is not well-formed JSON: %v", err)
	}
	return token, n
}

func (j *jsonReader) node(parent *Node, name string, depth int) *Node {
	token, n := j.token(parent, name)
	if depth > maxDepth {
		j.report.Errorf(n, "the template nests deeper than %d levels; make it flatter", maxDepth)
		j.stopped = true
		return n
	}
	// CloudFormation refuses null, and writes a number out in decimals: a warning names one that it changes.
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			j.items(n, depth)
		} else {
			j.fields(n, depth)
		}
	case nil:
		refuseNull(n, j.report)
		n.Value = ""
	case json.Number:
		n.Value = token
		if strings.ContainsAny(string(token), ".eE") {
			if d, ok := decimal(string(token)); ok {
				n.Value = d
				if note := changed(string(token), d, "a floating-point number"); note != "" {
					j.report.Warnf(n, "%s", note)
				}
			}
		}
	default:
		n.Value = token
	}
	return n
}

func (j *jsonReader) items(n *Node, depth int) {
	n.Kind = List
	for i := 0; !j.stopped && j.decoder.More(); i++ {
		n.Items = append(n.Items, j.node(n, strconv.Itoa(i), depth+1))
	}
	j.close()
}

func (j *jsonReader) fields(n *Node, depth int) {
	n.Kind = Object
	seen := map[string]int{}
	for !j.stopped && j.decoder.More() {
		token, key := j.token(n, "")
		key.Name, _ = token.(string)
		n.Fields = addField(n.Fields, seen, Field{Key: key, Value: j.node(n, key.Name, depth+1)}, j.report)
	}
	j.close()
}

// close reads the bracket or brace that ends a list or an object.
func (j *jsonReader) close() {
	if !j.stopped {
		j.token(nil, "")
	}
}
