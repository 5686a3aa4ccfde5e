package template

// eventSource is what SAM makes of an event of a function: a resource, named like the function and the event, and the
// property that names the function in it; and a permission, named like that and Permission.
type eventSource struct {
	resource, property string
	permission         bool
}

const typePermission = "AWS::Lambda::Permission"

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

// events makes the resources of a function's Events. Subscriptions to topics have an effect, since a topic can be the
// ServiceToken of a custom resource; the others are stand-ins.
func (m *samTransform) events(f field, events *node) {
	for _, event := range fieldsOf(events, m.report) {
		kind, _ := event.value.get("Type").stringValue()
		source, known := eventSources[kind]
		if !known {
			m.warnf(event.key, "this event source is not known here; what SAM makes of it is left out")
			continue
		}
		id, at := f.name()+event.name(), event.value
		function := attributeOf(at, f.name(), "Arn")
		if properties := at.get("Properties"); source.resource != "" {
			if properties == nil {
				properties = newObject(at)
			}
			if kind == "SNS" {
				if properties.get("Topic") == nil {
					continue
				}
				properties = newObject(at, newField("Protocol", newScalar(at, "lambda")), newField("TopicArn", properties.get("Topic")))
			}
			m.add(f, generated(f, id, source.resource, withField(properties, source.property, function)))
		}
		if source.permission {
			m.add(f, generated(f, id+"Permission", typePermission, newObject(at, newField("FunctionName", function))))
		}
	}
}
