package source

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlSyntax reports what the YAML library says of a file that is not YAML, and adds what people
// most often did.
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

// yamlHint is what to do, or nothing.
func yamlHint(at *Node, text string, body []byte) string {
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
