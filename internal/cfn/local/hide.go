package local

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// signature is what makes a URL a capability, in both versions of signing.
var signature = regexp.MustCompile(`((?:X-Amz-Signature|X-Amz-Credential|Signature|AWSAccessKeyId)=)[^&\s"'\\]+`)

// hideSignature takes the signatures out of a text, of URLs that a handler
// wrote to its log, for one.
func hideSignature(text string) string { return signature.ReplaceAllString(text, "${1}hidden") }

// hidden stands for what is not shown.
const hidden = "****"

// Secrets returns the values that are not to be shown: those of parameters with
// NoEcho, and those in the Data of answers with NoEcho.
func (r *Record) Secrets() []string {
	var all []string
	for _, d := range r.Deployments {
		plan, err := d.Plan(r.Stack)
		if err != nil {
			continue // it was read when it was deployed
		}
		for _, p := range plan.Parameters {
			if p.NoEcho {
				all = append(all, d.Parameters[p.Name], d.SSM[d.Parameters[p.Name]])
			}
		}
	}
	for _, q := range r.Stack.Requests {
		all = append(all, SecretData(q.Answer)...)
		for _, late := range q.Late {
			all = append(all, SecretData(late)...)
		}
	}
	return all
}

// SecretData returns the strings in the Data of an answer with NoEcho.
func SecretData(answer string) (all []string) {
	var a struct {
		NoEcho bool
		Data   any
	}
	if json.Unmarshal([]byte(answer), &a) != nil || !a.NoEcho {
		return nil
	}
	each(a.Data, func(s string) { all = append(all, s) })
	return all
}

func each(v any, do func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			each(e, do)
		}
	case []any:
		for _, e := range v {
			each(e, do)
		}
	case string:
		do(v)
	}
}

// literal is a string in a JSON text.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// HideValues replaces secrets in the strings of a JSON text, or in any other
// text, wherever they stand: in what uses an attribute as well as in what gave
// it. Those of less than four characters are hidden only where they are a whole
// string.
func HideValues(text []byte, secrets []string) []byte {
	secrets = slices.Clone(secrets)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // the longer first: one can hold another
	if !json.Valid(text) {
		return []byte(hideIn(string(text), secrets))
	}
	return literal.ReplaceAllFunc(text, func(written []byte) []byte {
		var s string
		if json.Unmarshal(written, &s) != nil {
			return written
		}
		shown := hideIn(s, secrets)
		if shown == s {
			return written
		}
		out, _ := json.Marshal(shown) // a string always can be
		return out
	})
}

func hideIn(text string, secrets []string) string {
	for _, s := range secrets {
		switch {
		case text == s && s != "":
			return hidden
		case len(s) >= 4:
			text = strings.ReplaceAll(text, s, hidden)
		}
	}
	return text
}
