package sam

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// newerSections are types that SAM allows in Globals too, of which kinds knows no properties.
var newerSections = []string{"MicrovmImage", "NetworkConnector", "WebFunction"}

// sections are the types that Globals may have.
func sections() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name, k := range kinds {
			if k.global != "" && !yield(name) {
				return
			}
		}
	}
}

// readGlobals is the object that every AWS::Serverless::Function inherits from, or nil.
func readGlobals(globals *source.Node, r *source.Report) *source.Node {
	for _, section := range r.Fields(globals) {
		k, known := kinds[section.Name()]
		switch {
		case slices.Contains(newerSections, section.Name()):
			continue
		case !known || k.global == "":
			r.Errorf(section.Key, "Globals have no %s%s", source.Shorten(section.Name()), source.DidYouMean(section.Name(), sections()))
			continue
		}
		for _, f := range r.Fields(section.Value) {
			if name := f.Name(); slices.Contains(k.names(), name) && !slices.Contains(k.globals(), name) {
				r.Errorf(f.Key, "%s cannot be given in Globals; write it at each %s", name, section.Name())
			} else if !slices.Contains(k.names(), name) {
				r.Checkf(f.Key, "'Globals' section is invalid: %s is no property of %s%s", source.Shorten(name), section.Name(), source.DidYouMean(name, slices.Values(k.globals())))
			}
		}
	}
	shared := globals.Get("Function")
	return shared
}

// merged returns a function's own properties merged into those of Globals: objects are merged, lists
// are joined, and any other value of its own replaces the shared one, including calls such as Fn::If.
func merged(shared, own *source.Node) *source.Node {
	switch {
	case shared == nil:
		return own
	case own == nil:
		return shared
	case shared.Kind == source.List && own.Kind == source.List:
		return source.NewList(own, slices.Concat(shared.Items, own.Items)...)
	case shared.Kind != source.Object || own.Kind != source.Object || shared.IsCall() || own.IsCall():
		return own
	}
	out, left := source.NewObject(own), map[string]*source.Node{}
	for _, f := range own.Fields {
		left[f.Name()] = f.Value
	}
	for _, f := range shared.Fields {
		out.Fields = append(out.Fields, source.Field{Key: f.Key, Value: merged(f.Value, left[f.Name()])})
		delete(left, f.Name())
	}
	for _, f := range own.Fields {
		if left[f.Name()] != nil {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// weight is roughly the bytes that a value takes in a template.
func weight(n *source.Node) int {
	if n == nil {
		return 0
	}
	bytes := 4
	if n.Kind == source.Scalar {
		bytes += len(fmt.Sprint(n.Value))
	}
	for _, item := range n.Items {
		bytes += weight(item)
	}
	for _, f := range n.Fields {
		bytes += len(f.Name()) + weight(f.Value)
	}
	return bytes
}

// without returns a copy of the shared properties, except those that a function's IgnoreGlobals names.
func without(shared, ignore *source.Node, r *source.Report) *source.Node {
	if shared == nil || ignore == nil {
		return shared
	}
	if word, _ := ignore.Text(); word == "*" {
		return nil
	}
	if ignore.Kind != source.List {
		r.Errorf(ignore, "IgnoreGlobals must be \"*\" or a list of properties; write IgnoreGlobals: [Timeout]")
	}
	ignored := map[any]bool{}
	for _, n := range ignore.Items {
		ignored[n.Value] = true
	}
	return picked(shared, func(name string) bool { return !ignored[name] })
}
