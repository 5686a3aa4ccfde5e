package properties

import (
	"bytes"
	"errors"
)

// A dynamic reference is {{resolve:SERVICE:KEY}}, alone in a text or in a longer one. CloudFormation
// resolves those of ssm before it sends a request, and sends those of secretsmanager as they are
// (observed: mixja/cfn-lambda-handler#4). It takes no other spelling for one: with a space after the
// braces, it is a text (observed: aws-cloudformation/cfn-lint PR#4412).
var (
	referenceStart = []byte("{{resolve:")
	referenceEnd   = []byte("}}")
)

// referenceErrors say what to do about a reference, by the service that it names.
var referenceErrors = map[string]error{
	"secretsmanager": errors.New("holds a {{resolve:secretsmanager:…}} reference, which CloudFormation does not resolve in custom resources: pass the secret's ARN, and read the secret in the handler; if the handler resolves references itself, tag the property with cfn:\"reference\""),
	"ssm-secure":     errors.New("holds a {{resolve:ssm-secure:…}} reference, which CloudFormation does not resolve in custom resources: pass the parameter's name, and read the parameter in the handler"),
	"ssm":            errors.New("holds a {{resolve:ssm:…}} reference that CloudFormation has not resolved: write it in the template itself, or pass the parameter's name, and read the parameter in the handler"),
}

var (
	errNoService = errors.New("holds a {{resolve:…}} reference to a service that CloudFormation does not know: of those that it knows, ssm, ssm-secure and secretsmanager, it resolves ssm alone in custom resources")
	errNoEnd     = errors.New("holds the beginning of a {{resolve:…}} reference without its end: close it with }}")
)

// referenceIn returns what is wrong with the first dynamic reference in a text, or nil if the text
// holds none.
func referenceIn(text []byte) error {
	_, rest, found := bytes.Cut(text, referenceStart)
	if !found {
		return nil
	}
	reference, _, closed := bytes.Cut(rest, referenceEnd)
	if !closed {
		return errNoEnd
	}
	service, _, _ := bytes.Cut(reference, []byte(":"))
	if err, known := referenceErrors[string(service)]; known {
		return err
	}
	return errNoService
}

// unresolved returns an error for every string with a dynamic reference, except in properties that
// are tagged reference.
func unresolved(doc *document, p *plan) problems {
	f := referenceFinder{doc: doc}
	// Most properties end here: only these are searched.
	if raw := doc.json(doc.root); bytes.Contains(raw, []byte("resolve:")) || bytes.Contains(raw, []byte(`\u`)) {
		f.search(doc.root, p)
	}
	return f.found
}

type referenceFinder struct {
	doc   *document
	at    path
	found problems
}

// search searches a node, which is of a plan or, if p is nil, of no known type.
func (f *referenceFinder) search(n int, p *plan) {
	if len(f.at) > maxDepth {
		return
	}
	p = p.pointee()
	switch f.doc.kind(n) {
	case text:
		if err := referenceIn(f.doc.bytes(n)); err != nil {
			f.found.add(f.at, err)
		}
	case list:
		var elem *plan
		if p != nil {
			elem = p.elem
		}
		for i, c := range f.doc.elements(n) {
			f.at.enterIndex(i)
			f.search(c, elem)
			f.at.leave()
		}
	case object:
		// What CloudFormation reads itself, and what the handler takes with its references, is not searched.
		for name, value := range f.doc.members(n) {
			if len(f.at) == 0 && forCloudFormation(f.doc.bytes(name)) {
				continue
			}
			below, taken := p.member(f.doc.bytes(name))
			if taken {
				continue
			}
			f.at.enter(f.doc.text(name))
			f.search(value, below)
			f.at.leave()
		}
	}
}

// member returns the plan of an object's member, nil if nothing is known of it, and whether it takes
// references as they are.
func (p *plan) member(name []byte) (_ *plan, reference bool) {
	switch {
	case p == nil:
	case p.shape == asMapping:
		return p.elem, false
	case p.shape == asObject:
		if i, _, ok := p.lookup(name); ok {
			return p.fields[i].plan, p.fields[i].tag.reference
		}
	}
	return nil, false
}

// textual reports whether a value of the plan is a text, or a list or map of texts.
func (p *plan) textual() bool {
	for seen := map[*plan]bool{}; p != nil && !seen[p]; p = p.elem {
		if p.shape == asText || p.shape == asOwnText {
			return true
		}
		seen[p] = true
	}
	return false
}
