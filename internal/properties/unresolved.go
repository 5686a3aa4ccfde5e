package properties

import (
	"bytes"
	"errors"
)

var errUnresolved = errors.New("holds a {{resolve:…}} reference, which CloudFormation does not resolve in custom resources: pass the secret's ARN, and read the secret in the handler")

// unresolved returns an error for every string that begins like a dynamic
// reference. Those of ssm-secure and secretsmanager are not supported in
// custom resources ("Dynamic references", AWS CloudFormation User Guide).
func unresolved(doc *document) (found problems) {
	if raw := doc.json(doc.root); !bytes.Contains(raw, []byte("resolve:")) && !bytes.Contains(raw, []byte(`\u`)) {
		return found
	}
	var at path
	var walk func(n int)
	walk = func(n int) {
		if len(at) > maxDepth {
			return
		}
		switch doc.kind(n) {
		case text:
			if bytes.HasPrefix(doc.bytes(n), []byte("{{resolve:")) {
				found.add(at, errUnresolved)
			}
		case list:
			for i, c := range doc.elements(n) {
				at.enterIndex(i)
				walk(c)
				at.leave()
			}
		case object:
			for name, value := range doc.members(n) {
				if len(at) == 0 && forCloudFormation(doc.bytes(name)) {
					continue
				}
				at.enter(doc.text(name))
				walk(value)
				at.leave()
			}
		}
	}
	walk(doc.root)
	return found
}
