package engine

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A ResourceType is a type of CloudFormation's registry that is played: what its
// schema says, as far as CloudFormation acts on it. Properties are named with
// slashes between the names of nested ones: Endpoint/Address.
type ResourceType struct {
	Name string
	// PrimaryIdentifier are the properties that identify a resource: Ref gives
	// them, with | between them if they are several [D].
	PrimaryIdentifier []string
	CreateOnly        []string // a change of one replaces the resource [D]
	Fixed             bool     // it has no update handler: every change replaces the resource [D]
	ReadOnly          []string // what Fn::GetAtt gives [D]
	// Timeouts say how long CloudFormation goes on calling for a Create, an Update
	// or a Delete: two hours where there is none [D].
	Timeouts map[string]time.Duration
	// Accept returns a template's values with the schema's types of JSON, or an error if
	// the schema does not allow them.
	Accept func(values map[string]any) (map[string]any, error)
}

const (
	defaultTimeout = 2 * time.Hour // [D]
	// maxCalls bounds a request whose handler asks to be called again at once.
	maxCalls = 10000
	// maxRetries is how often a call is repeated that failed for a passing reason, by
	// its code; each pause is twice as long as the one before [?].
	maxRetries      = 4
	firstRetryDelay = 2 * time.Second
)

func (t *ResourceType) resolve(_ *Resource, values map[string]any) (res resolved, err error) {
	if t.Accept != nil {
		if values, err = t.Accept(values); err != nil {
			return res, err
		}
	}
	out, err := appendJSON(nil, values, false)
	if values == nil {
		out = []byte("{}")
	}
	return resolved{properties: Properties(out)}, err
}

func (t *ResourceType) address(q *Request, r *StackResource, _ *Options) {
	q.Calls = 1
	q.Deadline = q.SentAt.Add(cmp.Or(t.Timeouts[q.RequestType], defaultTimeout))
	if q.RequestType == "Create" {
		return
	}
	q.Properties = t.withIdentifier(q.Properties, r.PhysicalID, r.Attributes)
	if q.OldProperties != "" {
		q.OldProperties = t.withIdentifier(q.OldProperties, r.PhysicalID, r.Attributes)
	}
}

// withIdentifier adds the primary identifier to properties, as the model has it if that
// is the resource's: a part of an ID may contain a | itself, or be a number.
func (t *ResourceType) withIdentifier(p Properties, id string, model map[string]any) Properties {
	all := p.Exact()
	if all == nil {
		all = map[string]any{}
	}
	parts := strings.SplitN(id, "|", len(t.PrimaryIdentifier))
	known := t.id(model) == id
	for i, name := range t.PrimaryIdentifier {
		if _, has := lookUp(all, name); has || i >= len(parts) {
			continue
		}
		var part any = parts[i]
		if is, has := lookUp(model, name); known && has {
			part = is
		}
		setNested(all, name, part)
	}
	out, err := appendJSON(nil, all, false)
	if err != nil {
		return p
	}
	return Properties(out)
}

// lookUp follows a name with slashes.
func lookUp(v any, name string) (any, bool) {
	for step := range strings.SplitSeq(name, "/") {
		parent, _ := v.(map[string]any)
		var ok bool
		if v, ok = parent[step]; !ok {
			return nil, false
		}
	}
	return v, true
}

// setNested sets what a name with slashes leads to, and makes the objects on the way.
func setNested(in map[string]any, name string, v any) {
	for {
		first, rest, nested := strings.Cut(name, "/")
		if !nested {
			in[first] = v
			return
		}
		inner, ok := in[first].(map[string]any)
		if !ok {
			inner = map[string]any{}
			in[first] = inner
		}
		in, name = inner, rest
	}
}

// id returns the physical ID that a model has, or "" if a part of it is missing.
func (t *ResourceType) id(model map[string]any) string {
	var parts []string
	for _, name := range t.PrimaryIdentifier {
		v, _ := lookUp(model, name)
		part, err := scalar(v)
		if err != nil || part == "" {
			return ""
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "|")
}

func (t *ResourceType) replaces(r *StackResource) bool {
	is, was := r.Properties.Exact(), r.Old.Exact()
	return t.Fixed || slices.ContainsFunc(t.CreateOnly, func(name string) bool {
		a, _ := lookUp(is, name)
		b, _ := lookUp(was, name)
		return !reflect.DeepEqual(a, b)
	})
}

func (t *ResourceType) attribute(_ *Stack, r *StackResource, name string) (any, error) {
	path := strings.ReplaceAll(name, ".", "/")
	readOnly := slices.ContainsFunc(t.ReadOnly, func(known string) bool { return path == known || strings.HasPrefix(path, known+"/") })
	v, ok := lookUp(map[string]any(r.Attributes), path)
	switch {
	case !readOnly:
		return nil, fmt.Errorf("Template error: resource %s does not support attribute type %s in Fn::GetAtt", r.LogicalID, name) // [O]
	case !ok || v == nil:
		return nil, fmt.Errorf("Attribute '%s' does not exist", name) // [?]
	}
	return v, nil
}
