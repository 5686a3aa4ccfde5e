package play

// What the function tells of the handler under test: its own types. Nothing here plays.

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A handlerType is what the function tells of the handler of a resource type: the types of its properties and of its
// Data. What is known of tags, of the values that a property can have and of secrets comes from here. The Contract's own
// values are only sent: they may be another struct or a map. The zero handlerType is that of a function that tells
// nothing, such as one that somebody has wrapped: then nothing is assumed.
type handlerType struct {
	properties, data reflect.Type // nil if they are not told

	described // what package schema says of the properties

	asked  bool     // the function was asked
	others []string // the other types that the function handles
}

// A described holds what package schema says of the properties' type.
type described struct {
	Properties, Definitions map[string]*schema.Property
	WriteOnly               []string `json:"writeOnlyProperties"` // pointers to the secrets
	CreateOnly              []string `json:"createOnlyProperties"`
	Required                []string
}

// learnHandlerType has the function tell the handler's type, once for all checks.
func (c *Contract) learnHandlerType(t testing.TB) {
	if c.handler.asked {
		return
	}
	c.handler, _ = c.once("handler's type", func() any {
		if function := c.New(t).Function; function != nil { // another check reports it
			return handlerTypeOf(function(), c.ResourceType)
		}
		return handlerType{asked: true}
	}).(handlerType)
}

// handlerTypeOf returns what a function tells of its handler of a resource type.
func handlerTypeOf(function simulate.Function, resourceType string) (told handlerType) {
	told.asked = true
	teller, ok := function.(interface {
		ResourceTypes() []cfnresource.ResourceType
	})
	if !ok {
		return told
	}
	for _, t := range teller.ResourceTypes() {
		switch {
		case t.Name == resourceType, t.Name == "" && !told.isTold(): // which handles what has no handler of its own
			told.properties, told.data = t.Properties, t.Data
		case t.Name != "":
			told.others = append(told.others, t.Name)
		}
	}
	told.described = describe(told.properties)
	return told
}

// describe returns what a type says of itself: nothing unless it is a struct that a handler can have.
func describe(t reflect.Type) (d described) {
	if kindOfType(t) != reflect.Struct {
		return d
	}
	var o cfnresource.Options
	schema.Describe(&o)
	var all struct {
		ResourceTypes []struct{ Schema described }
	}
	text, err := o.Describe([]cfnresource.ResourceType{{Properties: t, Data: reflect.TypeFor[struct{}]()}})
	if err == nil && json.Unmarshal(text, &all) == nil {
		d = all.ResourceTypes[0].Schema
		maps.DeleteFunc(d.Properties, func(name string, _ *schema.Property) bool { return slices.Contains(cloudFormations, name) })
	}
	return d
}

// cloudFormations are the properties that are not a handler's.
var cloudFormations = []string{"ServiceToken", "ServiceTimeout", "PhysicalResourceId"}

// isTold reports whether the function tells the type of the properties.
func (h handlerType) isTold() bool { return h.properties != nil }

// isCreateOnly reports whether the property at a path, or a part of it, is tagged createOnly, or is a part of one that is.
func (h handlerType) isCreateOnly(path string) bool {
	return isTagged(h.CreateOnly, path, strings.HasPrefix) || isTagged(h.CreateOnly, path, isPrefixed)
}

// isSecret reports whether the property at a path is tagged secret, or is a part of one that is.
func (h handlerType) isSecret(path string) bool {
	return isTagged(h.WriteOnly, path, strings.HasPrefix)
}

// isTagged reports whether the property at a path has either tag.
func (h handlerType) isTagged(path string) bool { return h.isSecret(path) || h.isCreateOnly(path) }

func isPrefixed(prefix, text string) bool { return strings.HasPrefix(text, prefix) }

// isTagged reports whether a path is related to one to which pointers of a schema lead.
func isTagged(pointers []string, path string, related func(path, tagged string) bool) bool {
	named := index.ReplaceAllString(readable(path), "") + "."
	return slices.ContainsFunc(pointers, func(pointer string) bool {
		return related(named, strings.NewReplacer("/properties/", "", "/*", "", "/", ".").Replace(pointer)+".")
	})
}

// resolve follows a reference. Of what is not described, it returns a type that says nothing.
func (h handlerType) resolve(p *schema.Property) *schema.Property {
	switch {
	case p == nil:
		return &schema.Property{}
	case p.Ref != "":
		return cmp.Or(h.Definitions[strings.TrimPrefix(p.Ref, "#/definitions/")], &schema.Property{})
	}
	return p
}

// typeAt returns the type of the property at a path, or nil if it is not told.
func (h handlerType) typeAt(path string) reflect.Type {
	if !h.isTold() {
		return nil
	}
	of, err := properties.SchemaOf(h.properties)
	if err != nil { // no handler can decode this type
		return nil
	}

	// Each name leads one type further.
	at, written := of.Type(), h.properties
	for _, name := range namesIn(path) {
		switch at.Form() {
		case properties.Object:
			fields := at.Fields()
			i := slices.IndexFunc(fields, func(f properties.Field) bool { return f.Name == name })
			if i < 0 {
				return nil
			}
			at, written = fields[i].Type, fields[i].Go.Type
		case properties.List, properties.Array, properties.Mapping:
			at = at.Elem()
			written = at.Go()
		default:
			return nil
		}
	}
	return written
}

// kindOfType returns the kind of a type, or that of none.
func kindOfType(t reflect.Type) reflect.Kind {
	if t == nil {
		return reflect.Invalid
	}
	return t.Kind()
}

// isPointer reports whether the property at a path has a pointer, which is nil if it is left out.
func (h handlerType) isPointer(path string) bool {
	t := h.typeAt(path)
	return kindOfType(t) == reflect.Pointer
}

// nextAfter returns the number after a whole one that the type of the property at a path can express.
func (h handlerType) nextAfter(path string, n int64) string {
	t := h.typeAt(path)
	if h.isPointer(path) {
		t = t.Elem()
	}
	if kindOfType(t) == reflect.Float32 {
		return strconv.FormatFloat(float64(math.Nextafter32(float32(n), math.MaxFloat32)), 'f', -1, 32)
	}
	return strconv.FormatFloat(math.Nextafter(float64(n), math.MaxFloat64), 'f', -1, 64)
}

// differInIdentity reports whether properties differ in one that is tagged createOnly.
func (h handlerType) differInIdentity(some, others map[string]any) bool {
	return slices.ContainsFunc(h.CreateOnly, func(pointer string) bool {
		return !reflect.DeepEqual(valuesAt(some, pointer), valuesAt(others, pointer))
	})
}

// valuesAt returns the values to which a pointer of a schema leads, by their paths.
func valuesAt(props map[string]any, pointer string) map[string]any {
	// Each name leads one step further, from each place that was found.
	found := map[string]any{"": props}
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/properties/"), "/") {
		inside := map[string]any{}
		for at, value := range found {
			switch value := value.(type) {
			case map[string]any:
				for member, of := range value {
					if name == "*" || name == member {
						inside[strings.TrimPrefix(at+"."+member, ".")] = of
					}
				}
			case []any: // of which the pointer names the elements
				for i, of := range value {
					inside[at+"."+strconv.Itoa(i)] = of
				}
			}
		}
		found = inside
	}
	return found
}

// secretsIn returns the texts of properties that are tagged secret.
func (h handlerType) secretsIn(props any) []string {
	if !h.isTold() {
		return nil
	}
	schema, err := properties.SchemaOf(h.properties)
	if err != nil { // no handler can decode this type
		return nil
	}
	raw, decoded := simulate.JSON(simulate.Properties(props)), reflect.New(h.properties)
	schema.Decode(raw, decoded.Interface())
	return schema.Secrets(raw, decoded.Interface())
}

// secretAttributes returns the names of the attributes in Data that are tagged secret.
func (h handlerType) secretAttributes() (names []string) {
	if h.data == nil {
		return nil
	}
	schema, err := properties.DataSchemaOf(h.data)
	switch {
	case err != nil, schema.Type().Form() != properties.Object:
		return nil
	}
	for _, f := range schema.Type().Fields() {
		if f.Secret {
			names = append(names, f.Name)
		}
	}
	return names
}
