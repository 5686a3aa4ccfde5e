package template

import (
	"slices"
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

// warnUnknownProperty warns of a property that is most likely a slip. It is no error: SAM gains properties all the time.
func warnUnknownProperty(f field, r *report) {
	if slices.Contains(serverlessProperties, f.name()) {
		return
	}
	if near := nearest(f.name(), slices.Values(serverlessProperties)); near != "" {
		r.warnf(f.key, "a function has no property %s that is known here; did you mean %s?", shorten(f.name()), near)
	}
}

// notPlain are the properties that SAM turns into other resources, or reads itself.
var notPlain = []string{
	"AssumeRolePolicyDocument", "AutoPublishAlias", "AutoPublishAliasAllProperties", "AutoPublishCodeSha256", "CodeUri", "DeploymentPreference",
	"EventInvokeConfig", "Events", "FunctionUrlConfig", "ImageUri", "InlineCode", "PermissionsBoundary", "Policies", "PropagateTags",
	"ProvisionedConcurrencyConfig", "RolePath", "VersionDescription", "VersionDeletionPolicy",
}

// serverlessFunction makes of an AWS::Serverless::Function what SAM makes of it: the function of the same name, its role
// (…Role) unless it has one, and its EventInvokeConfig (…EventInvokeConfig) with the queue or topic that it asks for
// (…OnFailureQueue, …OnFailureTopic), and its subscriptions to topics (… and the event's name). The function comes first.
func serverlessFunction(f field, shared *node, r *report) []field {
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
	for _, key := range []string{"FunctionUrlConfig", "DeploymentPreference", "AutoPublishAlias"} {
		if at := properties.get(key); at != nil {
			r.warnf(at, "%s is not played here: what SAM makes of it is left out", key)
		}
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
		plain.fields = append(plain.fields, newField("Role", call(f.value, "Fn::GetAtt", newList(f.value, newScalar(f.value, role), newScalar(f.value, "Arn")))))
		made = append(made, generated(f, role, "AWS::IAM::Role", picked(properties, "AssumeRolePolicyDocument", "Policies", "PermissionsBoundary", "RolePath")))
	}
	function := newObject(f.value, newField("Type", newScalar(f.value.get("Type"), typeFunction)), newField("Properties", plain))
	for _, attribute := range f.value.fields {
		if !slices.Contains([]string{"Type", "Properties", "IgnoreGlobals", "Connectors"}, attribute.name()) {
			function.fields = append(function.fields, attribute)
		}
	}
	made = append(made, serverlessEventInvoke(f, properties.get("EventInvokeConfig"), r)...)
	made = append(made, serverlessEvents(f, properties.get("Events"), r)...)
	return append([]field{{key: f.key, value: function}}, made...)
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

// serverlessEventInvoke is the AWS::Lambda::EventInvokeConfig of a function, if it has one.
func serverlessEventInvoke(f field, config *node, r *report) []field {
	if config == nil {
		return nil
	}
	var made []field
	properties := newObject(config, newField("FunctionName", call(config, "Ref", newScalar(config, f.name()))), newField("Qualifier", newScalar(config, "$LATEST")))
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
	target := call(d.value, "Fn::GetAtt", newList(d.value, newScalar(d.value, id), newScalar(d.value, "Arn")))
	if kind == "SNS" {
		target = call(d.value, "Ref", newScalar(d.value, id))
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

func call(at *node, name string, argument *node) *node {
	return newObject(at, newField(name, argument))
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
