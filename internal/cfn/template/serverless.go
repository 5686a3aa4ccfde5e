package template

import (
	"slices"
	"strings"
)

// serverlessProperties are the properties of AWS::Serverless::Function, to find misspelled ones.
var serverlessProperties = []string{
	"Architectures", "AssumeRolePolicyDocument", "AutoPublishAlias", "AutoPublishAliasAllProperties", "AutoPublishCodeSha256",
	"CapacityProviderConfig", "CodeSigningConfigArn", "CodeUri", "DeadLetterQueue", "DeploymentPreference", "Description",
	"Environment", "EphemeralStorage", "EventInvokeConfig", "Events", "FileSystemConfigs", "FunctionName", "FunctionScalingConfig",
	"FunctionUrlConfig", "Handler", "ImageConfig", "ImageUri", "InlineCode", "KmsKeyArn", "Layers", "LoggingConfig", "MemorySize",
	"PackageType", "PermissionsBoundary", "Policies", "PropagateTags", "ProvisionedConcurrencyConfig", "RecursiveLoop",
	"ReservedConcurrentExecutions", "Role", "RolePath", "Runtime", "RuntimeManagementConfig", "SnapStart", "SourceKMSKeyArn", "Tags",
	"TenancyConfig", "Timeout", "Tracing", "VersionDescription", "VersionDeletionPolicy", "VpcConfig",
}

// warnUnknownProperty warns of a property that is most likely a slip. It is no error, since SAM gains properties all the
// time, unless it differs from one in its case alone.
func warnUnknownProperty(f field, r *report) {
	if slices.Contains(serverlessProperties, f.name()) {
		return
	}
	near := nearest(f.name(), slices.Values(serverlessProperties))
	switch {
	case strings.EqualFold(f.name(), near):
		r.errorf(f.key, "a function has no property %s; write %s", shorten(f.name()), near)
	case near != "":
		r.warnf(f.key, "a function has no property %s that is known here; did you mean %s?", shorten(f.name()), near)
	}
}

// notPlain are the properties that SAM turns into other resources, or reads itself.
var notPlain = []string{
	"AssumeRolePolicyDocument", "AutoPublishAlias", "AutoPublishAliasAllProperties", "AutoPublishCodeSha256", "CodeUri", "DeploymentPreference",
	"EventInvokeConfig", "Events", "FunctionUrlConfig", "ImageUri", "InlineCode", "PermissionsBoundary", "Policies", "PropagateTags",
	"ProvisionedConcurrencyConfig", "RolePath", "VersionDescription", "VersionDeletionPolicy",
}

// function makes of an AWS::Serverless::Function what SAM makes of it: the function of the same name, its role (…Role) unless
// it has one, its EventInvokeConfig (…EventInvokeConfig) with the queue or topic that it asks for (…OnFailureQueue,
// …OnFailureTopic), its version and alias, its URL, and what its events need (… and the event's name).
func (m *samTransform) function(f field, shared *node) {
	r := m.report
	own := f.value.get("Properties")
	if own != nil && own.kind != object {
		r.errorf(own, "Properties must be an object of named properties, and here is %s; write Properties: {CodeUri: ./directory}", own.kind)
		own = nil
	}
	for _, p := range own.entries() {
		warnUnknownProperty(p, r)
	}
	properties := merged(without(shared, f.value.get("IgnoreGlobals"), r), own)
	if properties == nil {
		properties = newObject(f.value)
	}
	if at := properties.get("DeploymentPreference"); at != nil {
		r.warnf(at, "DeploymentPreference is not played here: what SAM makes of it is left out")
	}
	plain := newObject(properties)
	for _, p := range properties.fields {
		if !slices.Contains(notPlain, p.name()) {
			plain.fields = append(plain.fields, p)
		}
	}
	plain.fields = append(plain.fields, serverlessCode(properties)...)
	var made []field
	if properties.get("Role") == nil {
		role := f.name() + "Role"
		plain.fields = append(plain.fields, newField("Role", attributeOf(f.value, role, "Arn")))
		made = append(made, generated(f, role, "AWS::IAM::Role", picked(properties, "AssumeRolePolicyDocument", "Policies", "PermissionsBoundary", "RolePath")))
	}
	function := newObject(f.value, newField("Type", newScalar(f.value.get("Type"), typeFunction)), newField("Properties", plain))
	for _, attribute := range f.value.fields {
		if !slices.Contains([]string{"Type", "Properties", "IgnoreGlobals", "Connectors"}, attribute.name()) {
			function.fields = append(function.fields, attribute)
		}
	}
	m.section.fields = append(m.section.fields, field{key: f.key, value: function})
	m.add(f, made...)
	m.add(f, serverlessEventInvoke(f, properties, r)...)
	m.alias(f, properties.get("AutoPublishAlias"))
	if url := properties.get("FunctionUrlConfig"); url != nil {
		m.add(f, generated(f, f.name()+"Url", "AWS::Lambda::Url", withField(url, "TargetFunctionArn", refTo(url, f.name()))))
	}
	m.events(f, properties.get("Events"))
}

// alias makes the version and the alias of AutoPublishAlias. SAM's names of versions end in digits of their own; Function.Version
// and Function.Alias refer to them.
func (m *samTransform) alias(f field, alias *node) {
	if alias == nil {
		return
	}
	name, _ := alias.text()
	version, id := f.name()+"Version", f.name()+"Alias"+notAlphanumeric.ReplaceAllString(name, "")
	of := newField("FunctionName", refTo(alias, f.name()))
	m.add(f, generated(f, version, "AWS::Lambda::Version", newObject(alias, of)),
		generated(f, id, "AWS::Lambda::Alias", newObject(alias, of, newField("FunctionVersion", attributeOf(alias, version, "Version")), newField("Name", alias))))
	m.references[f.name()+".Version"], m.references[f.name()+".Alias"] = version, id
}

// serverlessCode is the Code of the plain function.
func serverlessCode(properties *node) []field {
	if uri := properties.get("CodeUri"); uri != nil {
		return []field{newField("Code", uri)}
	}
	if inline := properties.get("InlineCode"); inline != nil {
		return []field{newField("Code", newObject(inline, newField("ZipFile", inline)))}
	}
	if image := properties.get("ImageUri"); image != nil {
		return []field{newField("Code", newObject(image, newField("ImageUri", image)))}
	}
	return nil
}

// serverlessEventInvoke is the AWS::Lambda::EventInvokeConfig of a function, if it has one: it is for the alias of
// AutoPublishAlias, and then not for the function itself.
func serverlessEventInvoke(f field, function *node, r *report) []field {
	config, qualifier := function.get("EventInvokeConfig"), function.get("AutoPublishAlias")
	if config == nil {
		return nil
	}
	if qualifier == nil {
		qualifier = newScalar(config, latest)
	}
	var made []field
	properties := newObject(config, newField("FunctionName", refTo(config, f.name())), newField("Qualifier", qualifier))
	for _, p := range config.fields {
		if p.name() != "DestinationConfig" {
			properties.fields = append(properties.fields, p)
			continue
		}
		destinations := newObject(p.value)
		for _, d := range p.value.fields {
			value, extra := destination(f, d, r)
			destinations.fields = append(destinations.fields, field{key: d.key, value: value})
			made = append(made, extra...)
		}
		properties.fields = append(properties.fields, field{key: p.key, value: destinations})
	}
	if config.kind != object {
		r.errorf(config, "EventInvokeConfig is an object; write EventInvokeConfig: {MaximumRetryAttempts: 2}")
	}
	return append(made, generated(f, f.name()+"EventInvokeConfig", typeEventInvoke, properties))
}

// destination is OnSuccess or OnFailure without SAM's Type, and the queue or topic that SAM makes where none is named.
func destination(f, d field, r *report) (*node, []field) {
	if d.value.kind != object {
		r.errorf(d.value, "%s is an object; write %s: {Type: Lambda, Destination: !GetAtt Function.Arn}", shorten(d.name()), shorten(d.name()))
		return newObject(d.value), nil
	}
	if target := d.value.get("Destination"); target != nil {
		return newObject(d.value, newField("Destination", target)), nil
	}
	made := map[string][2]string{"SQS": {"Queue", "AWS::SQS::Queue"}, "SNS": {"Topic", "AWS::SNS::Topic"}}
	kind, _ := d.value.get("Type").stringValue()
	names, ok := made[kind]
	if !ok {
		r.errorf(d.value, "%s needs a Destination, an ARN; write %s: {Type: Lambda, Destination: !GetAtt Function.Arn}", shorten(d.name()), shorten(d.name()))
		return newObject(d.value), nil
	}
	id := f.name() + d.name() + names[0]
	target := attributeOf(d.value, id, "Arn")
	if kind == "SNS" {
		target = refTo(d.value, id)
	}
	return newObject(d.value, newField("Destination", target)), []field{generated(f, id, names[1], newObject(d.value))}
}

// generated is a resource that SAM adds; it lives under the function's condition and policies.
func generated(f field, id, t string, properties *node) field {
	n := newObject(f.value, newField("Type", newScalar(f.value, t)), newField("Properties", properties))
	for _, key := range []string{"Condition", "DeletionPolicy", "UpdateReplacePolicy"} {
		if at := f.value.get(key); at != nil {
			n.fields = append(n.fields, newField(key, at))
		}
	}
	key := newScalar(f.key, id)
	key.name = id
	return field{key: key, value: n}
}

func refTo(at *node, id string) *node {
	return newObject(at, newField("Ref", newScalar(at, id)))
}

func attributeOf(at *node, id, name string) *node {
	return newObject(at, newField("Fn::GetAtt", newList(at, newScalar(at, id), newScalar(at, name))))
}

// withField is a copy of an object with one more entry, or instead of the one of that name; of anything else, the entry alone.
func withField(n *node, name string, value *node) *node {
	out := newObject(n)
	if n.kind == object && !isCall(n) {
		for _, f := range n.fields {
			if f.name() != name {
				out.fields = append(out.fields, f)
			}
		}
	}
	out.fields = append(out.fields, newField(name, value))
	return out
}

// picked is an object of some of the properties.
func picked(properties *node, names ...string) *node {
	out := newObject(properties)
	for _, p := range properties.fields {
		if slices.Contains(names, p.name()) {
			out.fields = append(out.fields, p)
		}
	}
	return out
}
