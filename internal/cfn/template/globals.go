package template

import (
	"slices"
	"strings"
)

// globalSections are the resource types that SAM's Globals know; here only functions have an effect.
var globalSections = []string{
	"Api", "CapacityProvider", "Function", "HttpApi", "LayerVersion", "MicrovmImage", "NetworkConnector", "SimpleTable", "StateMachine", "WebFunction",
}

// notGlobal are the properties of a function that Globals may not hold.
var notGlobal = []string{"Role", "Policies", "FunctionName", "Events"}

// readGlobals is the object that every AWS::Serverless::Function inherits from, or nil.
func readGlobals(globals *node, r *report) *node {
	for _, f := range fieldsOf(globals, r) {
		if !slices.Contains(globalSections, f.name()) {
			r.errorf(f.key, "Globals have no %s%s", shorten(f.name()), didYouMean(f.name(), slices.Values(globalSections)))
		}
	}
	shared := globals.get("Function")
	for _, f := range fieldsOf(shared, r) {
		if slices.Contains(notGlobal, f.name()) {
			r.errorf(f.key, "%s cannot be given in Globals; write it at each function", f.name())
		} else {
			warnUnknownProperty(f, r)
		}
	}
	return shared
}

// merged is what a function has of its own upon what Globals give: objects are merged, lists are joined, and anything
// else of its own replaces the shared one. Functions such as Fn::If count as anything else.
func merged(shared, own *node) *node {
	switch {
	case shared == nil:
		return own
	case own == nil:
		return shared
	case shared.kind == list && own.kind == list:
		out := newList(own, slices.Concat(shared.items, own.items)...)
		return out
	case shared.kind != object || own.kind != object || isCall(shared) || isCall(own):
		return own
	}
	out := newObject(own)
	for _, f := range shared.fields {
		out.fields = append(out.fields, field{f.key, merged(f.value, own.get(f.name()))})
	}
	for _, f := range own.fields {
		if shared.get(f.name()) == nil {
			out.fields = append(out.fields, f)
		}
	}
	return out
}

// weight is roughly the bytes that a value takes in a template.
func weight(n *node) int {
	if n == nil {
		return 0
	}
	s, _ := text(n.value)
	bytes := len(s) + 4
	for _, item := range n.items {
		bytes += weight(item)
	}
	for _, f := range n.fields {
		bytes += len(f.name()) + weight(f.value)
	}
	return bytes
}

// isCall says that an object is a function of CloudFormation.
func isCall(n *node) bool {
	return len(n.fields) == 1 && (n.fields[0].name() == "Ref" || strings.HasPrefix(n.fields[0].name(), "Fn::"))
}

// without is a copy of the shared properties less those that a function's IgnoreGlobals names.
func without(shared, ignore *node, r *report) *node {
	if shared == nil || ignore == nil {
		return shared
	}
	if word, _ := ignore.text(); word == "*" {
		return nil
	}
	out := newObject(shared)
	for _, f := range shared.fields {
		if !slices.ContainsFunc(ignore.items, func(n *node) bool { return n.value == f.name() }) {
			out.fields = append(out.fields, f)
		}
	}
	if ignore.kind != list {
		r.errorf(ignore, "IgnoreGlobals is \"*\" or a list of properties; write IgnoreGlobals: [Timeout]")
	}
	return out
}
