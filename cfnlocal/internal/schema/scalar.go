package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// scalar returns the mistake in a single value, or "". CloudFormation sends the value as text, and
// the message does not repeat it.
func scalar(text string, p *Property) string {
	if len(p.Type) > 0 && !slices.ContainsFunc(p.Type, func(t string) bool { return isA(text, t) }) {
		if text == "" {
			return "expected " + expected(p) + emptyString
		}
		return "the value is not " + expected(p)
	}
	if values := p.values(); len(values) > 0 && !slices.Contains(values, text) {
		return "the value is not one of those allowed" + didYouMean(text, slices.Values(values))
	}
	if p.takes("integer") || p.takes("number") {
		return outOfRange(text, p)
	}
	length := utf8.RuneCountInString(text)
	switch {
	case p.MinLength != nil && *p.MinLength > 0 && text == "":
		return "expected a text" + emptyString
	case p.MinLength != nil && length < *p.MinLength:
		return fmt.Sprintf("expected at least %d characters, found %d", *p.MinLength, length)
	case p.MaxLength != nil && length > *p.MaxLength:
		return fmt.Sprintf("expected at most %d characters, found %d", *p.MaxLength, length)
	case !matches(p.Pattern, text):
		if len(p.Examples) > 0 {
			if example, ok := p.Examples[0].(string); ok {
				return "the value has the wrong form; write it as " + short(example)
			}
		}
		return "the value does not match the pattern " + short(p.Pattern)
	}
	return ""
}

const emptyString = ", found an empty string; leave the property out, with AWS::NoValue where it depends on a condition"

var decimal = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?$`)

// isA reports whether text can be read as a type of JSON.
func isA(text, jsonType string) bool {
	switch jsonType {
	case "boolean":
		return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
	case "integer":
		n, ok := numberOf(text)
		return ok && n.IsInt()
	case "number":
		_, ok := numberOf(text)
		return ok
	case "string":
		return true
	}
	return false
}

func numberOf(text string) (*big.Rat, bool) {
	const longest = 400 // the digits of the largest float
	if len(text) > longest || !decimal.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func outOfRange(text string, p *Property) string {
	n, ok := numberOf(text)
	if !ok {
		return ""
	}
	for _, limit := range []struct {
		at    *json.Number
		sign  int // of the number minus the limit, if the number is out of range
		words string
	}{{p.Minimum, -1, "less than"}, {p.Maximum, 1, "more than"}} {
		if limit.at == nil {
			continue
		}
		if bound, ok := numberOf(limit.at.String()); ok && n.Cmp(bound) == limit.sign {
			return "the number is " + limit.words + " " + limit.at.String()
		}
	}
	return ""
}

// values returns the values that an enum or a const allows, as text.
func (p *Property) values() (all []string) {
	allowed := p.Enum
	if p.Const != nil {
		allowed = []any{p.Const}
	}
	for _, v := range allowed {
		text, ok := source.Text(v)
		if !ok {
			return nil
		}
		all = append(all, text)
	}
	return all
}
