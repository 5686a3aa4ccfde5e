package template

// serverlessEvents are the resources that SAM makes of a function's Events. Only subscriptions to topics are played, since
// a topic can be the ServiceToken of a custom resource; nothing of the other sources concerns a stack.
func serverlessEvents(f field, events *node, r *report) []field {
	var made []field
	for _, event := range fieldsOf(events, r) {
		kind, _ := event.value.get("Type").stringValue()
		topic := event.value.get("Properties").get("Topic")
		if kind != "SNS" || topic == nil {
			r.warnf(event.key, "this event source is not played here, only those of Type SNS with a Topic are; what SAM makes of it is left out")
			continue
		}
		made = append(made, generated(f, f.name()+event.name(), "AWS::SNS::Subscription", newObject(event.value,
			newField("Protocol", newScalar(event.value, "lambda")),
			newField("TopicArn", topic),
			newField("Endpoint", call(event.value, "Fn::GetAtt", newList(event.value, newScalar(event.value, f.name()), newScalar(event.value, "Arn")))),
		)))
	}
	return made
}
