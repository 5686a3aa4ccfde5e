package engine

import (
	"cmp"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// forms are of attributes whose shape templates take apart, by type and name, as in a
// shape, whose {id} is the physical ID here. In an item of a list {n} is its number.
var forms = map[string]string{
	"AWS::ApiGatewayV2::Api.ApiEndpoint":                              "https://{id}.execute-api.{r}.amazonaws.com",
	"AWS::CloudFront::Distribution.DomainName":                        "d{hex}.cloudfront.net",
	"AWS::DynamoDB::Table.StreamArn":                                  "arn:{p}:dynamodb:{r}:{a}:table/{id}/stream/2026-01-01T00:00:00.000",
	"AWS::EC2::EIP.AllocationId":                                      "eipalloc-{hex}",
	"AWS::EC2::Subnet.Ipv6CidrBlocks":                                 "2001:db8:0:{n}::/64",
	"AWS::EC2::VPC.DefaultNetworkAcl":                                 "acl-{hex}",
	"AWS::EC2::VPC.DefaultSecurityGroup":                              "sg-{hex}",
	"AWS::EC2::VPC.Ipv6CidrBlocks":                                    "2001:db8:{n}::/56",
	"AWS::EC2::VPCEndpoint.DnsEntries":                                "Z{hex}:{id}-{n}.vpce.amazonaws.com",
	"AWS::EFS::FileSystem.FileSystemId":                               "fs-{hex}",
	"AWS::ElasticLoadBalancing::LoadBalancer.DNSName":                 "{id}-{hex10}.{r}.elb.amazonaws.com",
	"AWS::ElasticLoadBalancingV2::LoadBalancer.CanonicalHostedZoneID": "Z{hex}",
	"AWS::ElasticLoadBalancingV2::LoadBalancer.DNSName":               "load-balancer-{hex10}.{r}.elb.amazonaws.com",
	"AWS::ElasticLoadBalancingV2::TargetGroup.LoadBalancerArns":       "arn:{p}:elasticloadbalancing:{r}:{a}:loadbalancer/app/load-balancer/{hex16}{n}",
	"AWS::Lambda::Url.FunctionUrl":                                    "https://{hex}.lambda-url.{r}.on.aws/",
	"AWS::Lambda::Version.Version":                                    "1",
	"AWS::NetworkFirewall::Firewall.EndpointIds":                      "{r}a:vpce-{hex16}{n}",
	"AWS::S3::Bucket.DomainName":                                      "{id}.s3.amazonaws.com",
	"AWS::S3::Bucket.RegionalDomainName":                              "{id}.s3.{r}.amazonaws.com",
	"AWS::S3::Bucket.WebsiteURL":                                      "http://{id}.s3-website-{r}.amazonaws.com",
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
	case strings.HasSuffix(attribute, "Name"):
		return name
	}
	return name + "." + attribute
}
