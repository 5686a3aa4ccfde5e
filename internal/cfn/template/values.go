package template

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
)

// ParameterValue is a parameter of one stack, for showing.
type ParameterValue struct {
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
func (p *Parameter) check(value string) string {
	if problem := p.violated(value); problem != "" {
		if p.ConstraintDescription != "" {
			return fmt.Sprintf("%s (%s)", p.ConstraintDescription, problem)
		}
		return problem
	}
	return ""
}

func (p *Parameter) violated(value string) string {
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
			return "the value must be one of " + shorten(strings.Join(p.AllowedValues, ", "))
		case p.pattern != nil && !p.pattern.MatchString(item):
			return "the whole value must match the pattern " + shorten(p.AllowedPattern)
		case p.elementType() == "Number" && !number.MatchString(item):
			return "the value must be a number"
		}
	}
	return p.outOfBounds(value)
}

func (p *Parameter) outOfBounds(value string) string {
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

// give settles the value of every parameter for one stack.
func (t *Template) give(stack Stack, d *decisions) []ParameterValue {
	var shown []ParameterValue
	d.parameters = map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(stack.Parameters)) {
		if t.names.parameters[name] == nil {
			d.report.errorf(&node{}, "a value is given for the parameter %s, which the template does not have%s", shorten(name), didYouMean(name, maps.Keys(t.names.parameters)))
		}
	}
	for _, p := range t.parameters {
		value, given := stack.Parameters[p.Name]
		switch {
		case !given && p.Default == nil:
			d.report.errorf(p.at, "the parameter %s has no default and no value is given; give one, or write a Default", p.Name)
			continue
		case !given:
			value = *p.Default
		default:
			if problem := p.check(value); problem != "" {
				d.report.errorf(p.at, "the value given for the parameter %s is refused: %s", p.Name, problem)
				continue
			}
		}
		v := ParameterValue{Name: p.Name, Type: p.Type, Value: value, Default: !given, NoEcho: p.NoEcho}
		known := true
		if p.fromStore() {
			v.Resolved, known = p.stored(value, stack, d.report)
			value = v.Resolved
		}
		switch {
		case !known:
			d.parameters[p.Name] = unknown{}
		case p.isList():
			d.parameters[p.Name], _ = asList(splitList(value))
		default:
			d.parameters[p.Name] = value
		}
		if p.NoEcho {
			v.Value = "****"
			if v.Resolved != "" {
				v.Resolved = "****"
			}
		}
		shown = append(shown, v)
	}
	return shown
}

// stored looks a name up in the stand-in for Parameter Store. An image that AWS publishes is made up, as images are
// stand-ins like all of AWS; any other name that is not there is an error where its value is used. Templates of the CDK
// read such a parameter, the version of their bootstrap stack, and use it in a rule alone.
func (p *Parameter) stored(name string, stack Stack, r *report) (value string, known bool) {
	if value, ok := stack.Store[name]; ok {
		return value, true
	}
	if strings.HasPrefix(name, "/aws/service/") && p.elementType() == "AWS::EC2::Image::Id" {
		r.warnf(p.at, "the image that AWS publishes under the value of %s is made up here; give one with --ssm NAME=VALUE if a handler looks at it", p.Name)
		sum := sha256.Sum256([]byte(name))
		return "ami-" + hex.EncodeToString(sum[:])[:17], true
	}
	return "", false
}

// requireStored reports the use of a parameter whose value is in Parameter Store and not here.
func (p *planner) requireStored(ref parameterRef) {
	if p.parameters[ref.name] != any(unknown{}) {
		return
	}
	name := "NAME"
	if declared := p.names.parameters[ref.name]; !declared.NoEcho {
		given, ok := p.given[ref.name]
		if !ok {
			given = *declared.Default
		}
		name = shorten(given)
	}
	p.report.errorf(ref.at, "the parameter %s is read from Parameter Store, which is not here; give the value with --ssm %s=VALUE", ref.name, name)
}
