package template

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// ParameterValue is a parameter of one stack, for showing.
type ParameterValue struct {
	Name, Type string
	// Value is the given value or the default, and **** for a NoEcho parameter.
	Value string
	// Resolved is the value of Ref for a parameter that is read from Parameter Store, else "".
	Resolved string
	Default  bool // no value was given
	NoEcho   bool
}

var numberPattern = regexp.MustCompile(`^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)

// check returns the mistake in a value, or "". It does not repeat the value, which may be a secret.
func (d *Parameter) check(value string, work *budget) string {
	if problem := d.violated(value, work); problem != "" {
		if d.constraintDescription != "" {
			return fmt.Sprintf("%s (%s)", d.constraintDescription, problem)
		}
		return problem
	}
	return ""
}

func (d *Parameter) violated(value string, work *budget) string {
	if len(value) > maxValue {
		return fmt.Sprintf("a value has at most %d bytes, and this one has %d", maxValue, len(value))
	}
	items := []string{value}
	if d.isList() && !d.fromStore() {
		items = splitList(value)
	}
	for _, item := range items {
		switch {
		case len(d.allowedValues) > 0 && !slices.Contains(d.allowedValues, item):
			if d.NoEcho {
				return "the value must be one of AllowedValues"
			}
			return "the value must be one of " + source.Shorten(strings.Join(d.allowedValues, ", "))
		case d.pattern != nil && !work.take(planning, d.patternSteps*len(item)):
			return "comparing the values with patterns takes too much work; shorten this pattern or the value"
		case d.pattern != nil && !d.pattern.MatchString(item):
			return "the whole value must match the pattern " + source.Shorten(d.allowedPattern)
		case d.elementType() == "Number" && !numberPattern.MatchString(item):
			return "the value must be a number"
		}
	}
	return d.outOfBounds(value)
}

func (d *Parameter) outOfBounds(value string) string {
	length := utf8.RuneCountInString(value)
	switch {
	case d.minLength != nil && length < *d.minLength:
		return fmt.Sprintf("the value must have at least %d characters", *d.minLength)
	case d.maxLength != nil && length > *d.maxLength:
		return fmt.Sprintf("the value must have at most %d characters", *d.maxLength)
	case d.minValue == nil && d.maxValue == nil:
		return ""
	}
	f, _ := strconv.ParseFloat(value, 64)
	switch {
	case d.minValue != nil && f < *d.minValue:
		return fmt.Sprintf("the value must be at least %v", *d.minValue)
	case d.maxValue != nil && f > *d.maxValue:
		return fmt.Sprintf("the value must be at most %v", *d.maxValue)
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

// settleParameters settles the values of parameters for one stack: the given values, or the defaults. It
// leaves out a value of Parameter Store that is not in the stack's Store. It guesses a missing value, so
// that all missing values can be reported at once.
func settleParameters(declared []*Parameter, stack Stack, r *source.Report, work *budget) (values map[string]any, shown []ParameterValue, guessed map[string]bool) {
	names, given := map[string]bool{}, stack.Parameters
	for _, d := range declared {
		names[d.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !names[name] {
			r.Errorf(&source.Node{}, "a value is given for the parameter %s, which the template does not have%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(names)))
		}
	}
	values, guessed = map[string]any{}, map[string]bool{}
	for _, d := range declared {
		// The given value, or the default.
		value, isGiven := given[d.Name]
		switch {
		case stack.Later[d.Name]:
			values[d.Name], guessed[d.Name] = d.guess(), true
			continue
		case !isGiven && d.Default == nil:
			if stack.Path != "" {
				r.Missing(d.at, []string{}, "the parameter %s has no default, and the nested stack %s gives it no value; add it to the Parameters of the nested stack", d.Name, strings.TrimSuffix(stack.Path, "."))
			} else {
				r.Missing(d.at, []string{source.Flag("--parameter", d.Name, "VALUE")}, "the parameter %s has no value and no default; give a value, or write a Default", d.Name)
			}
			values[d.Name], guessed[d.Name] = d.guess(), true
			continue
		case !isGiven:
			value = *d.Default
		default:
			if problem := d.check(value, work); problem != "" {
				r.Errorf(d.at, "the value given for the parameter %s is refused: %s", d.Name, problem)
				continue
			}
		}
		v := ParameterValue{Name: d.Name, Type: d.Type, Value: value, Default: !isGiven, NoEcho: d.NoEcho}
		// The value of Ref.
		isKnown := true
		if d.fromStore() {
			v.Resolved, isKnown = d.stored(value, stack.Store, r)
			value = v.Resolved
		}
		switch {
		case !isKnown:
		case d.isList():
			values[d.Name], _ = source.Slice(splitList(value))
		default:
			values[d.Name] = value
		}
		// The value to show.
		if d.NoEcho {
			v.Value = "****"
			if v.Resolved != "" {
				v.Resolved = "****"
			}
		}
		shown = append(shown, v)
	}
	return values, shown, guessed
}

// guess is a value that Ref might give.
func (d *Parameter) guess() any {
	switch {
	case d.isList():
		return []any{}
	case len(d.allowedValues) > 0:
		return d.allowedValues[0]
	case d.elementType() == "Number":
		return "0"
	}
	return ""
}

// stored looks a name up in the stand-in for Parameter Store. The ID of an image that AWS publishes is
// made up, since images are stand-ins; any other missing name is an error where its value is used.
// Templates of the CDK read such a parameter, the version of their bootstrap stack, and use it only in a
// rule.
func (d *Parameter) stored(name string, store map[string]string, r *source.Report) (value string, known bool) {
	if value, ok := store[name]; ok {
		return value, true
	}
	if strings.HasPrefix(name, "/aws/service/") && d.elementType() == "AWS::EC2::Image::Id" {
		r.Warnf(d.at, "the image that AWS publishes under the value of %s is made up here; give one with --ssm NAME=VALUE if a handler uses it", d.Name)
		sum := sha256.Sum256([]byte(name))
		return "ami-" + hex.EncodeToString(sum[:])[:17], true
	}
	return "", false
}

// ssmReference is a dynamic reference to a parameter of Parameter Store, with or
// without a version, as CloudFormation recognises it. Those to secrets it leaves
// in custom resources as they are written.
var ssmReference = regexp.MustCompile(`\{\{resolve:ssm:([A-Za-z0-9_./-]+)(?::([0-9]+))?\}\}`)

// ParameterStore stands in for Parameter Store: values by NAME:VERSION and by NAME.
type ParameterStore map[string]string

// resolve resolves the dynamic references in a value, as CloudFormation does before it sends a
// request. missing is the name of the first that is not here, or "". room reports whether there is
// room for so many bytes.
func (s ParameterStore) resolve(v any, room func(bytes int) bool) (resolved any, missing string) {
	switch v := v.(type) {
	case string:
		switch {
		case !strings.Contains(v, "{{resolve:"), !room(len(v)):
			return v, ""
		}
		// If the version is missing, the reference gets the value without a version.
		out := ssmReference.ReplaceAllStringFunc(v, func(written string) string {
			reference := ssmReference.FindStringSubmatch(written)
			for _, name := range []string{reference[1] + ":" + reference[2], reference[1]} {
				if value, ok := s[name]; ok {
					if !room(len(value)) {
						return written
					}
					return value
				}
			}
			missing = cmp.Or(missing, reference[1])
			return written
		})
		return out, missing
	// All parts, and the first missing name.
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var none string
			if out[i], none = s.resolve(e, room); missing == "" {
				missing = none
			}
		}
		return out, missing
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			var none string
			if out[name], none = s.resolve(e, room); none != "" && (missing == "" || none < missing) {
				missing = none
			}
		}
		return out, missing
	}
	return v, ""
}

const notStored = "the parameter %s of Parameter Store is not here; give its value with --ssm %s=VALUE"

// checkDynamic reports the references in a custom resource whose values are not
// here, unless they depend on a resource.
func (p *planner) checkDynamic(res *resource) {
	if !engine.IsCustomResource(res.Type) {
		return // nobody reads those of a stand-in
	}
	for i, name := range res.properties.names {
		p.budget.walk(res.properties.values[i], p.conditions, func(e expr) {
			var text any
			switch e := e.(type) {
			case literal:
				text = e.value
			case sub:
				if text, _ = p.early().eval(e); p.isGuess(e) {
					return
				}
			}
			if _, missing := p.resolveEarly(text); missing != "" {
				p.report.Missing(res.place(name), []string{source.Flag("--ssm", missing, "VALUE")}, notStored, missing, missing)
			}
		})
	}
}

// resolveEarly resolves the references in a value before there are resources.
func (p *planner) resolveEarly(v any) (resolved any, missing string) {
	return p.stack.Store.resolve(v, func(bytes int) bool { return p.budget.take(planning, bytes) })
}

// resolveText is resolveEarly for a text.
func (p *planner) resolveText(text string) (resolved, missing string) {
	v, missing := p.resolveEarly(text)
	return v.(string), missing // resolve turns a string into a string
}

// resolveDynamic resolves the references in a resource's properties.
func (p *planner) resolveDynamic(ev *evaluation, res *resource, properties map[string]any) (map[string]any, error) {
	var tooMuch error
	room := func(bytes int) bool {
		if tooMuch == nil {
			tooMuch = ev.spend(bytes, res.key)
		}
		return tooMuch == nil
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		resolved, missing := p.stack.Store.resolve(properties[name], room)
		if tooMuch != nil {
			return nil, tooMuch
		}
		if missing != "" && engine.IsCustomResource(res.Type) {
			return nil, ev.fail(res.place(name), notStored, missing, missing)
		}
		properties[name] = resolved
	}
	return properties, nil
}
