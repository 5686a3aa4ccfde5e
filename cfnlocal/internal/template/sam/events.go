package sam

import "github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"

// eventSource is what SAM makes of an event of a function: a resource, named like the function and
// the event, and the property that names the function in it; and a permission, named like that and
// Permission.
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
			rw.Warnf(event.Key, "this event source is not known here; what SAM makes of it is left out")
			continue
		}
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
		if made.permission {
			rw.add(f, generated(f, id+"Permission", "AWS::Lambda::Permission", source.NewObject(at, source.NewField("FunctionName", function))))
		}
	}
}
