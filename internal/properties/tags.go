package properties

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A tag is a parsed cfn tag.
type tag struct {
	createOnly   bool // part of the resource's identity: another value is another resource
	required     bool
	secret       bool
	hasDefault   bool
	defaultValue string
}

// parseTag parses a field's cfn tag: words separated by commas. default= takes the rest of the tag.
func parseTag(st reflect.StructTag) (tag, error) {
	var t tag
	rest := st.Get("cfn")
	if malformed(st) {
		return t, errors.New("the cfn tag is malformed: write `cfn:\"createOnly\"`, without a space after the colon, with double quotes")
	}
	for rest != "" {
		if value, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "default="); ok {
			t.hasDefault, t.defaultValue = true, value
			break
		}
		word, after, more := strings.Cut(rest, ",")
		if more && after == "" {
			return t, errors.New("the cfn tag ends in a comma: remove it")
		}
		switch strings.TrimSpace(word) {
		case "createOnly":
			t.createOnly = true
		case "required":
			t.required = true
		case "secret":
			t.secret = true
		default:
			return t, fmt.Errorf("%q in the cfn tag is not known: write createOnly, required, secret or default=…", word)
		}
		rest = after
	}
	if t.required && t.hasDefault {
		return t, errors.New("a required property needs no default: remove one of the two from the cfn tag")
	}
	return t, nil
}

// hasTag reports whether a field has a cfn tag, well formed or not.
func hasTag(f reflect.StructField) bool {
	_, ok := f.Tag.Lookup("cfn")
	return ok || malformed(f.Tag)
}

// malformed reports whether a field has a cfn tag that package reflect does not find,
// because of missing quotes or an extra space.
func malformed(st reflect.StructTag) bool {
	rest := strings.TrimLeft(string(st), " ")
	for rest != "" {
		key, value, _ := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil || quoted[0] != '"' || strings.ContainsAny(key, " \"") {
			return strings.Contains(rest, "cfn")
		}
		rest = strings.TrimLeft(value[len(quoted):], " ")
	}
	return false
}
