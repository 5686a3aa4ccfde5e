package template

// Subscription is a function that receives the notifications of an SNS topic: how a topic is a
// ServiceToken.
type Subscription struct {
	Position
	TopicID, FunctionID string // logical IDs
}

// subscriptions are the lambda subscriptions of AWS::SNS::Subscription and of the topics
// themselves. Those whose topic or endpoint is not of this template are left out: nothing here can
// publish to them.
func (p *planner) subscriptions(active []*resource) []Subscription {
	var all []Subscription
	add := func(res *resource, topic string, subscription objectExpr) {
		protocol, _ := p.pick(subscription.get("Protocol")).(literal)
		function := p.functionOf(subscription.get("Endpoint"))
		if protocol.value == "lambda" && topic != "" && function != "" {
			all = append(all, Subscription{Position: p.report.Position(res.key), TopicID: topic, FunctionID: function})
		}
	}
	for _, res := range active {
		switch res.Type {
		case "AWS::SNS::Subscription":
			topic, _ := p.pick(res.properties.get("TopicArn")).(resourceRef)
			add(res, topic.id, res.properties)
		case "AWS::SNS::Topic":
			own, _ := p.pick(res.properties.get("Subscription")).(listExpr)
			for _, item := range own.items {
				if subscription, ok := p.pick(item).(objectExpr); ok {
					add(res, res.LogicalID, subscription)
				}
			}
		}
	}
	return all
}
