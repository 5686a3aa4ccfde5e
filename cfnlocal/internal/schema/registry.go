package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// Refusals returns the mistakes for which CloudFormation's registry would refuse a schema. The rules are those of the
// meta-schema (aws-cloudformation/cloudformation-cli, provider.definition.schema.v1.json and
// base.definition.schema.v1.json), and the warnings of its command line. The name of a custom
// resource, which has two parts, is accepted.
func Refusals(raw []byte) []string {
	var s map[string]any
	if err := decode(raw, &s); err != nil {
		return []string{err.Error()}
	}
	r := &registry{schema: s}
	r.top()
	r.properties("properties", s["properties"])
	definitions, _ := s["definitions"].(map[string]any)
	r.named("definitions", definitions)
	for _, list := range pointerLists {
		r.pointers(list, s[list])
	}
	r.overlaps()
	return r.found
}

var (
	topLevel = []string{
		"$schema", "type", "typeName", "$comment", "title", "description", "sourceUrl", "documentationUrl", "taggable", "tagging", "replacementStrategy",
		"additionalProperties", "properties", "definitions", "handlers", "remote", "readOnlyProperties", "writeOnlyProperties",
		"conditionalCreateOnlyProperties", "nonPublicProperties", "nonPublicDefinitions", "createOnlyProperties", "deprecatedProperties",
		"primaryIdentifier", "additionalIdentifiers", "required", "allOf", "anyOf", "oneOf", "resourceLink", "propertyTransform", "typeConfiguration", "$id",
	}
	needed   = []string{"typeName", "properties", "description", "primaryIdentifier", "additionalProperties"}
	keywords = []string{
		"insertionOrder", "arrayType", "relationshipRef", "$ref", "$comment", "title", "description", "examples", "default", "multipleOf", "maximum",
		"exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "items", "maxItems", "minItems", "uniqueItems", "contains",
		"maxProperties", "minProperties", "required", "properties", "additionalProperties", "patternProperties", "dependencies", "const", "enum", "type",
		"format", "allOf", "anyOf", "oneOf",
	}
	pointerLists = []string{"readOnlyProperties", "writeOnlyProperties", "createOnlyProperties", "primaryIdentifier"}
	propertyName = regexp.MustCompile(`^[A-Za-z0-9]+$`)
)

// A registry collects the refusals of a schema.
type registry struct {
	schema map[string]any
	found  []string
}

func (r *registry) refuse(format string, args ...any) {
	if len(r.found) < mostFound {
		r.found = append(r.found, fmt.Sprintf(format, args...))
	}
}

func (r *registry) top() {
	for _, key := range slices.Sorted(maps.Keys(r.schema)) {
		if !slices.Contains(topLevel, key) {
			r.refuse("%s is no member of a schema", short(key))
		}
	}
	for _, key := range needed {
		if _, has := r.schema[key]; !has {
			r.refuse("%s is missing", key)
		}
	}
	name, _ := r.schema["typeName"].(string)
	if isType := resourcetype.IsName(name) || resourcetype.IsCustom(name); !isType {
		r.refuse("typeName is not the name of a type, such as Organization::Service::Resource")
	}
	if r.schema["additionalProperties"] != false {
		r.refuse("additionalProperties is not false")
	}
	// A property that is required must be declared: otherwise no template could set it.
	all, _ := r.schema["properties"].(map[string]any)
	required, _ := r.schema["required"].([]any)
	for _, name := range required {
		if text, _ := name.(string); all[text] == nil {
			r.refuse("required: there is no property %s", short(text))
		}
	}
}

// properties checks an object's properties. There must be at least one.
func (r *registry) properties(at string, v any) {
	all, ok := v.(map[string]any)
	if !ok || len(all) == 0 {
		r.refuse("%s has no properties", at)
	}
	r.named(at, all)
}

// named checks properties, or definitions, and their names.
func (r *registry) named(at string, all map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !propertyName.MatchString(name) || len(name) > 64 {
			r.refuse("%s: the name %s is not of 1 to 64 letters and digits", at, short(name))
		}
		r.property(at+"/"+short(name), all[name], 0)
	}
}

func (r *registry) property(at string, v any, depth int) {
	p, ok := v.(map[string]any)
	if !ok || strings.Count(at, "/") > deepest {
		r.refuse("%s is no schema", at)
		return
	}
	// Its keywords, and their combinations.
	has := func(key string) bool { _, ok := p[key]; return ok }
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(keywords, key) {
			r.refuse("%s: %s is no keyword", at, short(key))
		}
	}
	isEnum, isObject := has("enum") || has("const"), has("properties") || has("patternProperties")
	if isEnum && !has("type") {
		r.refuse("%s: an enum needs a type", at)
	}
	switch closed := p["additionalProperties"] == false; {
	case has("additionalProperties") && !closed:
		r.refuse("%s: additionalProperties is not false", at)
	case isObject && !closed:
		r.refuse("%s: additionalProperties is missing, and must be false", at)
	}
	// Its parts.
	if has("properties") {
		if has("patternProperties") {
			r.refuse("%s has both properties and patternProperties", at)
		}
		if depth > 0 || strings.HasPrefix(at, "properties/") {
			r.refuse("%s: a nested object must be a definition", at)
		}
		r.properties(at, p["properties"])
	}
	if patterns, ok := p["patternProperties"].(map[string]any); ok {
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			r.property(at+"/*", patterns[pattern], depth+1)
		}
	}
	if has("items") {
		r.property(at+"/*", p["items"], depth+1)
	}
	// Its reference.
	if ref, ok := p["$ref"].(string); ok {
		definitions, _ := r.schema["definitions"].(map[string]any)
		if name, isDefinition := strings.CutPrefix(ref, "#/definitions/"); !isDefinition || definitions[name] == nil {
			r.refuse("%s refers to no definition", at)
		}
	}
}

func (r *registry) pointers(list string, v any) {
	if v == nil {
		return
	}
	all, _ := v.([]any)
	if len(all) == 0 {
		r.refuse("%s is empty", list)
	}
	named, _ := r.schema["properties"].(map[string]any)
	for _, pointer := range all {
		text, _ := pointer.(string)
		path, ok := strings.CutPrefix(text, "/properties/")
		name, _, _ := strings.Cut(path, "/")
		if !ok || named[name] == nil {
			r.refuse("%s: %s names no property", list, short(text))
		}
	}
}

// overlaps refuses properties that are read-only and can be set, and an identifier that can change.
func (r *registry) overlaps() {
	var s Schema
	raw, err := json.Marshal(r.schema)
	if err != nil || json.Unmarshal(raw, &s) != nil {
		r.refuse("a member has the wrong type")
		return
	}
	for _, pointer := range s.ReadOnly {
		isRequired := slices.Contains(s.Required, property(pointer))
		if isRequired || slices.Contains(s.CreateOnly, pointer) || slices.Contains(s.WriteOnly, pointer) {
			r.refuse("%s can both be set and only be read", short(pointer))
		}
	}
	for _, pointer := range s.PrimaryIdentifier {
		if fixed := slices.Contains(s.ReadOnly, pointer) || slices.Contains(s.CreateOnly, pointer); !fixed {
			r.refuse("the identifier %s can change", short(pointer))
		}
	}
}

// Registered returns the type as CloudFormation uses it, or an error if it cannot be registered.
func (s *Schema) Registered() (*engine.ResourceType, error) {
	if len(s.PrimaryIdentifier) == 0 {
		return nil, errors.New("the schema of " + short(s.TypeName) + " has no primaryIdentifier")
	}
	t := &engine.ResourceType{Name: s.TypeName, PrimaryIdentifier: paths(s.PrimaryIdentifier), CreateOnly: paths(s.CreateOnly), ReadOnly: paths(s.ReadOnly),
		Timeouts: map[string]time.Duration{}, Accept: s.accept}
	// A type without an update handler cannot change: CloudFormation replaces its resources. The others are needed.
	for request, handler := range map[string]string{"Create": "create", "Update": "update", "Delete": "delete"} {
		h, ok := s.Handlers[handler]
		if !ok && handler != "update" {
			return nil, fmt.Errorf("the schema of %s has no %s among its handlers", short(s.TypeName), handler)
		}
		inRange := h.Timeout >= 2 && h.Timeout <= 2160 // [D]
		if h.Timeout != 0 && !inRange {
			return nil, fmt.Errorf("the schema of %s: timeoutInMinutes of %s is not from 2 to 2160", short(s.TypeName), handler)
		}
		t.Fixed = t.Fixed || !ok
		t.Timeouts[request] = time.Duration(h.Timeout) * time.Minute
	}
	return t, nil
}

// paths returns the properties that a schema's JSON pointers lead to, with slashes between the names
// of nested ones.
func paths(pointers []string) []string {
	all := make([]string, len(pointers))
	for i, p := range pointers {
		all[i] = property(p)
	}
	return all
}

func property(pointer string) string { return strings.TrimPrefix(pointer, "/properties/") }

// accept returns a template's values with the JSON types of the schema, since a parameter's value is
// always a string. The error has the form of CloudFormation's [O], and holds no value.
func (s *Schema) accept(values map[string]any) (map[string]any, error) {
	a := &acceptor{schema: s}
	for _, name := range paths(s.ReadOnly) {
		if _, set := values[name]; set {
			a.refuse("#", "extraneous key ["+name+"] is not permitted: it is an attribute, which Fn::GetAtt reads")
		}
	}
	// The schema itself is an object without a Property of its own.
	top := &Property{Type: Types{"object"}, Properties: s.Properties, Required: s.Required}
	if s.AdditionalProperties {
		top.AdditionalProperties = json.RawMessage("true")
	}
	all, _ := a.object(values, top, "#", 0).(map[string]any)
	if len(a.found) > 0 {
		return nil, fmt.Errorf("Properties validation failed for a resource of %s with message: %s", s.TypeName, strings.Join(a.found, "; "))
	}
	return all, nil
}

// An acceptor collects the mistakes in the values of one resource.
type acceptor struct {
	schema *Schema
	found  []string
}

func (a *acceptor) refuse(at, text string) {
	if len(a.found) < mostRefused {
		a.found = append(a.found, at+": "+text)
	}
}

// mostRefused is how many reasons an event has.
const mostRefused = 10

func (a *acceptor) value(v any, p *Property, at string, depth int) any {
	p = a.schema.Resolve(p)
	if depth > deepest {
		a.refuse("#", "values are nested too deep")
		return nil
	}
	// Objects and lists are read part by part.
	text, isScalar := source.Text(v)
	switch v := v.(type) {
	case map[string]any:
		return a.object(v, p, at, depth)
	case []any:
		return a.list(v, p, at, depth)
	case nil:
		a.refuse(at, "expected a value, found: Null")
		return nil
	}
	// A single value must have the type, and be within the limits.
	hasParts := p.takes("object") || p.takes("array")
	switch {
	case !isScalar || len(p.Type) == 0:
		return v
	case hasParts && !p.takes("string"):
		a.refuse(at, "expected "+expected(p)+", found a single value")
		return v
	}
	if problem := scalar(text, p); problem != "" {
		a.refuse(at, problem)
		return v
	}
	// It gets the schema's type.
	switch {
	case p.takes("string"):
		return text
	case p.takes("boolean") && isA(text, "boolean"):
		return strings.EqualFold(text, "true")
	case json.Valid([]byte(text)):
		return json.Number(text)
	}
	n, ok := numberOf(text) // such as +1, or .5
	if !ok {
		return v
	}
	f, _ := n.Float64()
	return f
}

func (a *acceptor) object(v map[string]any, p *Property, at string, depth int) any {
	if len(p.Type) > 0 && !p.takes("object") {
		a.refuse(at, "expected "+expected(p)+", found an object")
		return v
	}
	// CloudFormation passes on what it knows, and refuses every other name.
	all := make(map[string]any, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		known, open := exactly(p, name)
		if known == nil && !open {
			a.refuse(at, "extraneous key ["+short(name)+"] is not permitted")
			continue
		}
		all[name] = a.value(v[name], known, at+"/"+short(name), depth+1)
	}
	for _, name := range p.Required {
		if _, has := v[name]; !has {
			a.refuse(at, "required key ["+short(name)+"] not found")
		}
	}
	return all
}

// exactly returns the schema of a member, whose name must match exactly, and whether other members
// are allowed.
func exactly(p *Property, name string) (known *Property, open bool) {
	if known = p.Properties[name]; known != nil {
		return known, false
	}
	for _, pattern := range slices.Sorted(maps.Keys(p.PatternProperties)) {
		if matches(pattern, name) {
			return p.PatternProperties[pattern], false
		}
	}
	// An object that names no member is open unless it says otherwise, and any other is closed.
	namesNone := len(p.Properties) == 0 && len(p.PatternProperties) == 0
	switch string(p.AdditionalProperties) {
	case "true":
		return nil, true
	case "false":
		return nil, false
	}
	return nil, namesNone
}

func (a *acceptor) list(v []any, p *Property, at string, depth int) any {
	if len(p.Type) > 0 && !p.takes("array") {
		a.refuse(at, "expected "+expected(p)+", found a list")
		return v
	}
	tooFew := p.MinItems != nil && len(v) < *p.MinItems
	if tooMany := p.MaxItems != nil && len(v) > *p.MaxItems; tooFew || tooMany {
		a.refuse(at, fmt.Sprintf("%d elements are too few or too many", len(v)))
	}
	all := make([]any, len(v))
	for i, item := range v {
		all[i] = a.value(item, p.Items, fmt.Sprintf("%s/%d", at, i), depth+1)
	}
	return all
}

func (p *Property) takes(jsonType string) bool {
	return slices.Contains(p.Type, jsonType)
}
