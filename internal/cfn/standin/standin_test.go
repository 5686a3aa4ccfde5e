package standin_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/standin"
)

// types are all that there are.
var types = standin.Types{}

// TestAttributes: plausible, and the same each time. Templates take
// ARNs, IDs, endpoints and address ranges apart.
func TestAttributes(t *testing.T) {
	s := engine.New("shop", engine.Options{Region: "eu-west-1"}).Stack()
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
		{"AWS::Lambda::Alias", `{"Name":"live"}`, "AliasArn", "arn:aws:lambda:eu-west-1:123456789012:function:shop-L-", nil},
		{"AWS::EC2::VPC", `{"CidrBlock":"10.0.0.0/16"}`, "CidrBlock", "vpc-", "10.0.0.0/16"},
		{"AWS::EC2::VPC", `{}`, "Ipv6CidrBlocks", "vpc-", []any{"2001:db8:1::/56", "2001:db8:2::/56", "2001:db8:3::/56"}},
		{"AWS::EC2::VPC", `{}`, "VpcId", "vpc-", nil},
		{"AWS::Lambda::Version", `{}`, "Version", "arn:aws:lambda:eu-west-1:123456789012:function:shop-L-", "1"},
		{"AWS::Lambda::Version", `{"FunctionName":"f"}`, "Version", "arn:aws:lambda:eu-west-1:123456789012:function:f:1", "1"},
		{"AWS::Lambda::Version", `{"FunctionName":"arn:aws:lambda:us-east-1:999999999999:function:f"}`, "FunctionArn", "arn:aws:lambda:us-east-1:999999999999:function:f:1", nil},
		{"AWS::Lambda::Alias", `{"FunctionName":"f","Name":"live"}`, "AliasArn", "arn:aws:lambda:eu-west-1:123456789012:function:f:live", nil},
		{"AWS::EC2::SecurityGroup", `{}`, "GroupId", "sg-", nil},
	} {
		r := &engine.StackResource{LogicalID: "L", Type: test.typ, Properties: engine.Properties(test.properties)}
		r.PhysicalID = types.PhysicalID(s, r)
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
		if diff := cmp.Diff(test.want, types.Attribute(s, r, test.attribute)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.typ, test.attribute, diff)
		}
	}
}

// TestForms: what templates take apart has AWS's form.
func TestForms(t *testing.T) {
	s := engine.New("shop", engine.Options{Region: "eu-west-1"}).Stack()
	for _, test := range []struct{ typ, properties, want string }{
		{"AWS::AppSync::GraphQLApi", `{"Name":"a"}`, `^arn:aws:appsync:eu-west-1:123456789012:apis/shop-L-\w{12}$`},
		{"AWS::CloudFormation::WaitConditionHandle", `{}`, `^https://cloudformation-waitcondition-eu-west-1\.s3\.eu-west-1\.amazonaws\.com/shop-L-\w{12}\?.*&Signature=\w+$`},
		{"AWS::EC2::EIP", `{}`, `^198\.18\.\d{1,3}\.\d{1,3}$`},
		{"AWS::ElasticLoadBalancingV2::Listener", `{}`, `^arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/shop-L-\w{12}/[0-9a-f]{16}/[0-9a-f]{16}$`},
		{"AWS::ImageBuilder::Image", `{}`, `^arn:aws:imagebuilder:eu-west-1:123456789012:image/shop-L-\w{12}/1\.0\.0/1$`},
		{"AWS::Lambda::Url", `{"TargetFunctionArn":"arn:aws:lambda:eu-west-1:123456789012:function:f"}`, `^arn:aws:lambda:eu-west-1:123456789012:function:f$`},
		{"AWS::Lambda::Url", `{"TargetFunctionArn":"f"}`, `^arn:aws:lambda:eu-west-1:123456789012:function:f$`},
		{"AWS::Route53::HostedZone", `{"Name":"example.com"}`, `^Z[0-9A-F]{17}$`},
		{"AWS::SecretsManager::Secret", `{"Name":"a/b"}`, `^arn:aws:secretsmanager:eu-west-1:123456789012:secret:a/b-[0-9a-f]{6}$`},
	} {
		r := &engine.StackResource{LogicalID: "L", Type: test.typ, Properties: engine.Properties(test.properties)}
		if got := types.PhysicalID(s, r); !regexp.MustCompile(test.want).MatchString(got) {
			t.Errorf("%s with %s: %s, want %s", test.typ, test.properties, got, test.want)
		}
	}
}

// TestNames: a native resource without a name gets one that ends in 12
// letters and digits of both cases, and a bucket's is in lower case.
func TestNames(t *testing.T) {
	s := engine.New("shop", engine.Options{}).Stack()
	for typ, want := range map[string]string{
		"AWS::IAM::Role":  `^shop-L-[A-Za-z0-9]{12}$`,
		"AWS::S3::Bucket": `^shop-l-[a-z0-9]{12}$`,
		"AWS::ElasticLoadBalancingV2::LoadBalancer": `:loadbalancer/app/shop-L-[A-Za-z0-9]{12}/[0-9a-f]{16}$`,
	} {
		r := &engine.StackResource{LogicalID: "L", Type: typ}
		r.PhysicalID = types.PhysicalID(s, r)
		if !regexp.MustCompile(want).MatchString(r.PhysicalID) {
			t.Errorf("%s is named %s, want %s", typ, r.PhysicalID, want)
		}
		if name := types.Attribute(s, r, "SomeName"); typ == "AWS::ElasticLoadBalancingV2::LoadBalancer" && !regexp.MustCompile(`^shop-L-[A-Za-z0-9]{12}$`).MatchString(name.(string)) {
			t.Errorf("the name of %s is %v", r.PhysicalID, name)
		}
	}
}

// TestReplaced: a change of a property that cannot be changed makes another
// resource, unless it has a name of its own, which two cannot have.
func TestReplaced(t *testing.T) {
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
		r := &engine.StackResource{LogicalID: "L", Type: test.typ, Old: engine.Properties(test.before), Properties: engine.Properties(test.now)}
		replaces, named := types.Change(r)
		if kept := replaces && named != ""; replaces != test.replaced || kept != test.kept {
			t.Errorf("%s: replaced is %t, refused for the name is %t; want %t, %t", test.name, replaces, kept, test.replaced, test.kept)
		}
	}
}
