package engine

import (
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestStandInAttributes: plausible, and the same each time. Templates take
// ARNs, IDs, endpoints and address ranges apart.
func TestStandInAttributes(t *testing.T) {
	s := New("shop", Options{Region: "eu-west-1"}).Stack()
	for _, test := range []struct {
		typ, properties, attribute, id string
		want                           any
	}{
		{"AWS::Lambda::Function", `{"FunctionName":"f"}`, "Arn", "f", "arn:aws:lambda:eu-west-1:123456789012:function:f"},
		{"AWS::IAM::Role", `{"RoleName":"r"}`, "Arn", "r", "arn:aws:iam::123456789012:role/r"},
		{"AWS::SQS::Queue", `{"QueueName":"q"}`, "Arn", "https://sqs.eu-west-1.amazonaws.com/123456789012/q", "arn:aws:sqs:eu-west-1:123456789012:q"},
		{"AWS::SQS::Queue", `{"QueueName":"q"}`, "QueueName", "https://sqs.eu-west-1.amazonaws.com/123456789012/q", "q"},
		{"AWS::SNS::Topic", `{"TopicName":"t"}`, "TopicArn", "arn:aws:sns:eu-west-1:123456789012:t", "arn:aws:sns:eu-west-1:123456789012:t"},
		{"AWS::SNS::Topic", `{"TopicName":"t"}`, "TopicName", "arn:aws:sns:eu-west-1:123456789012:t", "t"},
		{"AWS::S3::Bucket", `{"BucketName":"b"}`, "RegionalDomainName", "b", "b.s3.eu-west-1.amazonaws.com"},
		{"AWS::ECS::Cluster", `{"ClusterName":"c","CapacityProviders":["FARGATE"]}`, "CapacityProviders", "c", []any{"FARGATE"}},
		{"AWS::Batch::JobQueue", `{"JobQueueName":"unused"}`, "JobQueueArn", "arn:aws:batch:eu-west-1:123456789012:jobqueue/shop-L-", nil},
		{"AWS::ApiGateway::Stage", `{"StageName":"prod"}`, "StageName", "prod", "prod"},
		{"AWS::Route53::HostedZone", `{"Name":"example.com"}`, "Id", "shop-L-", nil},
		{"AWS::Lambda::Alias", `{"Name":"live"}`, "AliasArn", "arn:aws:lambda:eu-west-1:123456789012:function:shop-L-", nil},
		{"AWS::EC2::VPC", `{"CidrBlock":"10.0.0.0/16"}`, "CidrBlock", "vpc-", "10.0.0.0/16"},
		{"AWS::EC2::VPC", `{}`, "Ipv6CidrBlocks", "vpc-", []any{"2001:db8:1::/56", "2001:db8:2::/56", "2001:db8:3::/56"}},
		{"AWS::EC2::VPC", `{}`, "VpcId", "vpc-", nil},
		{"AWS::Lambda::Version", `{}`, "Version", "arn:aws:lambda:eu-west-1:123456789012:function:shop-L-", "1"},
		{"AWS::EC2::SecurityGroup", `{}`, "GroupId", "sg-", nil},
	} {
		r := &StackResource{LogicalID: "L", Type: test.typ, Properties: Properties(test.properties)}
		r.PhysicalID = standInID(s, r)
		if test.want == nil {
			test.want = r.PhysicalID
		}
		if test.id[len(test.id)-1] == '-' {
			if !regexp.MustCompile("^" + test.id + "(?:[0-9a-f]{17}|[0-9A-Za-z]{12}(?::1)?)$").MatchString(r.PhysicalID) {
				t.Errorf("%s: physical ID %s, want %s and 17 hexadecimal digits, or 12 letters and digits", test.typ, r.PhysicalID, test.id)
			}
		} else if r.PhysicalID != test.id {
			t.Errorf("%s: physical ID %s, want %s", test.typ, r.PhysicalID, test.id)
		}
		if diff := cmp.Diff(test.want, standInAttribute(s, r, test.attribute)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.typ, test.attribute, diff)
		}
	}
}

// TestStandInNames: a native resource without a name gets one that ends in 12
// letters and digits of both cases, and a bucket's is in lower case.
func TestStandInNames(t *testing.T) {
	s := New("shop", Options{}).Stack()
	for typ, want := range map[string]string{
		"AWS::IAM::Role":  `^shop-L-[A-Za-z0-9]{12}$`,
		"AWS::S3::Bucket": `^shop-l-[a-z0-9]{12}$`,
		"AWS::ElasticLoadBalancingV2::LoadBalancer": `:loadbalancer/app/shop-L-[A-Za-z0-9]{12}/[0-9a-f]{16}$`,
	} {
		r := &StackResource{LogicalID: "L", Type: typ}
		r.PhysicalID = standInID(s, r)
		if !regexp.MustCompile(want).MatchString(r.PhysicalID) {
			t.Errorf("%s is named %s, want %s", typ, r.PhysicalID, want)
		}
		if name := standInAttribute(s, r, "SomeName"); typ == "AWS::ElasticLoadBalancingV2::LoadBalancer" && !regexp.MustCompile(`^shop-L-[A-Za-z0-9]{12}$`).MatchString(name.(string)) {
			t.Errorf("the name of %s is %v", r.PhysicalID, name)
		}
	}
}

// TestStandInReplaced: a change of a property that cannot be changed makes another
// resource, unless it has a name of its own, which two cannot have.
func TestStandInReplaced(t *testing.T) {
	for _, test := range []struct {
		name, typ, before, now string
		replaced, kept         bool
	}{
		{"a property that can change", "AWS::EC2::SecurityGroup", `{"GroupDescription":"a","Tags":[]}`, `{"GroupDescription":"a"}`, false, false},
		{"one that cannot", "AWS::EC2::SecurityGroup", `{"GroupDescription":"a"}`, `{"GroupDescription":"b"}`, true, false},
		{"one more", "AWS::EC2::SecurityGroup", `{}`, `{"VpcId":"v"}`, true, false},
		{"an object", "AWS::DynamoDB::Table", `{"KeySchema":[{"a":"b"}]}`, `{"KeySchema":[{"a":"c"}]}`, true, false},
		{"of what has a name", "AWS::DynamoDB::Table", `{"TableName":"t","KeySchema":[]}`, `{"TableName":"t"}`, true, true},
		{"with another name", "AWS::DynamoDB::Table", `{"TableName":"t","KeySchema":[]}`, `{"TableName":"u"}`, true, false},
		{"of what has lost its name", "AWS::SQS::Queue", `{"QueueName":"q"}`, `{}`, true, false},
		{"within another resource", "AWS::ApiGateway::Stage", `{"RestApiId":"a","StageName":"s"}`, `{"RestApiId":"b","StageName":"s"}`, false, false},
		{"of a type that nobody knows", "AWS::No::Type", `{"Name":"a"}`, `{"Name":"b"}`, false, false},
	} {
		r := &StackResource{LogicalID: "L", Type: test.typ, Old: Properties(test.before), Properties: Properties(test.now)}
		m := New("shop", Options{})
		if err := m.Create(time.Time{}, Deployment{Template: &Template{AllOff: true}}); err != nil {
			t.Fatal(err)
		}
		if got := standInReplaced(r); got != test.replaced {
			t.Errorf("%s: replaced is %t, want %t", test.name, got, test.replaced)
		}
		if got := test.replaced && m.keepsStandIn(r, Fate{}) != ""; got != test.kept {
			t.Errorf("%s: refused is %t, want %t", test.name, got, test.kept)
		}
	}
}
