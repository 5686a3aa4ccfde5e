// Package source reads template files into nodes that know their places, and reports what is wrong
// at them. It knows how templates are written, and nothing of what they mean.
package source

import (
	"bytes"
	"unicode/utf8"
)

const (
	// MaxBytes is the most that CloudFormation takes of a template in S3, and of one that
	// transforms have written, in bytes (documented as 1 MB).
	MaxBytes = 1_000_000
	// maxDirectBytes is the same of a template in the request itself.
	maxDirectBytes = 51_200
	// maxDepth bounds nesting. CloudFormation's own bound is not known; no template that people
	// write comes near.
	maxDepth = 100
)

// Read turns the body of a template into nodes: JSON if it begins with {, else YAML, whose tags
// stand for the functions that tags names. The root is nil if it cannot be read; then the report
// has errors.
func Read(body []byte, tags map[string]string, r *Report) *Node {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	switch {
	case len(body) > MaxBytes:
		r.Errorf(&Node{}, "the template has %d bytes, and CloudFormation takes at most %d; split it into several stacks", len(body), MaxBytes)
		return nil
	case !utf8.Valid(body):
		r.Errorf(&Node{}, "the template is not UTF-8 text; save it as UTF-8")
		return nil
	case len(body) > maxDirectBytes:
		r.Warnf(&Node{}, "the template has %d bytes; above %d it must be put into S3 first, as sam deploy and aws cloudformation deploy --s3-bucket do", len(body), maxDirectBytes)
	}
	var root *Node
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '{' {
		root = readJSON(body, tags, r)
	} else {
		root = readYAML(body, tags, r)
	}
	if root != nil && root.Kind != Object && len(r.Errors) == 0 {
		r.Errorf(root, "a template is an object of sections, and here is %s; write Resources: and what belongs to it", root.Kind)
	}
	return root
}
