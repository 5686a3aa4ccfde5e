package engine

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
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
// {id} for the name, {hex} for 17 hexadecimal digits that belong to it, {HEX} for them in upper case,
// {bytes} for two bytes of an address, and {uuid} for a UUID.
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

// expand fills a form in for a name.
func expand(s *Stack, form, id string) string {
	h := hash(s.ID, id)
	digits := fmt.Sprintf("%016x%016x", h, mix(h))
	partition := PartitionOf(s.Options.Region)
	return strings.NewReplacer("{p}", partition.Name, "{s}", partition.Suffix, "{r}", s.Options.Region, "{a}", s.Options.Account, "{id}", id,
		"{hex}", digits[:17], "{HEX}", strings.ToUpper(digits[:17]), "{hex6}", digits[:6], "{bytes}", fmt.Sprintf("%d.%d", h>>8&0xff, h&0xff),
		"{hex16}", digits[:16], "{hex10}", digits[:10], "{uuid}", uuid(4, h, mix(h))).Replace(form)
}

// standInID returns the physical ID of a stand-in: by the name that its
// properties have, or a made-up one.
func standInID(s *Stack, r *StackResource) string {
	id := standInName(r.Type, r.Properties)
	if target, _ := r.Properties.Map()["TargetFunctionArn"].(string); r.Type == "AWS::Lambda::Url" { // which Ref gives [D]
		id = target[strings.LastIndexByte(target, ':')+1:]
	}
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
	"AWS::Lambda::Version.Version":                                    "1",
	"AWS::NetworkFirewall::Firewall.EndpointIds":                      "{r}a:vpce-{hex16}{n}",
	"AWS::S3::Bucket.DomainName":                                      "{id}.s3.{s}",
	"AWS::S3::Bucket.RegionalDomainName":                              "{id}.s3.{r}.{s}",
	"AWS::S3::Bucket.WebsiteURL":                                      "http://{id}.s3-website-{r}.{s}",
}

// standInAttribute makes an attribute up: the property of the same name, the
// form that is known of it, an ARN where it is named so, else the physical ID
// and the attribute's name. A list has three items, and a number is 1.
func standInAttribute(s *Stack, r *StackResource, attribute string) any {
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
	case is == resourcetype.List:
		var items []any
		for _, n := range []string{"1", "2", "3"} {
			items = append(items, strings.ReplaceAll(expand(s, cmp.Or(form, "{id}."+attribute+".{n}"), r.PhysicalID), "{n}", n))
		}
		return items
	case form != "":
		return expand(s, form, r.PhysicalID)
	case is == resourcetype.Number:
		return "1"
	case is == resourcetype.Boolean:
		return "false"
	}
	return standInText(s, r, attribute)
}

// MadeUp returns what an attribute of a new stand-in of a stack would be if no property decides it.
func MadeUp(s *Stack, logicalID, typ, attribute string) any {
	r := &StackResource{LogicalID: logicalID, Type: typ}
	r.PhysicalID = standInID(s, r)
	return standInAttribute(s, r, attribute)
}

// standInText makes up the text of an attribute of which no form is known.
func standInText(s *Stack, r *StackResource, attribute string) string {
	// The resource's name, as it stands in its physical ID.
	form := refForm(r.Type)
	name := r.PhysicalID
	if before, after, ok := strings.Cut(form, "{id}"); ok {
		from, to := len(expand(s, before, "")), len(name)-len(expand(s, after, ""))
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
		return expand(s, cmp.Or(shapes[r.Type].arn, arnForm(r.Type, "{id}")), name)
	case strings.HasPrefix(r.PhysicalID, "sg-") && attribute == "GroupId":
		return r.PhysicalID
	case attribute == "ApiId", strings.HasSuffix(attribute, "Name"):
		return name
	}
	return name + "." + attribute
}

// draw returns the next number of the stack's own sequence: the same for the
// same seed, name and history.
func (s *Stack) draw() uint64 {
	s.Drawn++
	return mix(s.Options.Seed ^ hash(s.Name) + s.Drawn*0x9e3779b97f4a7c15)
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// mix is the finaliser of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uuid returns a UUID of a version: 1 in a stack's ID, 4 elsewhere.
func uuid(version byte, a, b uint64) string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], a&^0xf000|uint64(version)<<12)
	binary.BigEndian.PutUint64(raw[8:], b&^(3<<62)|2<<62)
	text := hex.EncodeToString(raw[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func (s *Stack) uuid(version byte) string { return uuid(version, s.draw(), s.draw()) }

func (s *Stack) newID() string {
	o := &s.Options
	return "arn:" + PartitionOf(o.Region).Name + ":cloudformation:" + o.Region + ":" + o.Account + ":stack/" + s.Name + "/" + s.uuid(1)
}

const (
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	mixed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// generateID returns a physical ID as CloudFormation makes one up where it never learned one: the
// stack, the logical ID and 13 upper-case letters and digits, or 12 of both cases [O].
func (s *Stack) generateID(logicalID string) string {
	if s.Options.MixedCaseIDs {
		return s.nameOf(logicalID)
	}
	return s.suffix(s.Name+"-"+logicalID, upper, 13)
}

// nameOf returns the name that CloudFormation gives a native resource without
// one of its own: it ends in 12 letters and digits of both cases [O].
func (s *Stack) nameOf(logicalID string) string { return s.suffix(s.Name+"-"+logicalID, mixed, 12) }

// maxNestedName is how long a nested stack's name is at most, without its suffix: the
// parent's name is in front, and what does not fit is cut off the end [O].
const maxNestedName = 86

// nestedName returns the name of a nested stack: it ends in 12 upper-case letters and digits [O].
func (s *Stack) nestedName(logicalID string) string {
	name := s.Name + "-" + logicalID
	return s.suffix(name[:min(len(name), maxNestedName)], upper, 12)
}

// suffix appends n characters of an alphabet to a name.
func (s *Stack) suffix(name, alphabet string, n int) string {
	out := []byte(name + "-")
	v := s.draw()
	for range n {
		out = append(out, alphabet[v%uint64(len(alphabet))])
		v = mix(v)
	}
	return string(out)
}
