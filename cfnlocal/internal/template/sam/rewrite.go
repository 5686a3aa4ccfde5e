// Package sam rewrites the resources of AWS's Serverless Application Model: each becomes the resources
// of CloudFormation that the transform makes of it, nodes for nodes. Resources with an effect here have
// their properties; the others are stand-ins under the names that SAM gives them.
package sam

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// The types of SAM that the planner knows too.
const (
	Function    = "AWS::Serverless::Function"
	Application = "AWS::Serverless::Application"
)

const capacityProvider = "AWS::Serverless::CapacityProvider"

// Transform is the name of the transform, as templates ask for it.
const Transform = "AWS::Serverless-2016-10-31"

// Rewrite returns the Resources section as SAM leaves it: plain CloudFormation. If the template
// does not ask for the transform, Rewrite returns the section itself, and reports SAM's types and Globals.
// references are the logical IDs that SAM's own references, such as Function.Alias, stand for.
func Rewrite(root *source.Node, asked bool, r *source.Report) (resources *source.Node, references map[string]string) {
	section, globals := root.Get("Resources"), root.Get("Globals")
	if !asked && globals != nil {
		r.Errorf(globals, "Globals belong to SAM; add Transform: %s", Transform)
	}
	if section == nil || section.Kind != source.Object {
		return section, nil
	}
	// What every function inherits, and the names that are taken.
	shared := readGlobals(globals, r)
	out := source.NewObject(section)
	rw := &rewriter{Report: r, section: out, globals: globals, written: map[string]*source.Node{}, references: map[string]string{}}
	for _, f := range section.Fields {
		rw.written[f.Name()] = f.Key
	}
	// Each resource, in the order of the file.
	size := 0
	for _, f := range section.Fields {
		t, _ := f.Value.Get("Type").Text()
		switch {
		case strings.HasPrefix(t, "AWS::Serverless::") && !asked:
			r.Errorf(f.Value.Get("Type"), "types of SAM need its transform; add Transform: %s", Transform)
			out.Fields = append(out.Fields, f)
		case t == Function:
			if size += weight(shared); size > source.MaxBytes {
				r.Errorf(f.Key, "with the properties that every function inherits from Globals, the template is larger than the %d bytes that CloudFormation allows for a transformed template; make Globals smaller, or split the template", source.MaxBytes)
				return out, rw.references
			}
			rw.function(f, shared)
		default:
			if _, known := kindOf(t); known {
				rw.plain(f, t)
			} else {
				out.Fields = append(out.Fields, f)
			}
		}
	}
	rw.implicitAPIs(section)
	rw.calledBack(section)
	return out, rw.references
}

// renamed are the properties of SAM's types that the plain types have under other names.
var renamed = map[string]map[string]string{
	"AWS::Serverless::Application":  {"Location": "TemplateURL"},
	"AWS::Serverless::LayerVersion": {"ContentUri": "Content"},
	"AWS::Serverless::StateMachine": {"Name": "StateMachineName", "DefinitionUri": "DefinitionS3Location"},
}

// separate are the properties that SAM turns into other ones, or into resources of their own, which have no
// effect here.
var separate = map[string][]string{
	capacityProvider:              {"InstanceRequirements", "OperatorRole", "PropagateTags", "ScalingConfig"},
	"AWS::Serverless::GraphQLApi": {"DataSources", "Functions", "Resolvers"},
}

// roles are the properties for which SAM makes a role if they are not given.
var roles = map[string]string{capacityProvider: "OperatorRole", "AWS::Serverless::StateMachine": "Role"}

// rewriter makes plain resources of SAM's.
type rewriter struct {
	*source.Report
	section    *source.Node
	globals    *source.Node            // the section, or nil
	written    map[string]*source.Node // keys of the template's own resources
	references map[string]string       // Function.Alias and the like
}

// add adds the resources that SAM makes beside a resource.
func (rw *rewriter) add(f source.Field, made ...source.Field) {
	for _, extra := range made {
		if first := rw.written[extra.Name()]; first != nil {
			rw.Errorf(first, "the name %s is taken: SAM makes a resource with it for %s; rename this one", extra.Name(), f.Name())
			continue
		}
		rw.section.Fields = append(rw.section.Fields, extra)
	}
}

var notAlphanumeric = regexp.MustCompile(`[^A-Za-z0-9]`)

// plain makes the plain resource of one of SAM's types other than functions, a stand-in, with the
// stage and the deployment of an API and the role of a state machine or a capacity provider.
func (rw *rewriter) plain(f source.Field, t string) {
	k, _ := kindOf(t)
	value := source.NewObject(f.Value, source.NewField("Type", source.NewScalar(f.Value.Get("Type"), k.plain)))
	properties := f.Value.Get("Properties")
	rw.checkProperties(f, t, properties)
	// SAM gives some properties of an API to its stage.
	staged := strings.Fields(k.stage)
	for _, attribute := range picked(f.Value, isKept).Fields {
		if attribute.Name() == "Properties" {
			attribute.Value = plainProperties(attribute.Value, renamed[t], slices.Concat(separate[t], staged))
		}
		value.Fields = append(value.Fields, attribute)
	}
	rw.section.Fields = append(rw.section.Fields, source.Field{Key: f.Key, Value: value})
	stage, _ := properties.Get("StageName").Text()
	switch t {
	case prefix + "Api":
		rw.api(f, stage, ofStage(properties, staged))
	case prefix + "HttpApi", prefix + "WebSocketApi":
		rw.httpAPI(f, stage, ofStage(properties, staged))
	}
	if role := roles[t]; role != "" && properties.Get(role) == nil {
		rw.add(f, generated(f, f.Name()+role, "AWS::IAM::Role", source.NewObject(f.Value)))
	}
}

func plainProperties(properties *source.Node, names map[string]string, left []string) *source.Node {
	if properties.Kind != source.Object || properties.IsCall() {
		return properties
	}
	out := source.NewObject(properties)
	for _, p := range properties.Fields {
		if name := names[p.Name()]; name != "" {
			p = source.NewField(name, p.Value)
		}
		if !slices.Contains(left, p.Name()) {
			out.Fields = append(out.Fields, p)
		}
	}
	return out
}

// ofStage are the properties of an API that SAM gives to its stage.
func ofStage(properties *source.Node, staged []string) []source.Field {
	if properties == nil {
		return nil
	}
	return picked(properties, func(name string) bool { return slices.Contains(staged, name) }).Fields
}

// api makes the deployment and the stage of a REST API. SAM's names of deployments end in digits of
// their own.
func (rw *rewriter) api(f source.Field, stage string, own []source.Field) {
	restAPI := source.NewField("RestApiId", refTo(f.Value, f.Name()))
	deployment, staged := f.Name()+"Deployment", f.Name()+notAlphanumeric.ReplaceAllString(stage, "")+"Stage"
	rw.add(f, generated(f, deployment, "AWS::ApiGateway::Deployment", source.NewObject(f.Value, restAPI)),
		generated(f, staged, "AWS::ApiGateway::Stage", source.NewObject(f.Value, append([]source.Field{restAPI, source.NewField("DeploymentId", refTo(f.Value, deployment))}, own...)...)))
	rw.references[f.Name()+".Deployment"], rw.references[f.Name()+".Stage"] = deployment, staged
}

func (rw *rewriter) httpAPI(f source.Field, stage string, own []source.Field) {
	staged := f.Name() + "ApiGatewayDefaultStage"
	if stage != "" {
		staged = f.Name() + notAlphanumeric.ReplaceAllString(stage, "") + "Stage"
	}
	rw.add(f, generated(f, staged, "AWS::ApiGatewayV2::Stage", source.NewObject(f.Value, append([]source.Field{source.NewField("ApiId", refTo(f.Value, f.Name()))}, own...)...)))
	rw.references[f.Name()+".Stage"] = staged
}

// implicitAPIs makes the APIs of functions' events that name no API.
func (rw *rewriter) implicitAPIs(section *source.Node) {
	for _, implicit := range []struct {
		event, property, id, t, stage string
		more                          func(source.Field, string, []source.Field)
	}{
		{"Api", "RestApiId", "ServerlessRestApi", "AWS::ApiGateway::RestApi", "Prod", rw.api},
		{"HttpApi", "ApiId", "ServerlessHttpApi", "AWS::ApiGatewayV2::Api", "", rw.httpAPI},
	} {
		for _, f := range section.Fields {
			if t, _ := f.Value.Get("Type").Text(); t != Function || !usesImplicit(f.Value, implicit.event, implicit.property) {
				continue
			}
			unconditional := f
			unconditional.Value = source.NewObject(f.Value) // not under the function's condition: other functions may have it too
			api := generated(unconditional, implicit.id, implicit.t, source.NewObject(f.Value))
			rw.add(f, api)
			implicit.more(api, implicit.stage, nil)
			break
		}
	}
}

// calledBack makes what a function's events have call the function depend on it, as what SAM writes into them does: an
// API's definition, a bucket's notifications, the triggers of a user pool. A function that refers to one of them in turn
// is a cycle, which CloudFormation refuses.
func (rw *rewriter) calledBack(section *source.Node) {
	for _, f := range section.Fields {
		if t, _ := f.Value.Get("Type").Text(); t != Function {
			continue
		}
		for _, event := range f.Value.Get("Properties").Get("Events").Entries() {
			kind, _ := event.Value.Get("Type").Text()
			back := callers[kind]
			if back.property == "" {
				continue
			}
			caller := event.Value.Get("Properties").Get(back.property)
			id, _ := caller.Get("Ref").Text()
			if name, written := caller.Text(); written {
				id = name
			}
			switch {
			case caller == nil:
				id = back.implicit
			case back.implicit == "", id == back.implicit, section.Get(id) != nil, IsNewer(f.Value):
			default:
				rw.Checkf(caller, "%s must be a valid reference to an '%s' resource in same template; write !Ref LogicalID", back.property, prefix+kind)
			}
			// SAM writes the function into a definition of its own only, and not into one that the template has.
			properties := section.Get(id).Get("Properties")
			hasDefinition := properties.Get("DefinitionBody") != nil || properties.Get("DefinitionUri") != nil
			if at := rw.made(id); at >= 0 && !hasDefinition {
				rw.section.Fields[at].Value = dependsOn(rw.section.Fields[at].Value, event.Key, f.Name())
			}
		}
	}
}

// callers are the events of which something else in the template calls the function: the event's property that names
// it, and the API if none is named.
var callers = map[string]struct{ property, implicit string }{
	"Api":     {"RestApiId", "ServerlessRestApi"},
	"Cognito": {"UserPool", ""},
	"HttpApi": {"ApiId", "ServerlessHttpApi"},
	"S3":      {"Bucket", ""},
}

// made is the place of a resource in the section, or -1.
func (rw *rewriter) made(id string) int {
	return slices.IndexFunc(rw.section.Fields, func(f source.Field) bool { return id != "" && f.Name() == id })
}

// dependsOn is a resource with one more dependency, which is written at a node.
func dependsOn(resource, at *source.Node, id string) *source.Node {
	former := resource.Get("DependsOn")
	all := append(slices.Clone(former.Listed()), source.NewScalar(at, id))
	return withField(resource, "DependsOn", source.NewList(at, all...))
}

// usesImplicit reports whether a function has an event of a kind that names no API.
func usesImplicit(function *source.Node, kind, property string) bool {
	for _, event := range function.Get("Properties").Get("Events").Entries() {
		if t, _ := event.Value.Get("Type").Text(); t == kind && event.Value.Get("Properties").Get(property) == nil {
			return true
		}
	}
	return false
}

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
	case shared.Kind != source.Object, own.Kind != source.Object, shared.IsCall(), own.IsCall():
		return own
	}
	// The order is that of Globals, and then that of the function.
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
