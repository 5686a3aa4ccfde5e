package parameter

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// Value is a parameter of one stack, for showing.
type Value struct {
	Name, Type string
	// Value is what was given or the default, and **** for a NoEcho parameter.
	Value string
	// Resolved is what Ref gives for a parameter that is read from Parameter Store, else "".
	Resolved string
	Default  bool // no value was given
	NoEcho   bool
}

var number = regexp.MustCompile(`^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)

// check says what is wrong with a value, never the value: it may be a secret.
func (p *Declaration) check(value string) string {
	if problem := p.violated(value); problem != "" {
		if p.ConstraintDescription != "" {
			return fmt.Sprintf("%s (%s)", p.ConstraintDescription, problem)
		}
		return problem
	}
	return ""
}

func (p *Declaration) violated(value string) string {
	if len(value) > maxValue {
		return fmt.Sprintf("a value has at most %d bytes, and this one has %d", maxValue, len(value))
	}
	items := []string{value}
	if p.isList() && !p.fromStore() {
		items = splitList(value)
	}
	for _, item := range items {
		switch {
		case len(p.AllowedValues) > 0 && !slices.Contains(p.AllowedValues, item):
			if p.NoEcho {
				return "the value must be one of AllowedValues"
			}
			return "the value must be one of " + source.Shorten(strings.Join(p.AllowedValues, ", "))
		case p.pattern != nil && !p.pattern.MatchString(item):
			return "the whole value must match the pattern " + source.Shorten(p.AllowedPattern)
		case p.elementType() == "Number" && !number.MatchString(item):
			return "the value must be a number"
		}
	}
	return p.outOfBounds(value)
}

func (p *Declaration) outOfBounds(value string) string {
	length := utf8.RuneCountInString(value)
	switch {
	case p.MinLength != nil && length < *p.MinLength:
		return fmt.Sprintf("the value must have at least %d characters", *p.MinLength)
	case p.MaxLength != nil && length > *p.MaxLength:
		return fmt.Sprintf("the value must have at most %d characters", *p.MaxLength)
	case p.MinValue == nil && p.MaxValue == nil:
		return ""
	}
	f, _ := strconv.ParseFloat(value, 64)
	switch {
	case p.MinValue != nil && f < *p.MinValue:
		return fmt.Sprintf("the value must be at least %v", *p.MinValue)
	case p.MaxValue != nil && f > *p.MaxValue:
		return fmt.Sprintf("the value must be at most %v", *p.MaxValue)
	}
	return ""
}

// splitList cuts a comma-delimited value; "each member string is space trimmed".
func splitList(value string) []string {
	items := strings.Split(value, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// Give settles the values of parameters for one stack: what is given, or the default. One that is not known, since it is in
// Parameter Store and not in store, is not among the values.
func Give(declared []*Declaration, given, store map[string]string, r *source.Report) (values map[string]any, shown []Value) {
	names := map[string]bool{}
	for _, p := range declared {
		names[p.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !names[name] {
			r.Errorf(&source.Node{}, "a value is given for the parameter %s, which the template does not have%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(names)))
		}
	}
	values = map[string]any{}
	for _, p := range declared {
		// The value, as it is given or declared.
		value, isGiven := given[p.Name]
		switch {
		case !isGiven && p.Default == nil:
			r.Errorf(p.at, "the parameter %s has no default and no value is given; give one, or write a Default", p.Name)
			continue
		case !isGiven:
			value = *p.Default
		default:
			if problem := p.check(value); problem != "" {
				r.Errorf(p.at, "the value given for the parameter %s is refused: %s", p.Name, problem)
				continue
			}
		}
		v := Value{Name: p.Name, Type: p.Type, Value: value, Default: !isGiven, NoEcho: p.NoEcho}
		// What Ref gives.
		isKnown := true
		if p.fromStore() {
			v.Resolved, isKnown = p.stored(value, store, r)
			value = v.Resolved
		}
		switch {
		case !isKnown:
		case p.isList():
			values[p.Name], _ = source.Slice(splitList(value))
		default:
			values[p.Name] = value
		}
		// What is shown.
		if p.NoEcho {
			v.Value = "****"
			if v.Resolved != "" {
				v.Resolved = "****"
			}
		}
		shown = append(shown, v)
	}
	return values, shown
}

// stored looks a name up in the stand-in for Parameter Store. An image that AWS publishes is made up, as images are
// stand-ins like all of AWS; any other name that is not there is an error where its value is used. Templates of the CDK
// read such a parameter, the version of their bootstrap stack, and use it in a rule alone.
func (p *Declaration) stored(name string, store map[string]string, r *source.Report) (value string, known bool) {
	if value, ok := store[name]; ok {
		return value, true
	}
	if strings.HasPrefix(name, "/aws/service/") && p.elementType() == "AWS::EC2::Image::Id" {
		r.Warnf(p.at, "the image that AWS publishes under the value of %s is made up here; give one with --ssm NAME=VALUE if a handler looks at it", p.Name)
		sum := sha256.Sum256([]byte(name))
		return "ami-" + hex.EncodeToString(sum[:])[:17], true
	}
	return "", false
}
