// Package resourcetype knows the types of resources that CloudFormation has: what identifies them,
// their properties and attributes.
//
// The table is made of the npm package @aws-cdk/aws-service-spec, of which it has facts alone:
// names, and what is said of them in a mark. That package is copyright of Amazon.com, Inc. or its
// affiliates, and under the Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0). Its
// version and date are in the table's head. "make types" makes it anew.
package resourcetype

import (
	_ "embed"
	"iter"
	"maps"
	"strconv"
	"strings"
	"sync"
)

// A Type is a type of resources.
type Type struct {
	// Ref is the property or the attribute that Ref gives, "" if that is several. It identifies a
	// resource, if Scoped only together with others: a stage has a name of its own within an API.
	Ref        string
	Scoped     bool
	Properties map[string]Property // what a template may give
	Attributes map[string]Form     // what Fn::GetAtt gives, with dots in the names of what is below another
}

// Named says that Ref gives a property, which names the resource.
func (t *Type) Named() bool {
	_, is := t.Properties[t.Ref]
	return is
}

// A Property says what becomes of a resource without a property, and with another value of it.
type Property struct {
	Required bool
	// Replaces: a change always makes another resource. What is so below a property, or under
	// conditions, is not known here.
	Replaces bool
	Takes    Takes
}

// Takes is what a property takes, in the table's word, "" if that is not known.
type Takes string

// The words of scalars.
const (
	TakesText    Takes = "="
	TakesNumber  Takes = "#"
	TakesBoolean Takes = "?"
)

// Items says that a property takes a list, and of what.
func (t Takes) Items() (of Takes, list bool) {
	rest, list := strings.CutPrefix(string(t), "[")
	return Takes(rest), list
}

// Members says that a property takes an object, and of which properties, nil if it may have any.
func (t Takes) Members() (members map[string]Takes, object bool) {
	n, numbered := strings.CutPrefix(string(t), "@")
	if i, err := strconv.Atoi(n); numbered && err == nil && i >= 0 && i < len(objects()) && objects()[i] != "" {
		members = map[string]Takes{}
		for word := range strings.SplitSeq(objects()[i], ",") {
			name := word[:nameEnd(word)]
			members[name] = Takes(word[len(name):])
		}
	}
	return members, numbered || t == "{"
}

// nameEnd is where a property's name ends and what is said of it begins.
func nameEnd(word string) int {
	if i := strings.IndexAny(word, "!*=#?{[@"); i >= 0 {
		return i
	}
	return len(word)
}

// Form is what an attribute's value is.
type Form int

// The forms.
const (
	Text Form = iota // or an object, which no function takes
	List
	Number
	Boolean
)

// table has its date in the first line, and a line for each type.
//
//go:embed table.txt
var table string

// types are the lines of the table by the names of their types.
var types = sync.OnceValue(func() map[string]string {
	lines := make(map[string]string, 2000)
	for line := range strings.Lines(table) {
		if name, members, ok := strings.Cut(line, "\t"); ok {
			lines[name] = strings.TrimSuffix(members, "\n")
		}
	}
	return lines
})

// objects are the lines of what properties take, in their order.
var objects = sync.OnceValue(func() (lines []string) {
	for line := range strings.Lines(table) {
		if members, ok := strings.CutPrefix(line, "@"); ok {
			lines = append(lines, strings.TrimSuffix(members, "\n"))
		}
	}
	return lines
})

// Date is the day of the table, as 2006-01-02: what CloudFormation has learnt since is not known.
func Date() string {
	date, _, _ := strings.Cut(table, "\n")
	return date
}

// Names are the names of all types, in no order.
func Names() iter.Seq[string] { return maps.Keys(types()) }

// Find returns the type of a name, or nil if it is not in the table.
func Find(name string) *Type {
	members, ok := types()[name]
	if !ok {
		return nil
	}
	return parse(members)
}

// parse reads a type's line without its name, as .ci/types.mjs writes it.
func parse(line string) *Type {
	ref, rest, _ := strings.Cut(line, "\t")
	properties, attributes, _ := strings.Cut(rest, "\t")
	t := &Type{Properties: map[string]Property{}, Attributes: map[string]Form{}}
	t.Ref, t.Scoped = strings.CutSuffix(ref, "+")
	for word := range strings.SplitSeq(properties, ",") {
		name := word[:nameEnd(word)]
		takes := strings.TrimLeft(word[len(name):], "!*")
		marks := word[len(name) : len(word)-len(takes)]
		t.Properties[name] = Property{Required: strings.Contains(marks, "!"), Replaces: strings.Contains(marks, "*"), Takes: Takes(takes)}
	}
	for word := range strings.SplitSeq(attributes, ",") {
		name := strings.TrimRight(word, "[]#?")
		t.Attributes[name] = map[string]Form{"[]": List, "#": Number, "?": Boolean}[word[len(name):]]
	}
	delete(t.Properties, "") // of a type that has none
	delete(t.Attributes, "")
	return t
}

// IsName reports whether a type of CloudFormation's registry can have the name, which is
// Organization::Service::Resource (CloudFormation CLI, "Resource type definition schema": typeName).
func IsName(name string) bool {
	words := strings.Split(name, "::")
	for _, w := range words {
		if len(w) < 2 || len(w) > 64 || !consistsOf(w, "") {
			return false
		}
	}
	return len(words) == 3
}

// IsCustom reports whether a template can call the type of a custom resource so: Custom::Name
// (CloudFormation user guide, "AWS::CloudFormation::CustomResource").
func IsCustom(name string) bool {
	name, custom := strings.CutPrefix(name, "Custom::")
	return custom && len(name) >= 1 && len(name) <= 60 && consistsOf(name, "_@-")
}

// consistsOf reports whether a text has letters and digits of ASCII and the other characters alone.
func consistsOf(text, others string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r) {
			return false
		}
	}
	return true
}
