package properties

import "encoding/json"

// A Member is the value of an object's member. The zero Member is absent.
type Member struct {
	doc *document
	n   int
}

// Members calls each for the members of a JSON object, in their order; name must not
// be kept. It returns false, and calls nothing, if raw is no object.
func Members(raw []byte, each func(name []byte, value Member)) bool {
	doc, err := readObject(raw)
	if doc == nil || err != nil {
		return false
	}
	for name, value := range doc.members(doc.root) {
		each(doc.bytes(name), Member{doc, value})
	}
	return true
}

// JSON returns the value as it came, or nil if it is absent. It is a part of the
// text that was read.
func (m Member) JSON() json.RawMessage {
	if m.doc == nil {
		return nil
	}
	return m.doc.json(m.n)
}

// Text returns a string's text, and "" for null; it returns false for anything else.
func (m Member) Text() (string, bool) {
	switch m.doc.kind(m.n) {
	case text:
		return m.doc.text(m.n), true
	case null:
		return "", true
	}
	return "", false
}

// document returns the value as a document of its own, or nil if it is absent.
func (m Member) document() *document {
	if m.doc == nil {
		return nil
	}
	return &document{raw: m.doc.raw, nodes: m.doc.nodes, root: m.n}
}
