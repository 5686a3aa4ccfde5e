package engine

import (
	"strconv"
	"strings"
)

// forms are attributes whose shape templates take apart, by type and name; the
// forms are those of a kind, whose {id} is the physical ID.
var forms = map[string]string{
	"AWS::ApiGatewayV2::Api.ApiEndpoint":                              "https://{id}.execute-api.{r}.amazonaws.com",
	"AWS::CloudFront::Distribution.DomainName":                        "d{hex}.cloudfront.net",
	"AWS::DynamoDB::Table.StreamArn":                                  "arn:{p}:dynamodb:{r}:{a}:table/{id}/stream/2026-01-01T00:00:00.000",
	"AWS::EC2::EIP.AllocationId":                                      "eipalloc-{hex}",
	"AWS::EC2::VPC.DefaultNetworkAcl":                                 "acl-{hex}",
	"AWS::EC2::VPC.DefaultSecurityGroup":                              "sg-{hex}",
	"AWS::EFS::FileSystem.FileSystemId":                               "fs-{hex}",
	"AWS::ElasticLoadBalancing::LoadBalancer.DNSName":                 "{id}-{hex10}.{r}.elb.amazonaws.com",
	"AWS::ElasticLoadBalancingV2::LoadBalancer.CanonicalHostedZoneID": "Z{hex}",
	"AWS::ElasticLoadBalancingV2::LoadBalancer.DNSName":               "load-balancer-{hex10}.{r}.elb.amazonaws.com",
	"AWS::Lambda::Version.Version":                                    "1",
	"AWS::Lambda::Url.FunctionUrl":                                    "https://{hex}.lambda-url.{r}.on.aws/",
	"AWS::S3::Bucket.DomainName":                                      "{id}.s3.amazonaws.com",
	"AWS::S3::Bucket.RegionalDomainName":                              "{id}.s3.{r}.amazonaws.com",
	"AWS::S3::Bucket.WebsiteURL":                                      "http://{id}.s3-website-{r}.amazonaws.com",
}

// lists are the attributes that are lists, with the form of an item, in which
// {n} stands for its number.
var lists = map[string]string{
	"AWS::AmazonMQ::Broker.AmqpEndpoints":                       "amqp+ssl://{hex}-{n}.mq.{r}.amazonaws.com:5671",
	"AWS::AmazonMQ::Broker.IpAddresses":                         "10.0.0.{n}",
	"AWS::AmazonMQ::Broker.OpenWireEndpoints":                   "ssl://{hex}-{n}.mq.{r}.amazonaws.com:61617",
	"AWS::DirectoryService::MicrosoftAD.DnsIpAddresses":         "10.0.0.{n}",
	"AWS::DirectoryService::SimpleAD.DnsIpAddresses":            "10.0.0.{n}",
	"AWS::EC2::NetworkInterface.SecondaryPrivateIpAddresses":    "10.0.0.{n}",
	"AWS::EC2::Subnet.Ipv6CidrBlocks":                           "2001:db8:0:{n}::/64",
	"AWS::EC2::VPC.CidrBlockAssociations":                       "vpc-cidr-assoc-{hex}{n}",
	"AWS::EC2::VPC.Ipv6CidrBlocks":                              "2001:db8:{n}::/56",
	"AWS::EC2::VPCEndpoint.DnsEntries":                          "Z{hex}:{id}-{n}.vpce.amazonaws.com",
	"AWS::EC2::VPCEndpoint.NetworkInterfaceIds":                 "eni-{hex16}{n}",
	"AWS::ElasticLoadBalancingV2::LoadBalancer.SecurityGroups":  "sg-{hex16}{n}",
	"AWS::ElasticLoadBalancingV2::TargetGroup.LoadBalancerArns": "arn:{p}:elasticloadbalancing:{r}:{a}:loadbalancer/app/load-balancer/{hex16}{n}",
	"AWS::GlobalAccelerator::Accelerator.Ipv4Addresses":         "192.0.2.{n}",
	"AWS::NetworkFirewall::Firewall.EndpointIds":                "{r}a:vpce-{hex16}{n}",
	"AWS::Route53::HostedZone.NameServers":                      "ns-{n}.awsdns-{n}.com",
}

// standInAttribute makes an attribute up: the property of the same name, the
// form that is known of it, an ARN where it is named so, else the physical ID
// and the attribute's name.
func standInAttribute(s *Stack, r *StackResource, attribute string) any {
	// What is known of it: the property of that name, or its form.
	switch v := r.Properties.Map()[attribute].(type) {
	case string, []any:
		return v
	}
	key := r.Type + "." + attribute
	if form := lists[key]; form != "" {
		var items []any
		for n := 1; n <= 3; n++ {
			items = append(items, strings.ReplaceAll(expand(s, form, r.PhysicalID), "{n}", strconv.Itoa(n)))
		}
		return items
	}
	if form := forms[key]; form != "" {
		return expand(s, form, r.PhysicalID)
	}
	// The resource's name, as it stands in its physical ID.
	form := kinds[r.Type].ref
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
		arn := kinds[r.Type].arn
		if arn == "" {
			service, _, _ := strings.Cut(strings.TrimPrefix(r.Type, "AWS::"), "::")
			arn = "arn:{p}:" + strings.ToLower(service) + ":{r}:{a}:{id}"
		}
		return expand(s, arn, name)
	case attribute == last+"Id" && !strings.HasPrefix(r.PhysicalID, "arn:"), strings.HasPrefix(r.PhysicalID, "sg-") && attribute == "GroupId":
		return r.PhysicalID
	case strings.HasSuffix(attribute, "Name"):
		return name
	}
	return name + "." + attribute
}
