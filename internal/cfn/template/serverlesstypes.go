package template

import "regexp"

// serverlessTypes are the types of SAM and the plain ones that the resources of the same names become.
var serverlessTypes = map[string]string{
	"AWS::Serverless::Api":          "AWS::ApiGateway::RestApi",
	"AWS::Serverless::Application":  typeStack,
	"AWS::Serverless::Connector":    "AWS::IAM::ManagedPolicy",
	typeServerless:                  typeFunction,
	"AWS::Serverless::GraphQLApi":   "AWS::AppSync::GraphQLApi",
	"AWS::Serverless::HttpApi":      "AWS::ApiGatewayV2::Api",
	"AWS::Serverless::LayerVersion": "AWS::Lambda::LayerVersion",
	"AWS::Serverless::SimpleTable":  "AWS::DynamoDB::Table",
	"AWS::Serverless::StateMachine": "AWS::StepFunctions::StateMachine",
}

// renamed are the properties of SAM's types that the plain types have under other names.
var renamed = map[string]map[string]string{
	"AWS::Serverless::Application":  {"Location": "TemplateURL"},
	"AWS::Serverless::LayerVersion": {"ContentUri": "Content"},
	"AWS::Serverless::StateMachine": {"Name": "StateMachineName", "DefinitionUri": "DefinitionS3Location"},
}

// samTransform makes plain resources of SAM's.
type samTransform struct {
	*report
	section    *node
	written    map[string]*node  // keys of the template's own resources
	references map[string]string // Function.Alias and the like
}

// add adds what SAM makes beside a resource.
func (m *samTransform) add(f field, made ...field) {
	for _, extra := range made {
		if first := m.written[extra.name()]; first != nil {
			m.errorf(first, "SAM makes a resource of the name %s for %s; rename this one", extra.name(), f.name())
			continue
		}
		m.section.fields = append(m.section.fields, extra)
	}
}

var notAlphanumeric = regexp.MustCompile(`[^A-Za-z0-9]`)

// plain makes the plain resource of one of SAM's types other than functions, a stand-in, with the stage and the deployment
// of an API and the role of a state machine.
func (m *samTransform) plain(f field, t string) {
	value := newObject(f.value, newField("Type", newScalar(f.value.get("Type"), serverlessTypes[t])))
	properties := f.value.get("Properties")
	for _, attribute := range f.value.fields {
		switch attribute.name() {
		case "Type", "IgnoreGlobals", "Connectors":
		case "Properties":
			value.fields = append(value.fields, field{attribute.key, renamedProperties(attribute.value, renamed[t])})
		default:
			value.fields = append(value.fields, attribute)
		}
	}
	m.section.fields = append(m.section.fields, field{key: f.key, value: value})
	stage, _ := properties.get("StageName").stringValue()
	switch t {
	case "AWS::Serverless::Api":
		m.api(f, stage)
	case "AWS::Serverless::HttpApi":
		m.httpAPI(f, stage)
	case "AWS::Serverless::StateMachine":
		if properties.get("Role") == nil {
			m.add(f, generated(f, f.name()+"Role", "AWS::IAM::Role", newObject(f.value)))
		}
	}
}

func renamedProperties(properties *node, names map[string]string) *node {
	if properties.kind != object || isCall(properties) || len(names) == 0 {
		return properties
	}
	out := newObject(properties)
	out.parent, out.name = properties.parent, properties.name
	for _, p := range properties.fields {
		if name := names[p.name()]; name != "" {
			p = newField(name, p.value)
		}
		out.fields = append(out.fields, p)
	}
	return out
}

// api makes the deployment and the stage of a REST API. SAM's names of deployments end in digits of their own.
func (m *samTransform) api(f field, stage string) {
	of := newField("RestApiId", refTo(f.value, f.name()))
	deployment, staged := f.name()+"Deployment", f.name()+notAlphanumeric.ReplaceAllString(stage, "")+"Stage"
	m.add(f, generated(f, deployment, "AWS::ApiGateway::Deployment", newObject(f.value, of)),
		generated(f, staged, "AWS::ApiGateway::Stage", newObject(f.value, of, newField("DeploymentId", refTo(f.value, deployment)))))
	m.references[f.name()+".Deployment"], m.references[f.name()+".Stage"] = deployment, staged
}

func (m *samTransform) httpAPI(f field, stage string) {
	staged := f.name() + "ApiGatewayDefaultStage"
	if stage != "" {
		staged = f.name() + notAlphanumeric.ReplaceAllString(stage, "") + "Stage"
	}
	m.add(f, generated(f, staged, "AWS::ApiGatewayV2::Stage", newObject(f.value, newField("ApiId", refTo(f.value, f.name())))))
	m.references[f.name()+".Stage"] = staged
}

// implicitAPIs makes the APIs that functions have events of without naming one.
func (m *samTransform) implicitAPIs(section *node) {
	for _, implicit := range []struct {
		event, property, id, t, stage string
		more                          func(field, string)
	}{
		{"Api", "RestApiId", "ServerlessRestApi", "AWS::ApiGateway::RestApi", "Prod", m.api},
		{"HttpApi", "ApiId", "ServerlessHttpApi", "AWS::ApiGatewayV2::Api", "", m.httpAPI},
	} {
		for _, f := range section.fields {
			if t, _ := f.value.get("Type").stringValue(); t != typeServerless || !usesImplicit(f.value, implicit.event, implicit.property) {
				continue
			}
			of := f
			of.value = newObject(f.value) // not under the function's condition: other functions may have it too
			api := generated(of, implicit.id, implicit.t, newObject(f.value))
			m.add(f, api)
			implicit.more(api, implicit.stage)
			break
		}
	}
}

// usesImplicit says whether a function has an event of a kind that names no API.
func usesImplicit(function *node, kind, property string) bool {
	for _, event := range function.get("Properties").get("Events").entries() {
		if t, _ := event.value.get("Type").stringValue(); t == kind && event.value.get("Properties").get(property) == nil {
			return true
		}
	}
	return false
}
