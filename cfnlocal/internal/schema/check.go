package schema

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Check returns the mistakes in the properties of a template's custom resource. The messages hold no
// values. A value that is not known before other resources exist counts as correct.
func (t *ResourceType) Check(c *template.Custom) template.Errors {
	check := &checker{schema: t.Schema}
	top := &Property{Type: Types{"object"}, Required: t.Schema.Required}
	if !t.Schema.AdditionalProperties {
		top.Properties = t.properties()
	}
	check.object(&c.Properties, top, c.Position, c.Path, 0)
	return check.found
}

// properties returns the properties that a template may set.
func (t *ResourceType) properties() map[string]*Property {
	all := maps.Clone(t.Schema.Properties)
	for _, pointer := range t.Schema.ReadOnly {
		name, _, _ := strings.Cut(property(pointer), "/")
		delete(all, name)
	}
	// CloudFormation reads these itself, so a schema need not declare them.
	for _, name := range cloudFormationProperties {
		if all[name] == nil {
			all[name] = new(Property)
		}
	}
	return all
}

// cloudFormationProperties are the properties that every custom resource has.
var cloudFormationProperties = []string{"ServiceToken", "ServiceTimeout"}

// A checker collects the mistakes in one resource.
type checker struct {
	schema *Schema
	found  template.Errors
}

const (
	deepest   = 100 // levels of nesting that are checked
	mostFound = 200
)

func (c *checker) errorf(at template.Position, path, format string, args ...any) {
	if len(c.found) < mostFound {
		c.found = append(c.found, &template.Error{Position: at, Path: path, Text: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) value(v *template.Value, p *Property, depth int) {
	p = c.schema.Resolve(p)
	if v.Form == template.Unknown || depth > deepest {
		return
	}
	if !c.fits(v, p) {
		c.errorf(v.Position, v.Path, "expected %s, found %s%s", expected(p), form(v), from(v))
		return
	}
	switch v.Form {
	case template.Object:
		c.object(v, p, v.Position, v.Path, depth)
	case template.List:
		c.list(v, p, depth)
	case template.Scalar:
		if problem := scalar(v.Text, p); problem != "" {
			c.errorf(v.Position, v.Path, "%s%s", problem, from(v))
		}
	}
}

// from returns the end of a message about a value that comes from a parameter.
func from(v *template.Value) string {
	if v.Parameter == "" {
		return ""
	}
	return " (the value of the parameter " + v.Parameter + ")"
}

// fits reports whether a value has the form of its property. Only forms are compared, since a scalar is
// sent as a string, whatever it is in the template, and is read as the property's type.
func (c *checker) fits(v *template.Value, p *Property) bool {
	if len(p.Type) == 0 {
		return true
	}
	switch v.Form {
	case template.Object:
		return p.takes("object")
	case template.List:
		return p.takes("array")
	}
	return slices.ContainsFunc(p.Type, func(t string) bool { return t != "object" && t != "array" })
}

// object checks the members of an object. A missing member is reported at the position at.
func (c *checker) object(v *template.Value, p *Property, at template.Position, path string, depth int) {
	if v.Form != template.Object {
		return
	}
	for i := range v.Members {
		if len(c.found) == mostFound {
			return
		}
		m := &v.Members[i]
		member, known := lookup(p, m.Name)
		if !known {
			c.errorf(m.Position, m.Path, "%s is no property of %s%s", short(m.Name), c.owner(depth), c.instead(m.Name, p, depth))
			continue
		}
		c.value(&m.Value, member, depth+1)
	}
	// Names match in any case, as in the SDK.
	for _, name := range p.Required {
		has := slices.ContainsFunc(v.Members, func(m template.Member) bool { return strings.EqualFold(m.Name, name) })
		if !has {
			c.errorf(at, path, "the property %s is missing, which %s requires", short(name), c.owner(depth))
		}
	}
}

// instead returns the end of a message about an unknown name.
func (c *checker) instead(name string, p *Property, depth int) string {
	if depth == 0 && c.schema.Properties[name] != nil {
		return ", but an attribute, which !GetAtt reads"
	}
	if len(p.PatternProperties) > 0 {
		return "; names match " + short(strings.Join(slices.Sorted(maps.Keys(p.PatternProperties)), " or "))
	}
	return didYouMean(name, maps.Keys(p.Properties))
}

// owner names the owner of the properties, for a message.
func (c *checker) owner(depth int) string {
	if depth == 0 {
		return c.schema.TypeName
	}
	return "this object"
}

// lookup returns the schema of a member, and whether it is allowed. Names match in any case, as in the SDK.
func lookup(p *Property, name string) (_ *Property, known bool) {
	found, open := exactly(p, name)
	if found != nil {
		return found, true
	}
	for known, found := range p.Properties {
		if strings.EqualFold(known, name) {
			return found, true
		}
	}
	return nil, open
}

func (c *checker) list(v *template.Value, p *Property, depth int) {
	switch n := len(v.Items); {
	case p.MinItems != nil && n < *p.MinItems:
		c.errorf(v.Position, v.Path, "expected at least %d elements, found %d", *p.MinItems, n)
	case p.MaxItems != nil && n > *p.MaxItems:
		c.errorf(v.Position, v.Path, "expected at most %d elements, found %d", *p.MaxItems, n)
	}
	if p.Items == nil {
		return
	}
	for i := range v.Items {
		c.value(&v.Items[i], p.Items, depth+1)
	}
}

// expected names a property's types, for messages.
func expected(p *Property) string {
	words := map[string]string{
		"string": "a string", "integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object",
	}
	var all []string
	for _, t := range p.Type {
		if words[t] != "" {
			all = append(all, words[t])
		}
	}
	return strings.Join(all, " or ")
}

func form(v *template.Value) string {
	return [...]string{template.Scalar: "a single value", template.List: "a list", template.Object: "an object"}[v.Form]
}

// didYouMean returns the end of a message: the nearest name, or all names if there are few.
func didYouMean(name string, known iter.Seq[string]) string {
	var all []string
	for other := range known {
		all = append(all, short(other))
	}
	if len(all) == 0 {
		return "; it has none"
	}
	return source.DidYouMean(name, slices.Values(all))
}

// short shortens a name to a readable length, on one line.
func short(name string) string {
	return source.Shorten(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name))
}

// Check compares a template with the descriptions of its functions. providers has these by the
// functions' logical IDs, and last has the properties in the latest request of each custom resource, by its
// logical ID. It returns the mistakes that the functions would refuse, and warnings of resources that are
// replaced, both in the order of the file. It skips resources of other functions.
func Check(plan *template.Plan, providers map[string]*Provider, last map[string]map[string]any) (errs template.Errors, warnings []template.Warning) {
	types := map[string]*ResourceType{}
	for i := range plan.Customs {
		c := &plan.Customs[i]
		// A function of another stack, or in another language, may have described nothing.
		p := providers[c.Function]
		if p == nil {
			continue
		}
		t := p.Type(c.Type)
		if t == nil {
			errs = append(errs, &template.Error{Position: c.Position, Path: c.Path, Text: fmt.Sprintf("the function %s has no handler for %s%s",
				c.Function, short(c.Type), didYouMean(c.Type, slices.Values(p.names())))})
			continue
		}
		types[c.LogicalID] = t
		found := t.Check(c)
		errs = append(errs, found...)
		// Properties with mistakes are never sent, so they replace nothing.
		if before := last[c.LogicalID]; before != nil && len(found) == 0 {
			warnings = append(warnings, t.replaced(c, before)...)
		}
	}
	// An attribute of a type that nobody described may exist.
	for _, a := range plan.Attributes {
		if t := types[a.LogicalID]; t != nil && !t.Has(a.Name) {
			errs = append(errs, &template.Error{Position: a.Position, Path: a.Path, Text: fmt.Sprintf("%s has no attribute %s%s",
				t.Schema.TypeName, short(a.Name), didYouMean(a.Name, slices.Values(t.Attributes)))})
		}
	}
	slices.SortStableFunc(errs, func(a, b *template.Error) int { return a.Position.Compare(b.Position) })
	slices.SortStableFunc(warnings, func(a, b template.Warning) int { return a.Position.Compare(b.Position) })
	return errs, warnings
}

// names returns the names of the resource types.
func (p *Provider) names() (all []string) {
	for _, t := range p.Types {
		all = append(all, t.Schema.TypeName)
	}
	return all
}

// scalar returns the mistake in a single value, or "". CloudFormation sends the value as text, and
// the message does not repeat it.
func scalar(text string, p *Property) string {
	// A property with several types takes a value that any of them can be read as.
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
	// What is left is text. JSON Schema counts its characters, and not its bytes.
	length := utf8.RuneCountInString(text)
	switch {
	case p.MinLength != nil && *p.MinLength > 0 && text == "":
		return "expected a text" + emptyString
	case p.MinLength != nil && length < *p.MinLength:
		return fmt.Sprintf("expected at least %d characters, found %d", *p.MinLength, length)
	case p.MaxLength != nil && length > *p.MaxLength:
		return fmt.Sprintf("expected at most %d characters, found %d", *p.MaxLength, length)
	case !matches(p.Pattern, text):
		// An example helps more than a regular expression.
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
