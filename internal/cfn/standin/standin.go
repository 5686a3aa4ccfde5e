// Package standin knows how the resources of AWS's types look, for the stand-ins that take their place in package
// engine: their physical IDs, their attributes, and which changes replace them.
package standin

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// Types are AWS's, for a machine of package engine.
type Types struct{}

var _ engine.NativeTypes = Types{}

// A shape has the form of a stand-in's physical ID, which Ref gives, and the form of its ARN, as [engine.Stack.Fill]
// fills them in for its name. "" is the name itself, and the ARN of most types.
type shape struct{ ref, arn string }

// shapes are those that templates of custom resources depend on.
var shapes = map[string]shape{
	"AWS::ApiGateway::RestApi":                  {"{hex10}", "arn:{p}:apigateway:{r}::/restapis/{id}"},
	"AWS::ApiGatewayV2::Api":                    {"{hex10}", "arn:{p}:apigateway:{r}::/apis/{id}"},
	"AWS::AppSync::Api":                         {"arn:{p}:appsync:{r}:{a}:apis/{id}", ""},
	"AWS::AppSync::GraphQLApi":                  {"arn:{p}:appsync:{r}:{a}:apis/{id}", ""},
	"AWS::CertificateManager::Certificate":      {"arn:{p}:acm:{r}:{a}:certificate/{uuid}", ""},
	"AWS::CloudFormation::Stack":                {"arn:{p}:cloudformation:{r}:{a}:stack/{id}/{uuid}", ""},
	"AWS::CloudFormation::WaitConditionHandle":  {"https://cloudformation-waitcondition-{r}.s3.{r}.{s}/{id}?AWSAccessKeyId=none&Expires=1&Signature={hex}", ""},
	"AWS::DynamoDB::Table":                      {"", "arn:{p}:dynamodb:{r}:{a}:table/{id}"},
	"AWS::EC2::EIP":                             {"198.18.{bytes}", ""},
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
	"AWS::ElasticLoadBalancingV2::Listener":     {"arn:{p}:elasticloadbalancing:{r}:{a}:listener/app/{id}/{hex16}/{hex16}", ""},
	"AWS::ElasticLoadBalancingV2::ListenerRule": {"arn:{p}:elasticloadbalancing:{r}:{a}:listener-rule/app/{id}/{hex16}/{hex16}/{hex16}", ""},
	"AWS::ElasticLoadBalancingV2::LoadBalancer": {"arn:{p}:elasticloadbalancing:{r}:{a}:loadbalancer/app/{id}/{hex16}", ""},
	"AWS::ElasticLoadBalancingV2::TargetGroup":  {"arn:{p}:elasticloadbalancing:{r}:{a}:targetgroup/{id}/{hex16}", ""},
	"AWS::Events::Rule":                         {"{id}", "arn:{p}:events:{r}:{a}:rule/{id}"},
	"AWS::IAM::ManagedPolicy":                   {"arn:{p}:iam::{a}:policy/{id}", ""},
	"AWS::IAM::Role":                            {"", "arn:{p}:iam::{a}:role/{id}"},
	"AWS::IAM::User":                            {"", "arn:{p}:iam::{a}:user/{id}"},
	"AWS::ImageBuilder::Component":              {"arn:{p}:imagebuilder:{r}:{a}:component/{id}/1.0.0/1", ""},
	"AWS::ImageBuilder::Image":                  {"arn:{p}:imagebuilder:{r}:{a}:image/{id}/1.0.0/1", ""},
	"AWS::ImageBuilder::ImageRecipe":            {"arn:{p}:imagebuilder:{r}:{a}:image-recipe/{id}/1.0.0", ""},
	"AWS::KMS::Key":                             {"{uuid}", "arn:{p}:kms:{r}:{a}:key/{id}"},
	"AWS::Lambda::Alias":                        {"arn:{p}:lambda:{r}:{a}:function:{id}", ""},
	"AWS::Lambda::Function":                     {"", "arn:{p}:lambda:{r}:{a}:function:{id}"},
	"AWS::Lambda::LayerVersion":                 {"arn:{p}:lambda:{r}:{a}:layer:{id}:1", ""},
	"AWS::Lambda::Url":                          {"arn:{p}:lambda:{r}:{a}:function:{id}", ""},
	"AWS::Lambda::Version":                      {"arn:{p}:lambda:{r}:{a}:function:{id}:1", ""},
	"AWS::Logs::LogGroup":                       {"", "arn:{p}:logs:{r}:{a}:log-group:{id}:*"},
	"AWS::Route53::HostedZone":                  {"Z{HEX}", ""},
	"AWS::S3::Bucket":                           {"", "arn:{p}:s3:::{id}"},
	"AWS::SNS::Subscription":                    {"arn:{p}:sns:{r}:{a}:topic:{id}", ""},
	"AWS::SNS::Topic":                           {"arn:{p}:sns:{r}:{a}:{id}", ""},
	"AWS::SQS::Queue":                           {"https://sqs.{r}.{s}/{a}/{id}", "arn:{p}:sqs:{r}:{a}:{id}"},
	"AWS::SecretsManager::Secret":               {"arn:{p}:secretsmanager:{r}:{a}:secret:{id}-{hex6}", ""},
	"AWS::StepFunctions::StateMachine":          {"arn:{p}:states:{r}:{a}:stateMachine:{id}", ""},
}

// PhysicalID returns the physical ID of a stand-in: by the name that its
// properties have, or a made-up one.
func (Types) PhysicalID(s *engine.Stack, r *engine.StackResource) string {
	id := nameOf(r.Type, r.Properties)
	if arn := qualifiedARN(s, r); arn != "" {
		return arn
	}
	if target, _ := r.Properties.Map()["TargetFunctionArn"].(string); r.Type == "AWS::Lambda::Url" { // which Ref gives [D]
		id = target[strings.LastIndexByte(target, ':')+1:]
	}
	if id == "" {
		id = s.NameOf(r.LogicalID)
		if r.Type == "AWS::S3::Bucket" {
			id = strings.ToLower(id)
		}
	}
	return s.Fill(refForm(r.Type), id)
}

// qualifiedARN is what Ref gives of a version or an alias of a function: the function's ARN with the version's number or
// the alias's name [D]. It is "" for other types, and for a function that is not known yet.
func qualifiedARN(s *engine.Stack, r *engine.StackResource) string {
	if r.Type != "AWS::Lambda::Version" && r.Type != "AWS::Lambda::Alias" {
		return ""
	}
	properties := r.Properties.Map()
	function, _ := properties["FunctionName"].(string)
	if function == "" {
		return ""
	}
	arn := s.Fill(shapes["AWS::Lambda::Function"].arn, function)
	if parts := strings.Split(function, ":"); len(parts) >= 7 {
		arn = strings.Join(parts[:7], ":")
	}
	if name, _ := properties["Name"].(string); r.Type == "AWS::Lambda::Alias" {
		return arn + ":" + name
	}
	number := 1
	for _, other := range slices.Concat(s.Resources, s.Leaving) {
		if former, is := strings.CutPrefix(other.PhysicalID, arn+":"); is && other.Type == r.Type {
			n, _ := strconv.Atoi(former) // it was made here
			number = max(number, n+1)
		}
	}
	return arn + ":" + strconv.Itoa(number)
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

// nameOf returns the name that properties give a stand-in, or "": by the property that Ref
// gives, or where its shape holds the name by the one that is named so, may be missing, and cannot
// be changed.
func nameOf(typ string, p engine.Properties) (name string) {
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

// Change says whether an update of a stand-in makes another physical resource [D]. One
// whose name is its own only within another resource keeps it, and is the same here.
func (Types) Change(r *engine.StackResource) (replaces bool, named string) {
	name := nameOf(r.Type, r.Properties)
	if name != nameOf(r.Type, r.Old) {
		return true, ""
	}
	t := resourcetype.Find(r.Type)
	if t == nil || t.Scoped && name != "" {
		return false, name
	}
	now, before := r.Properties.Map(), r.Old.Map()
	for property, p := range t.Properties {
		if p.Replaces && !reflect.DeepEqual(now[property], before[property]) {
			return true, name
		}
	}
	return false, name
}

// forms are of attributes whose shape templates take apart, by type and name, as in a
// shape, whose {id} is the physical ID here. In an item of a list {n} is its number.
var forms = map[string]string{
	"AWS::ApiGatewayV2::Api.ApiEndpoint":                              "https://{id}.execute-api.{r}.{s}",
	"AWS::CloudFront::Distribution.DomainName":                        "d{hex}.cloudfront.net",
	"AWS::DynamoDB::Table.StreamArn":                                  "arn:{p}:dynamodb:{r}:{a}:table/{id}/stream/2026-01-01T00:00:00.000",
	"AWS::EC2::EIP.AllocationId":                                      "eipalloc-{hex}",
	"AWS::EC2::Subnet.Ipv6CidrBlocks":                                 "2001:db8:0:{n}::/64",
	"AWS::EC2::VPC.DefaultNetworkAcl":                                 "acl-{hex}",
	"AWS::EC2::VPC.DefaultSecurityGroup":                              "sg-{hex}",
	"AWS::EC2::VPC.Ipv6CidrBlocks":                                    "2001:db8:{n}::/56",
	"AWS::EC2::VPCEndpoint.DnsEntries":                                "Z{hex}:{id}-{n}.vpce.{s}",
	"AWS::EFS::FileSystem.FileSystemId":                               "fs-{hex}",
	"AWS::ElasticLoadBalancing::LoadBalancer.DNSName":                 "{id}-{hex10}.{r}.elb.{s}",
	"AWS::ElasticLoadBalancingV2::LoadBalancer.CanonicalHostedZoneID": "Z{hex}",
	"AWS::ElasticLoadBalancingV2::LoadBalancer.DNSName":               "load-balancer-{hex10}.{r}.elb.{s}",
	"AWS::ElasticLoadBalancingV2::TargetGroup.LoadBalancerArns":       "arn:{p}:elasticloadbalancing:{r}:{a}:loadbalancer/app/load-balancer/{hex16}{n}",
	"AWS::Lambda::Url.FunctionUrl":                                    "https://{hex}.lambda-url.{r}.on.aws/",
	"AWS::Lambda::Version.FunctionArn":                                "{id}",
	"AWS::NetworkFirewall::Firewall.EndpointIds":                      "{r}a:vpce-{hex16}{n}",
	"AWS::S3::Bucket.DomainName":                                      "{id}.s3.{s}",
	"AWS::S3::Bucket.RegionalDomainName":                              "{id}.s3.{r}.{s}",
	"AWS::S3::Bucket.WebsiteURL":                                      "http://{id}.s3-website-{r}.{s}",
}

// Attribute makes an attribute up: the property of the same name, the
// form that is known of it, an ARN where it is named so, else the physical ID
// and the attribute's name. A list has three items, and a number is 1.
func (Types) Attribute(s *engine.Stack, r *engine.StackResource, attribute string) any {
	switch v := r.Properties.Map()[attribute].(type) {
	case string, []any:
		return v
	}
	var is resourcetype.Form
	if t := resourcetype.Find(r.Type); t != nil {
		if attribute == t.Ref {
			return r.PhysicalID
		}
		is = t.Attributes[attribute]
	}
	form := forms[r.Type+"."+attribute]
	switch {
	case r.Type == "AWS::Lambda::Version" && attribute == "Version":
		return r.PhysicalID[strings.LastIndexByte(r.PhysicalID, ':')+1:]
	case is == resourcetype.List:
		var items []any
		for _, n := range []string{"1", "2", "3"} {
			items = append(items, strings.ReplaceAll(s.Fill(cmp.Or(form, "{id}."+attribute+".{n}"), r.PhysicalID), "{n}", n))
		}
		return items
	case form != "":
		return s.Fill(form, r.PhysicalID)
	case is == resourcetype.Number:
		return "1"
	case is == resourcetype.Boolean:
		return "false"
	}
	return text(s, r, attribute)
}

// MadeUp returns what an attribute of a new stand-in of a stack would be if no property decides it.
func MadeUp(s *engine.Stack, logicalID, typ, attribute string) any {
	r := &engine.StackResource{LogicalID: logicalID, Type: typ}
	r.PhysicalID = Types{}.PhysicalID(s, r)
	return Types{}.Attribute(s, r, attribute)
}

// text makes up the text of an attribute of which no form is known.
func text(s *engine.Stack, r *engine.StackResource, attribute string) string {
	// The resource's name, as it stands in its physical ID.
	form := refForm(r.Type)
	name := r.PhysicalID
	if before, after, ok := strings.Cut(form, "{id}"); ok {
		from, to := len(s.Fill(before, "")), len(name)-len(s.Fill(after, ""))
		if from < to {
			name = name[from:to]
		}
	}
	// By the attribute's own name.
	last := r.Type[strings.LastIndexByte(r.Type, ':')+1:]
	switch {
	case attribute == "Arn" || attribute == last+"Arn":
		if strings.HasPrefix(r.PhysicalID, "arn:") {
			return r.PhysicalID
		}
		return s.Fill(cmp.Or(shapes[r.Type].arn, arnForm(r.Type, "{id}")), name)
	case strings.HasPrefix(r.PhysicalID, "sg-") && attribute == "GroupId":
		return r.PhysicalID
	case attribute == "ApiId", strings.HasSuffix(attribute, "Name"):
		return name
	}
	return name + "." + attribute
}
