package sam

import (
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// notPlain are the properties that SAM turns into other resources, or reads itself.
var notPlain = []string{
	"AssumeRolePolicyDocument", "AutoPublishAlias", "AutoPublishAliasAllProperties", "AutoPublishCodeSha256", "CodeUri", "DeploymentPreference",
	"EventInvokeConfig", "Events", "FunctionUrlConfig", "ImageUri", "InlineCode", "PermissionsBoundary", "Policies", "PropagateTags",
	"ProvisionedConcurrencyConfig", "RolePath", "VersionDescription", "VersionDeletionPolicy",
}

// ofRole reports whether a property is of the role that SAM makes.
func ofRole(property string) bool {
	return slices.Contains([]string{"AssumeRolePolicyDocument", "Policies", "PermissionsBoundary", "RolePath"}, property)
}

// isKept reports whether the plain resource keeps an attribute of SAM's resource.
func isKept(attribute string) bool {
	return !slices.Contains([]string{"Type", "IgnoreGlobals", "Connectors"}, attribute)
}

// function turns an AWS::Serverless::Function into the resources that SAM makes of it: the function of
// the same name, its role (…Role) unless it has one, its EventInvokeConfig (…EventInvokeConfig) with the
// queue or topic that it asks for (…EventInvokeConfigOnFailureQueue,
// …EventInvokeConfigOnSuccessTopic), its version and alias, its URL, and the resources of its events (…
// and the event's name).
func (rw *rewriter) function(f source.Field, shared *source.Node) {
	// Its own properties, and those that it inherits.
	r := rw.Report
	own := f.Value.Get("Properties")
	if own != nil && own.Kind != source.Object {
		r.Errorf(own, "Properties must be an object of named properties, not %s; write Properties: {CodeUri: ./directory}", own.Kind)
		own = nil
	}
	rw.checkProperties(f, Function, own)
	properties := merged(without(shared, f.Value.Get("IgnoreGlobals"), r), own)
	if properties == nil {
		properties = source.NewObject(f.Value)
	}
	rw.checkPreference(properties)
	rw.checkPackage(f, properties)
	rw.checkPolicies(f, properties.Get("Policies"))
	// The function itself.
	plain := picked(properties, func(name string) bool { return !slices.Contains(notPlain, name) })
	plain.Fields = append(plain.Fields, serverlessCode(properties)...)
	var made []source.Field
	if properties.Get("Role") == nil {
		role := f.Name() + "Role"
		plain.Fields = append(plain.Fields, source.NewField("Role", attributeOf(f.Value, role, "Arn")))
		made = append(made, generated(f, role, "AWS::IAM::Role", roleProperties(properties)))
	}
	function := source.NewObject(f.Value, source.NewField("Type", source.NewScalar(f.Value.Get("Type"), "AWS::Lambda::Function")), source.NewField("Properties", plain))
	others := picked(f.Value, func(name string) bool { return name != "Properties" && isKept(name) })
	function.Fields = append(function.Fields, others.Fields...)
	rw.section.Fields = append(rw.section.Fields, source.Field{Key: f.Key, Value: function})
	// The resources that SAM makes beside it.
	rw.add(f, made...)
	rw.eventInvoke(f, properties)
	rw.alias(f, properties)
	if url := properties.Get("FunctionUrlConfig"); url != nil {
		rw.add(f, generated(f, f.Name()+"Url", "AWS::Lambda::Url", withField(url, "TargetFunctionArn", refTo(url, f.Name()))))
	}
	rw.events(f, properties.Get("Events"))
}

// roleProperties are those of the role that SAM makes: the function's own, with permission to invoke the functions that are
// destinations of its asynchronous invocations (SAM's source, _add_event_invoke_managed_policy).
func roleProperties(function *source.Node) *source.Node {
	role := picked(function, func(name string) bool { return ofRole(name) && name != "Policies" })
	policies := function.Get("Policies").Listed()
	for _, on := range []string{"OnSuccess", "OnFailure"} {
		destination := function.Get("EventInvokeConfig").Get("DestinationConfig").Get(on)
		arn := destination.Get("Destination")
		if kind, _ := destination.Get("Type").Text(); kind != "Lambda" || arn == nil {
			continue
		}
		text := func(value string) *source.Node { return source.NewScalar(arn, value) }
		statement := source.NewObject(arn, source.NewField("Effect", text("Allow")), source.NewField("Action", text("lambda:InvokeFunction")), source.NewField("Resource", arn))
		policies = append(policies, source.NewObject(arn, source.NewField("Statement", source.NewList(arn, statement))))
	}
	if len(policies) > 0 {
		role.Fields = append(role.Fields, source.NewField("Policies", source.NewList(policies[0], policies...)))
	}
	return role
}

// alias makes the version and the alias of AutoPublishAlias. SAM's names of versions end in digits
// of their own, which are others for new code; Function.Version and Function.Alias refer to them.
func (rw *rewriter) alias(f source.Field, properties *source.Node) {
	alias, uri := properties.Get("AutoPublishAlias"), properties.Get("CodeUri")
	if alias == nil {
		return
	}
	name, _ := alias.Text()
	version, id := f.Name()+"Version", f.Name()+"Alias"+notAlphanumeric.ReplaceAllString(name, "")
	functionName := source.NewField("FunctionName", refTo(alias, f.Name()))
	published := source.NewObject(alias, functionName)
	if text, _ := uri.Text(); strings.HasPrefix(text, "s3://") {
		published.Fields = append(published.Fields, source.NewField("CodeSha256", uri)) // another address is other code
	}
	rw.add(f, generated(f, version, "AWS::Lambda::Version", published),
		generated(f, id, "AWS::Lambda::Alias", source.NewObject(alias, functionName, source.NewField("FunctionVersion", attributeOf(alias, version, "Version")), source.NewField("Name", alias))))
	rw.references[f.Name()+".Version"], rw.references[f.Name()+".Alias"] = version, id
}

// serverlessCode is the Code of the plain function.
func serverlessCode(properties *source.Node) []source.Field {
	if uri := properties.Get("CodeUri"); uri != nil {
		return []source.Field{source.NewField("Code", s3Location(uri))}
	}
	for _, as := range [][2]string{{"InlineCode", "ZipFile"}, {"ImageUri", "ImageUri"}} {
		if given := properties.Get(as[0]); given != nil {
			return []source.Field{source.NewField("Code", source.NewObject(given, source.NewField(as[1], given)))}
		}
	}
	return nil
}

// s3Location is a CodeUri as Code has it: an object for one in S3, and otherwise the path.
func s3Location(uri *source.Node) *source.Node {
	text, _ := uri.Text()
	if location, is := strings.CutPrefix(text, "s3://"); is {
		bucket, key, _ := strings.Cut(location, "/")
		return source.NewObject(uri, source.NewField("S3Bucket", source.NewScalar(uri, bucket)), source.NewField("S3Key", source.NewScalar(uri, key)))
	}
	if uri.Kind != source.Object || uri.IsCall() {
		return uri
	}
	return plainProperties(uri, map[string]string{"Bucket": "S3Bucket", "Key": "S3Key", "Version": "S3ObjectVersion"}, nil)
}

// eventInvoke makes the AWS::Lambda::EventInvokeConfig of a function, if it has one: it is for the
// alias of AutoPublishAlias, and then not for the function itself.
func (rw *rewriter) eventInvoke(f source.Field, function *source.Node) {
	config, qualifier := function.Get("EventInvokeConfig"), function.Get("AutoPublishAlias")
	if config == nil {
		return
	}
	if qualifier == nil {
		qualifier = source.NewScalar(config, "$LATEST")
	}
	properties := source.NewObject(config, source.NewField("FunctionName", refTo(config, f.Name())), source.NewField("Qualifier", qualifier))
	for _, p := range config.Fields {
		if p.Name() != "DestinationConfig" {
			properties.Fields = append(properties.Fields, p)
			continue
		}
		destinations := source.NewObject(p.Value)
		for _, d := range p.Value.Fields {
			destinations.Fields = append(destinations.Fields, source.Field{Key: d.Key, Value: rw.destination(f, d)})
		}
		properties.Fields = append(properties.Fields, source.Field{Key: p.Key, Value: destinations})
	}
	if config.Kind != source.Object {
		rw.Errorf(config, "EventInvokeConfig must be an object; write EventInvokeConfig: {MaximumRetryAttempts: 2}")
	}
	rw.add(f, generated(f, f.Name()+"EventInvokeConfig", "AWS::Lambda::EventInvokeConfig", properties))
}

// destination is OnSuccess or OnFailure without SAM's Type. If no destination is named, it makes a queue
// or a topic, to which Function.DestinationQueue or Function.DestinationTopic refers; if there are two, to
// that of OnFailure.
func (rw *rewriter) destination(f, d source.Field) *source.Node {
	if d.Value.Kind != source.Object {
		rw.Errorf(d.Value, "%s must be an object; write %s: {Type: Lambda, Destination: !GetAtt Function.Arn}", source.Shorten(d.Name()), source.Shorten(d.Name()))
		return source.NewObject(d.Value)
	}
	if target := d.Value.Get("Destination"); target != nil {
		return source.NewObject(d.Value, source.NewField("Destination", target))
	}
	made := map[string][2]string{"SQS": {"Queue", "AWS::SQS::Queue"}, "SNS": {"Topic", "AWS::SNS::Topic"}}
	kind, _ := d.Value.Get("Type").Text()
	names, ok := made[kind]
	if !ok {
		rw.Errorf(d.Value, "%s needs a Destination, an ARN; write %s: {Type: Lambda, Destination: !GetAtt Function.Arn}", source.Shorten(d.Name()), source.Shorten(d.Name()))
		return source.NewObject(d.Value)
	}
	id := f.Name() + "EventInvokeConfig" + d.Name() + names[0]
	rw.add(f, generated(f, id, names[1], source.NewObject(d.Value)))
	if reference := f.Name() + ".Destination" + names[0]; rw.references[reference] == "" || d.Name() == "OnFailure" {
		rw.references[reference] = id
	}
	target := attributeOf(d.Value, id, "Arn")
	if kind == "SNS" {
		target = refTo(d.Value, id)
	}
	return source.NewObject(d.Value, source.NewField("Destination", target))
}

// generated is a resource that SAM adds, with the function's condition and policies.
func generated(f source.Field, id, t string, properties *source.Node) source.Field {
	n := source.NewObject(f.Value, source.NewField("Type", source.NewScalar(f.Value, t)), source.NewField("Properties", properties))
	for _, key := range []string{"Condition", "DeletionPolicy", "UpdateReplacePolicy"} {
		if at := f.Value.Get(key); at != nil {
			n.Fields = append(n.Fields, source.NewField(key, at))
		}
	}
	return source.Field{Key: source.NewKey(f.Key, id), Value: n}
}

func refTo(at *source.Node, id string) *source.Node {
	return source.NewObject(at, source.NewField("Ref", source.NewScalar(at, id)))
}

func attributeOf(at *source.Node, id, name string) *source.Node {
	return source.NewObject(at, source.NewField("Fn::GetAtt", source.NewList(at, source.NewScalar(at, id), source.NewScalar(at, name))))
}

// withField is a copy of an object with one more entry, which replaces one of that name. If the node is
// not an object, it is an object with the entry alone.
func withField(n *source.Node, name string, value *source.Node) *source.Node {
	out := source.NewObject(n)
	if !n.IsCall() {
		out = picked(n, func(other string) bool { return other != name })
	}
	out.Fields = append(out.Fields, source.NewField(name, value))
	return out
}

// picked is an object of the entries for whose names a function reports true.
func picked(n *source.Node, is func(name string) bool) *source.Node {
	out := source.NewObject(n)
	for _, f := range n.Fields {
		if is(f.Name()) {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// eventSource has the resources that SAM makes of an event of a function: a resource, named after the
// function and the event, with the property that names the function; and a permission, with that name
// and Permission.
type eventSource struct {
	resource, property string
	permission         bool
}

var eventSources = map[string]eventSource{
	"AlexaSkill":       {permission: true},
	"Api":              {permission: true},
	"CloudWatchEvent":  {"AWS::Events::Rule", "Targets", true},
	"CloudWatchLogs":   {"AWS::Logs::SubscriptionFilter", "DestinationArn", true},
	"Cognito":          {permission: true},
	"DocumentDB":       {"AWS::Lambda::EventSourceMapping", "FunctionName", false},
	"DynamoDB":         {"AWS::Lambda::EventSourceMapping", "FunctionName", false},
	"EventBridgeRule":  {"AWS::Events::Rule", "Targets", true},
	"HttpApi":          {permission: true},
	"IoTRule":          {"AWS::IoT::TopicRule", "TopicRulePayload", true},
	"Kinesis":          {"AWS::Lambda::EventSourceMapping", "FunctionName", false},
	"MQ":               {"AWS::Lambda::EventSourceMapping", "FunctionName", false},
	"MSK":              {"AWS::Lambda::EventSourceMapping", "FunctionName", false},
	"S3":               {permission: true},
	"SNS":              {"AWS::SNS::Subscription", "Endpoint", true},
	"SQS":              {"AWS::Lambda::EventSourceMapping", "FunctionName", false},
	"Schedule":         {"AWS::Events::Rule", "Targets", true},
	"ScheduleV2":       {"AWS::Scheduler::Schedule", "Target", false},
	"SelfManagedKafka": {"AWS::Lambda::EventSourceMapping", "FunctionName", false},
}

// events makes the resources of a function's Events. Subscriptions to topics have an effect, since
// a topic can be the ServiceToken of a custom resource; the others are stand-ins.
func (rw *rewriter) events(f source.Field, events *source.Node) {
	for _, event := range rw.Fields(events) {
		kind, _ := event.Value.Get("Type").Text()
		made, known := eventSources[kind]
		if !known {
			if !IsNewer(f.Value) {
				rw.Checkf(event.Key, "Event with id [%s] is invalid: functions have no event source %s%s%s", source.Shorten(event.Name()), source.Shorten(kind), source.DidYouMean(kind, maps.Keys(eventSources)), asOf)
			}
			continue
		}
		// What delivers the event, and the permission to call the function, are resources of their own.
		id, at := f.Name()+event.Name(), event.Value
		function := attributeOf(at, f.Name(), "Arn")
		if properties := at.Get("Properties"); made.resource != "" {
			if properties == nil {
				properties = source.NewObject(at)
			}
			if kind == "SNS" {
				if properties.Get("Topic") == nil {
					continue
				}
				properties = source.NewObject(at, source.NewField("Protocol", source.NewScalar(at, "lambda")), source.NewField("TopicArn", properties.Get("Topic")))
			}
			rw.add(f, generated(f, id, made.resource, withField(properties, made.property, function)))
		}
		// A source that polls needs no permission.
		if made.permission {
			rw.add(f, generated(f, id+"Permission", "AWS::Lambda::Permission", source.NewObject(at, source.NewField("FunctionName", function))))
		}
	}
}
