package template

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// advise warns of the mistakes that most often leave a stack hanging, or a failure without a trace. It
// looks at the functions behind custom resources, except those that a parameter or another stack names.
func (p *planner) advise(active []*resource, plan *Plan) {
	for _, f := range plan.Functions {
		if f.CodeURI == "" {
			p.report.Warnf(p.names.resources[f.LogicalID].key, "the code of the function %s is not a directory on this machine; give the command that runs it", f.LogicalID)
			p.report.Warnings[len(p.report.Warnings)-1].NoCode = f.LogicalID
		}
	}
	customs := map[string][]*resource{} // by their functions
	for _, res := range active {
		if !engine.IsCustomResource(res.Type) {
			continue
		}
		for _, id := range p.providers(res.properties.get("ServiceToken"), plan.Subscriptions) {
			f := plan.Function(id)
			if f == nil {
				continue // named by a literal ARN, and not part of this stack
			}
			p.adviseTimeout(res, f, plan)
			p.adviseQualifier(res, f)
			if customs[id] == nil {
				p.adviseFunction(f, active, plan)
			}
			customs[id] = append(customs[id], res)
		}
	}
	for _, f := range plan.Functions {
		p.adviseOrder(&f, customs[f.LogicalID], active, plan)
	}
}

// providers are the functions of this template behind a ServiceToken: the function itself, or those
// subscribed to a topic.
func (p *planner) providers(token expr, subscriptions []Subscription) []string {
	if id := p.functionOf(token); id != "" {
		return []string{id}
	}
	var ids []string
	for _, s := range p.subscribersOf(token, subscriptions) {
		if s.FunctionID != "" {
			ids = append(ids, s.FunctionID)
		}
	}
	return ids
}

// subscribersOf are the subscriptions of a ServiceToken that is a topic of this template.
func (p *planner) subscribersOf(token expr, subscriptions []Subscription) (all []Subscription) {
	topic := p.topicOf(token)
	for _, s := range subscriptions {
		if s.TopicID == topic {
			all = append(all, s)
		}
	}
	return all
}

// topicOf is the logical ID of the topic to which an expression refers, by Ref or by an ARN with its name, or "".
func (p *planner) topicOf(e expr) string {
	if ref, is := p.pick(e).(resourceRef); is {
		return ref.id
	}
	arn, _ := p.resolveText(p.predictText(e))
	if named := p.template.resourceOfARN(arn, p.predictText); named != nil {
		return named.LogicalID
	}
	return ""
}

// adviseTimeout warns if CloudFormation stops waiting while an answer can still come, or waits
// for longer than the function can work.
func (p *planner) adviseTimeout(res *resource, f *Function, plan *Plan) {
	seconds := 3600 // [D] without one
	if given := p.pick(res.properties.get("ServiceTimeout")); given != nil {
		var err error
		if seconds, err = strconv.Atoi(p.predictText(given)); err != nil || p.ofSecret(given) {
			return // it is known once resources exist, or is secret
		}
	}
	p.adviseLinks(res, f, seconds)
	wait := time.Duration(seconds) * time.Second
	if wait < f.timeout {
		p.report.Warnf(res.place("ServiceTimeout"), "CloudFormation waits %d seconds, and the function %s may work for %.0f: its answer can come too late; raise ServiceTimeout or lower the function's Timeout", seconds, f.LogicalID, f.timeout.Seconds())
		return
	}
	if latest := p.latestAnswer(f, plan); wait < latest && latest <= longestWait {
		p.report.Warnf(res.place("ServiceTimeout"), "CloudFormation waits %d seconds, and the on-failure destination of the function %s may answer after %.0f: Lambda keeps an event for %.0f, and both functions may work until their Timeout; write ServiceTimeout: %.0f",
			seconds, f.LogicalID, latest.Seconds(), f.eventAge.Seconds(), latest.Seconds())
	}
}

// longestWait is how long CloudFormation waits for an answer at most [D].
const longestWait = time.Hour

// latestAnswer is how long after its request the on-failure destination of a function may answer, when Lambda has given
// the event up; 0 if there is no such function here.
func (p *planner) latestAnswer(f *Function, plan *Plan) time.Duration {
	second := plan.Function(p.functionOf(f.onFailure))
	if second == nil {
		return 0
	}
	return f.eventAge + f.timeout + second.timeout
}

func (p *planner) adviseFunction(f *Function, active []*resource, plan *Plan) {
	res := p.names.resources[f.LogicalID]
	if p.pick(res.properties.get("Timeout")) == nil {
		p.report.Warnf(res.key, "the function %s has no Timeout, so Lambda stops it after 3 seconds, and its request gets no answer; write Timeout: 60, or as long as its work takes", f.LogicalID)
	}
	switch service := p.destinationType(f.onFailure); {
	case f.onFailure == nil:
		p.report.Warnf(res.key, "the function %s has no on-failure destination: if it dies, nothing answers CloudFormation, and the stack hangs until the timeout; write EventInvokeConfig with DestinationConfig, OnFailure and a second function", f.LogicalID)
	case service != "" && service != "Lambda":
		p.report.Warnf(res.key, "the on-failure destination of the function %s is of type %s, which cannot answer CloudFormation, and whose records hold the signed URL of the answer; write a second function", f.LogicalID, service)
	}
	if p.latestAnswer(f, plan) > longestWait {
		p.report.Warnf(res.key, "Lambda keeps an event of the function %s for %.0f seconds, and CloudFormation waits for an hour at most, so the on-failure destination may answer too late; write MaximumEventAgeInSeconds: 300", f.LogicalID, f.eventAge.Seconds())
	}
	second := p.names.resources[p.functionOf(f.onFailure)]
	if second != nil && p.invocation(res, second, active).denied() {
		p.report.Warnf(res.key, "the role of the function %s does not let Lambda hand events over to its on-failure destination; allow lambda:InvokeFunction on %s", f.LogicalID, second.LogicalID)
	}
	if !p.retainsLog(res, active) {
		p.report.Warnf(res.key, "the log of the function %s never expires, or is deleted with the stack: nothing sets its retention; write an AWS::Logs::LogGroup with LogGroupName: !Sub /aws/lambda/${%s} and RetentionInDays: 14", f.LogicalID, f.LogicalID)
	}
}

// retainsLog reports whether a log group with RetentionInDays belongs to the function: by the function's
// LoggingConfig, or by the group's name, which is /aws/lambda/ and the function's. A function whose name
// is not known yet may have one.
func (p *planner) retainsLog(function *resource, active []*resource) bool {
	own := p.referencedIDs(function.properties.get("LoggingConfig"))
	name, err := predicted{p}.Ref(function.LogicalID)
	return err != nil || slices.ContainsFunc(active, func(res *resource) bool {
		return res.Type == typeLogGroup && p.pick(res.properties.get("RetentionInDays")) != nil &&
			(slices.Contains(own, res.LogicalID) || p.predictText(res.properties.get("LogGroupName")) == "/aws/lambda/"+name)
	})
}

// referencedIDs are the logical IDs that an expression refers to.
func (p *planner) referencedIDs(e expr) []string {
	var ids []string
	p.budget.walk(e, p.conditions, func(e expr) {
		switch e := e.(type) {
		case attribute:
			ids = append(ids, e.id)
		case resourceRef:
			ids = append(ids, e.id)
		}
	})
	return ids
}

// adviseQualifier warns if a custom resource invokes a function by a qualifier that its
// EventInvokeConfig does not cover: a configuration applies to one qualifier only [D].
func (p *planner) adviseQualifier(res *resource, f *Function) {
	token := res.properties.get("ServiceToken")
	qualifier := p.qualifierOf(token)
	switch {
	case qualifier == "", len(f.configured) == 0:
		return
	case slices.Contains(f.configured, qualifier), slices.Contains(f.configured, ""):
		return
	}
	p.report.Warnf(res.place("ServiceToken"), "the EventInvokeConfig of the function %s is for %s, and this invokes %s: Lambda uses its default retries, and no on-failure destination; refer to the version or alias of the configuration",
		f.LogicalID, strings.Join(f.configured, " and "), qualifier)
}

// qualifierOf is the version or the alias by which a ServiceToken names a function, $LATEST if by
// none, and "" if that is not known.
func (p *planner) qualifierOf(token expr) string {
	if p.functionOf(token) == "" {
		return ""
	}
	if ref, ok := p.pick(token).(resourceRef); ok && p.names.resources[ref.id].Type == "AWS::Lambda::Alias" {
		return p.predictText(p.names.resources[ref.id].properties.get("Name"))
	}
	arn := p.predictText(token)
	switch parts := strings.Split(arn, ":"); {
	case arn == "":
		return ""
	case len(parts) == 8:
		return parts[7]
	}
	return latest
}

const latest = "$LATEST"

// mostLinks is how often a function can invoke itself in turn: Lambda ends a chain of sixteen
// invocations [D].
const mostLinks = 15

// adviseLinks warns if CloudFormation waits longer than a function that invokes itself can keep
// working.
func (p *planner) adviseLinks(res *resource, f *Function, wait int) {
	function := p.names.resources[f.LogicalID]
	loop := p.predictText(function.properties.get("RecursiveLoop"))
	timeout := int(f.timeout.Seconds())
	switch {
	case !f.named, loop == "Allow", wait <= mostLinks*timeout:
		return
	}
	p.report.Warnf(res.place("ServiceTimeout"), "CloudFormation waits %d seconds, and the function %s, which may invoke itself, may work for %d each time: Lambda ends a chain of 16 invocations sooner; raise the function's Timeout to %d, or lower ServiceTimeout to %d",
		wait, f.LogicalID, timeout, (wait+mostLinks-1)/mostLinks, mostLinks*timeout)
}

// adviseOrder warns of custom resources that CloudFormation may delete after what their function needs for the Delete:
// the policies of its role, its on-failure destination, and its way to the network, as far as they are resources of
// their own (observed: aws/aws-cdk#9840, #5336). customs are those of the function; one warning tells of all.
func (p *planner) adviseOrder(f *Function, customs []*resource, active []*resource, plan *Plan) {
	needed := p.neededBy(f, active)
	if len(customs) == 0 || len(needed) == 0 {
		return
	}
	needs := map[string][]string{}
	for _, r := range plan.Resources {
		needs[r.LogicalID] = r.DependsOn
	}
	// The first resource that does not depend on all of that, and how many there are.
	var first *resource
	var missing []string
	count := 0
	for _, res := range customs {
		reached := map[string]bool{}
		p.reach(res.LogicalID, needs, reached)
		lacks := slices.DeleteFunc(slices.Clone(needed), func(id string) bool {
			seen := map[string]bool{}
			p.reach(id, needs, seen)
			return reached[id] || seen[res.LogicalID] // the other way round would be a cycle
		})
		if len(lacks) == 0 {
			continue
		}
		if count++; first == nil {
			first, missing = res, lacks
		}
	}
	if first == nil {
		return
	}
	// The line to write: what DependsOn has, and the rest.
	others := ""
	if count > 1 {
		others = ", and at the other custom resources of the function"
	}
	for _, n := range first.at.Get("DependsOn").Listed() {
		if text, _ := n.Text(); text != "" {
			missing = append([]string{text}, missing...)
		}
	}
	p.report.Warnf(first.key, "CloudFormation may delete what the function %s needs before this resource's Delete; write DependsOn: [%s]%s", f.LogicalID, strings.Join(missing, ", "), others)
}

// reach adds to a set what a resource depends on, directly or not.
func (p *planner) reach(id string, needs map[string][]string, reached map[string]bool) {
	for _, next := range needs[id] {
		if !reached[next] && p.budget.step() {
			reached[next] = true
			p.reach(next, needs, reached)
		}
	}
}

// networkTypes are what leads from a function's subnets to the network: a type, its property that names what it belongs
// to, and the property that names what further ones belong to, or "". They are in the order of that way.
var networkTypes = []struct{ typ, of, further string }{
	{"AWS::EC2::SubnetRouteTableAssociation", "SubnetId", "RouteTableId"},
	{"AWS::EC2::VPCEndpoint", "SubnetIds", ""},
	{"AWS::EC2::Route", "RouteTableId", ""},
	{"AWS::EC2::VPCEndpoint", "RouteTableIds", ""},
}

// neededBy are the resources that a function needs for its work, and that it does not depend on itself.
func (p *planner) neededBy(f *Function, active []*resource) (all []string) {
	function := p.names.resources[f.LogicalID]
	add := func(res *resource) {
		if !slices.Contains(all, res.LogicalID) {
			all = append(all, res.LogicalID)
		}
	}
	// The policies of its role.
	role, _ := p.predict(function.properties.get("Role")).(string)
	if id, _, _ := strings.Cut(strings.TrimPrefix(role, predictedAttribute), "."); strings.HasPrefix(role, predictedAttribute) {
		for _, policy := range p.attachedTo(id, active) {
			add(policy)
		}
	}
	// What answers for it if it dies.
	for _, res := range active {
		if res.Type == typeEventInvoke && p.functionOf(res.properties.get("FunctionName")) == f.LogicalID && p.onFailureOf(res) != nil {
			add(res)
		}
	}
	// Its way to the network.
	network, _ := p.pick(function.properties.get("VpcConfig")).(objectExpr)
	belongs := p.referencedIDs(network.get("SubnetIds"))
	for _, kind := range networkTypes {
		for _, res := range active {
			if res.Type != kind.typ || !slices.ContainsFunc(p.referencedIDs(res.properties.get(kind.of)), func(id string) bool { return slices.Contains(belongs, id) }) {
				continue
			}
			add(res)
			if kind.further != "" {
				belongs = append(belongs, p.referencedIDs(res.properties.get(kind.further))...)
			}
		}
	}
	return all
}

// attachedTo are the policies that are resources of their own and name a role.
func (p *planner) attachedTo(role string, active []*resource) (all []*resource) {
	for _, res := range active {
		var roles any
		switch res.Type {
		case "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy":
			roles = p.predict(res.properties.get("Roles"))
		case "AWS::IAM::RolePolicy":
			roles = p.predict(res.properties.get("RoleName"))
		}
		if slices.Contains(source.Listed(roles), any(predictedRef+role)) {
			all = append(all, res)
		}
	}
	return all
}
