package engine

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// A StandIn says what becomes of a stand-in's operation ("Create", "Update" or
// "Delete"). It is asked once for each.
type StandIn func(operation string, r *StackResource) Fate

// A Fate is what becomes of a stand-in's operation. The zero value is success.
type Fate struct {
	Failure    string // the reason of the failure, if it fails
	Unmade     bool   // it fails before there is a physical ID
	PhysicalID string // instead of a made-up one
	Replace    bool   // of an Update: it makes another physical resource
}

// performStandIn plays an operation of a stand-in, which is over at once.
func (m *Machine) performStandIn(i int, operation string, r *StackResource) {
	var f Fate
	if m.top.StandIn != nil {
		f = m.top.StandIn(operation, r)
	}
	v := verdict{outcome: Succeeded, physicalID: cmp.Or(f.PhysicalID, r.PhysicalID)}
	switch operation {
	case "Create":
		if f.Unmade {
			r.Sent = false
		} else if f.PhysicalID == "" {
			v.physicalID = standInID(m.stack, r)
		}
	case "Update":
		replace := f.Replace || standInReplaced(r)
		if why := m.keepsStandIn(r, f); replace && why != "" {
			r.restoreBefore()
			m.immediate = append(m.immediate, outcome{i, verdict{outcome: Failed, physicalID: r.PhysicalID, reason: why}})
			return
		}
		if replace {
			v.physicalID = cmp.Or(f.PhysicalID, standInID(m.stack, r))
			m.addResourceEvent(r, "UPDATE_IN_PROGRESS", replacementNeeded)
		} else {
			m.addResourceEvent(r, "UPDATE_IN_PROGRESS", "")
		}
	}
	if f.Failure != "" {
		v.outcome, v.reason = Failed, f.Failure
		if operation == "Update" { // [I] a replacement that fails leaves nothing
			v.physicalID = r.PhysicalID
		}
	}
	m.immediate = append(m.immediate, outcome{i, v})
}

// A shape is the form of a stand-in's physical ID, which Ref gives, and of its ARN; "" is its name,
// and the ARN of most types. In a form {p}, {r} and {a} stand for partition, region and account,
// {id} for the name, {hex} for 17 hexadecimal digits that belong to it, and {uuid} for a UUID.
type shape struct{ ref, arn string }

// shapes are those that templates of custom resources depend on.
var shapes = map[string]shape{
	"AWS::ApiGateway::RestApi":                  {"{hex10}", "arn:{p}:apigateway:{r}::/restapis/{id}"},
	"AWS::ApiGatewayV2::Api":                    {"{hex10}", "arn:{p}:apigateway:{r}::/apis/{id}"},
	"AWS::CertificateManager::Certificate":      {"arn:{p}:acm:{r}:{a}:certificate/{uuid}", ""},
	"AWS::CloudFormation::Stack":                {"arn:{p}:cloudformation:{r}:{a}:stack/{id}/{uuid}", ""},
	"AWS::DynamoDB::Table":                      {"", "arn:{p}:dynamodb:{r}:{a}:table/{id}"},
	"AWS::EC2::Instance":                        {"i-{hex}", ""},
	"AWS::EC2::InternetGateway":                 {"igw-{hex}", ""},
	"AWS::EC2::LaunchTemplate":                  {"lt-{hex}", ""},
	"AWS::EC2::NatGateway":                      {"nat-{hex}", ""},
	"AWS::EC2::NetworkInterface":                {"eni-{hex}", ""},
	"AWS::EC2::RouteTable":                      {"rtb-{hex}", ""},
	"AWS::EC2::SecurityGroup":                   {"sg-{hex}", ""},
	"AWS::EC2::Subnet":                          {"subnet-{hex}", ""},
	"AWS::EC2::TransitGateway":                  {"tgw-{hex}", ""},
	"AWS::EC2::VPC":                             {"vpc-{hex}", ""},
	"AWS::EC2::VPCEndpoint":                     {"vpce-{hex}", ""},
	"AWS::EC2::VPCPeeringConnection":            {"pcx-{hex}", ""},
	"AWS::EC2::Volume":                          {"vol-{hex}", ""},
	"AWS::ECS::Cluster":                         {"", "arn:{p}:ecs:{r}:{a}:cluster/{id}"},
	"AWS::ECS::TaskDefinition":                  {"arn:{p}:ecs:{r}:{a}:task-definition/{id}:1", ""},
	"AWS::ElasticLoadBalancingV2::LoadBalancer": {"arn:{p}:elasticloadbalancing:{r}:{a}:loadbalancer/app/{id}/{hex16}", ""},
	"AWS::ElasticLoadBalancingV2::TargetGroup":  {"arn:{p}:elasticloadbalancing:{r}:{a}:targetgroup/{id}/{hex16}", ""},
	"AWS::Events::Rule":                         {"{id}", "arn:{p}:events:{r}:{a}:rule/{id}"},
	"AWS::IAM::ManagedPolicy":                   {"arn:{p}:iam::{a}:policy/{id}", ""},
	"AWS::IAM::Role":                            {"", "arn:{p}:iam::{a}:role/{id}"},
	"AWS::IAM::User":                            {"", "arn:{p}:iam::{a}:user/{id}"},
	"AWS::KMS::Key":                             {"{uuid}", "arn:{p}:kms:{r}:{a}:key/{id}"},
	"AWS::Lambda::Alias":                        {"arn:{p}:lambda:{r}:{a}:function:{id}", ""},
	"AWS::Lambda::Function":                     {"", "arn:{p}:lambda:{r}:{a}:function:{id}"},
	"AWS::Lambda::LayerVersion":                 {"arn:{p}:lambda:{r}:{a}:layer:{id}:1", ""},
	"AWS::Lambda::Version":                      {"arn:{p}:lambda:{r}:{a}:function:{id}:1", ""},
	"AWS::Logs::LogGroup":                       {"", "arn:{p}:logs:{r}:{a}:log-group:{id}:*"},
	"AWS::S3::Bucket":                           {"", "arn:{p}:s3:::{id}"},
	"AWS::SNS::Subscription":                    {"arn:{p}:sns:{r}:{a}:topic:{id}", ""},
	"AWS::SNS::Topic":                           {"arn:{p}:sns:{r}:{a}:{id}", ""},
	"AWS::SQS::Queue":                           {"https://sqs.{r}.amazonaws.com/{a}/{id}", "arn:{p}:sqs:{r}:{a}:{id}"},
	"AWS::SecretsManager::Secret":               {"arn:{p}:secretsmanager:{r}:{a}:secret:{id}", ""},
	"AWS::StepFunctions::StateMachine":          {"arn:{p}:states:{r}:{a}:stateMachine:{id}", ""},
}

// expand fills a form in for a name.
func expand(s *Stack, form, id string) string {
	h := hash(s.ID, id)
	digits := fmt.Sprintf("%016x%016x", h, mix(h))
	return strings.NewReplacer("{p}", s.Options.Partition, "{r}", s.Options.Region, "{a}", s.Options.Account, "{id}", id,
		"{hex}", digits[:17], "{hex16}", digits[:16], "{hex10}", digits[:10], "{uuid}", uuid(4, h, mix(h))).Replace(form)
}

// standInID returns the physical ID of a stand-in: by the name that its
// properties have, or a made-up one.
func standInID(s *Stack, r *StackResource) string {
	id := standInName(r.Type, r.Properties)
	if id == "" {
		id = s.nameOf(r.LogicalID)
		if r.Type == "AWS::S3::Bucket" {
			id = strings.ToLower(id)
		}
	}
	return expand(s, refForm(r.Type), id)
}

// refForm is the form of a type's physical ID: a known one, an ARN where Ref gives that, else the
// name.
func refForm(typ string) string {
	form := "{id}"
	if t := resourcetype.Find(typ); t != nil && strings.HasSuffix(t.Ref, "Arn") && !t.Named() {
		form = arnForm(typ, strings.ToLower(typ[strings.LastIndexByte(typ, ':')+1:])+"/{id}")
	}
	return cmp.Or(shapes[typ].ref, form)
}

// arnForm is the form that the ARNs of most types have.
func arnForm(typ, resource string) string {
	service, _, _ := strings.Cut(strings.TrimPrefix(typ, "AWS::"), "::")
	return "arn:{p}:" + strings.ToLower(service) + ":{r}:{a}:" + resource
}

// standInName returns the name that properties give a stand-in, or "": by the property that Ref
// gives, or where its shape holds the name by the one that is named so, may be missing, and cannot
// be changed.
func standInName(typ string, p Properties) (name string) {
	t := resourcetype.Find(typ)
	switch {
	case t == nil:
	case t.Named():
		name, _ = p.Map()[t.Ref].(string)
	case strings.Contains(shapes[typ].ref, "{id}"):
		for _, candidate := range []string{typ[strings.LastIndexByte(typ, ':')+1:] + "Name", "Name"} {
			if is := t.Properties[candidate]; is.Replaces && !is.Required {
				name, _ = p.Map()[candidate].(string)
				break
			}
		}
	}
	return name
}

// standInReplaced says whether an update of a stand-in makes another physical resource [D]. One
// whose name is its own only within another resource keeps it, and is the same here.
func standInReplaced(r *StackResource) bool {
	name := standInName(r.Type, r.Properties)
	if name != standInName(r.Type, r.Old) {
		return true
	}
	t := resourcetype.Find(r.Type)
	if t == nil || t.Scoped && name != "" {
		return false
	}
	now, before := r.Properties.Map(), r.Old.Map()
	for name, p := range t.Properties {
		if p.Replaces && !reflect.DeepEqual(now[name], before[name]) {
			return true
		}
	}
	return false
}

// keepsStandIn says why CloudFormation does not replace a stand-in, "" if it does.
func (m *Machine) keepsStandIn(r *StackResource, f Fate) string {
	name := standInName(r.Type, r.Properties)
	switch {
	case m.refusesReplacement():
		return replacementRefused
	case !f.Replace && name != "" && name == standInName(r.Type, r.Old):
		return fmt.Sprintf(customNamed, name)
	}
	return ""
}
