package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

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
	if name, _ := r.schema["typeName"].(string); !resourcetype.IsName(name) && !resourcetype.IsCustom(name) {
		r.refuse("typeName is not the name of a type, such as Organization::Service::Resource")
	}
	if r.schema["additionalProperties"] != false {
		r.refuse("additionalProperties is not false")
	}
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
	if (has("enum") || has("const")) && !has("type") {
		r.refuse("%s: an enum needs a type", at)
	}
	if has("additionalProperties") && p["additionalProperties"] != false {
		r.refuse("%s: additionalProperties is not false", at)
	}
	if (has("properties") || has("patternProperties")) && !has("additionalProperties") {
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
		if slices.Contains(s.CreateOnly, pointer) || slices.Contains(s.WriteOnly, pointer) || slices.Contains(s.Required, property(pointer)) {
			r.refuse("%s can both be set and only be read", short(pointer))
		}
	}
	for _, pointer := range s.PrimaryIdentifier {
		if !slices.Contains(s.ReadOnly, pointer) && !slices.Contains(s.CreateOnly, pointer) {
			r.refuse("the identifier %s can change", short(pointer))
		}
	}
}
