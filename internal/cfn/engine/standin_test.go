package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/lifecycle"
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

// TestStandInForms: what templates take apart has AWS's form.
func TestStandInForms(t *testing.T) {
	s := New("shop", Options{Region: "eu-west-1"}).Stack()
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
		r := &StackResource{LogicalID: "L", Type: test.typ, Properties: Properties(test.properties)}
		if got := standInID(s, r); !regexp.MustCompile(test.want).MatchString(got) {
			t.Errorf("%s with %s: %s, want %s", test.typ, test.properties, got, test.want)
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

// TestRegisteredAnswers: answers that the contract does not know fail the
// resource, and nothing panics.
func TestRegisteredAnswers(t *testing.T) {
	thing := &ResourceType{Name: "Example::Depot::Crate", PrimaryIdentifier: []string{"Id"}}
	for answer, want := range map[string]string{
		`{"status":"SUCCESS","resourceModel":{"Id":"x"}}`:                              "",
		`{"status":"SUCCESS","resourceModel":{"Name":"a"}}`:                            "no primary identifier",
		`{"status":"SUCCESS","resourceModel":null}`:                                    "no primary identifier",
		`{"status":"IN_PROGRESS","resourceModel":{"Id":1.5}}`:                          "",
		`{"status":"IN_PROGRESS"}`:                                                     "no primary identifier",
		`{"status":"IN_PROGRESS","resourceModel":{"Id":"x"},"callbackContext":"next"}`: "no object", // a resumed stack would not have it
		`{"status":"IN_PROGRESS","resourceModel":{"Id":"x"},"callbackContext": null}`:  "",
		`{"status":"PENDING","resourceModel":{"Id":"x"}}`:                              "no status",
		`{"status":"FAILED"}`:                                                          "HandlerErrorCode: InternalFailure",
		`{"status":1}`:                                                                 "no ProgressEvent",
		`nothing`:                                                                      "no ProgressEvent",
		`null`:                                                                         "no status",
		`{"status":"SUCCESS","resourceModel":{"Id":"` + strings.Repeat("x", MaxPhysicalID+1) + `"}}`: "cannot be the resource's",
	} {
		v := thing.judge(&Request{RequestType: "Create", Calls: 1}, []byte(answer), nil)
		if ok := v.outcome == Succeeded || v.outcome == Pending; ok != (want == "") || !strings.Contains(v.reason, want) {
			t.Errorf("%.60s: %s %s, want %q", answer, v.outcome, v.reason, want)
		}
	}
	v := thing.judge(&Request{RequestType: "Create", Calls: 2, Made: "x"}, []byte(`{"status":"SUCCESS","resourceModel":{"Id":"y"}}`), nil)
	if v.ok() || v.physicalID != "x" {
		t.Errorf("another identifier than that of the call before: %s of %s, want a failure of x", v.outcome, v.physicalID)
	}
}

// TestIdentifiers: Ref gives the parts of an identifier with | between them. A request has
// each where the schema has it, as the resource's model has it, and not what the ID looks
// like: another resource would be deleted, or the resource would be lost.
func TestIdentifiers(t *testing.T) {
	bar := map[string]any{"Place": "north|east", "Id": json.Number("7"), "Size": json.Number("1")}
	nested := map[string]any{"Endpoint": map[string]any{"Id": "e-1", "Port": "80"}}
	for _, test := range []struct {
		name       string
		identifier []string
		id         string
		properties Properties
		of, model  map[string]any // that the ID is of, and that is known
		want       Properties
	}{
		{"two parts", []string{"Place", "Id"}, "north|7", `{"Size":1}`, map[string]any{"Id": json.Number("7"), "Place": "north"}, nil, `{"Id":"7","Place":"north","Size":1}`},
		{"a bar in a part", []string{"Place", "Id"}, "north|east|7", "{}", bar, bar, `{"Id":7,"Place":"north|east"}`},
		{"another one's model", []string{"Place", "Id"}, "north|east|7", "{}", bar, map[string]any{"Place": "south", "Id": "7"}, `{"Id":"east|7","Place":"north"}`},
		{"no model", []string{"Place", "Id"}, "north|east|7", "{}", bar, nil, `{"Id":"east|7","Place":"north"}`},
		{"within an object", []string{"Endpoint/Id"}, "e-1", `{"Endpoint":{"Port":"80"},"Size":1}`, nested, nested, `{"Endpoint":{"Id":"e-1","Port":"80"},"Size":1}`},
		{"within an object that is not there", []string{"Endpoint/Id"}, "e-1", "{}", nested, nil, `{"Endpoint":{"Id":"e-1"}}`},
	} {
		typ := &ResourceType{PrimaryIdentifier: test.identifier}
		id := typ.id(test.of)
		if got := typ.withIdentifier(test.properties, id, test.model); id != test.id || got != test.want {
			t.Errorf("%s: %s in %s, want %s in %s", test.name, id, got, test.id, test.want)
		}
	}
}

// TestNestedName: the names of public nested stacks without their suffixes: the parent's
// name is whole, and the logical ID is cut.
func TestNestedName(t *testing.T) {
	for _, c := range []struct{ parent, logicalID, want string }{
		{"CdkStackALBEksBg", "awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterResourceProviderNestedStackResource9827C454",
			"CdkStackALBEksBg-awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterReso"},
		{"k8s-cluster-eu-north-1", "awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterResourceProviderNestedStackResource9827C454",
			"k8s-cluster-eu-north-1-awscdkawseksClusterResourceProviderNestedStackawscdkawseksClust"},
		{"stable-diffusion-aws", "SdDBTrainStackNestedStackSdDBTrainStackNestedStackResource2C42E66E",
			"stable-diffusion-aws-SdDBTrainStackNestedStackSdDBTrainStackNestedStackResource2C42E66"},
		{"stable-diffusion-aws", "SdAsyncInferStNestedStackSdAsyncInferStNestedStackResourceD29D0642",
			"stable-diffusion-aws-SdAsyncInferStNestedStackSdAsyncInferStNestedStackResourceD29D064"},
		{"stable-diffusion-aws", "multiUserStNestedStackmultiUserStNestedStackResource15CDE68D",
			"stable-diffusion-aws-multiUserStNestedStackmultiUserStNestedStackResource15CDE68D"},
		{strings.Repeat("a", 128), "Child", strings.Repeat("a", 86)},
	} {
		got := New(c.parent, Options{Seed: 1}).Stack().nestedName(c.logicalID)
		name, suffix, cut := cutLast(got)
		if name != c.want || len(suffix) != 12 || !cut {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// cutLast cuts a text at its last hyphen.
func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '-')
	return s[:max(i, 0)], s[i+1:], i >= 0
}

// CheckInvariants holds what is so of every stack at rest, and of those nested in it.
func CheckInvariants(m *Machine) error {
	s := m.Stack()
	// Nested stacks: what is not deleted is a resource.
	for _, c := range m.nested() {
		if err := CheckInvariants(c); err != nil {
			return fmt.Errorf("%s: %w", c.stack.Path, err)
		}
		of := func(all []*StackResource) bool {
			return slices.ContainsFunc(all, func(r *StackResource) bool { return !r.Gone && r.PhysicalID == c.stack.ID })
		}
		let := slices.ContainsFunc(s.Left, func(l Left) bool { return l.PhysicalID == c.stack.ID })
		if there := c.stack.Status != "DELETE_COMPLETE"; there != (of(s.Resources) || of(s.Leaving)) && !let {
			return fmt.Errorf("%s is in %s, and that it is a resource is %t", c.stack.Path, c.stack.Status, !there)
		}
	}
	// Nothing is under way.
	failed := slices.Contains([]string{"UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED", "DELETE_FAILED"}, m.top.stack.Status)
	if status := lifecycle.StackStatus(s.Status); s.Status != "" && !status.AtRest() && (!s.waitsForRootCleanup() || m.parent == nil || !failed && s.Status != "DELETE_COMPLETE" && !slices.ContainsFunc(m.parent.stack.Left, func(l Left) bool { return l.PhysicalID == s.ID })) {
		return fmt.Errorf("at rest in %s", s.Status)
	}
	if len(m.Pending()) > 0 || len(m.immediate) > 0 {
		return fmt.Errorf("at rest with %d requests under way", len(m.Pending()))
	}
	// Requests have what their type has, and an outcome.
	for _, r := range s.Requests {
		if r.Outcome == Pending {
			return fmt.Errorf("at rest, and %s of %s has no outcome", r.RequestType, r.LogicalID)
		}
		if (r.PhysicalID == "") != (r.RequestType == "Create") {
			return fmt.Errorf("%s of %s with the physical ID %q", r.RequestType, r.LogicalID, r.PhysicalID)
		}
		if (r.OldProperties == "") != (r.RequestType != "Update") {
			return fmt.Errorf("%s of %s with the old properties %q", r.RequestType, r.LogicalID, r.OldProperties)
		}
	}
	for _, r := range s.Resources {
		if !r.Gone && lifecycle.ResourceStatus(r.Status).InMotion() {
			return fmt.Errorf("at rest, and %s is in %s", r.LogicalID, r.Status)
		}
	}
	// The resources are the template's.
	inTemplate := 0 // nothing, if an update of what was never stable was cancelled
	if m.stable != nil {
		inTemplate = len(m.stable.Resources)
	}
	stable := slices.Contains([]string{"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"}, s.Status)
	if stable && (s.Stable != s.Target || len(s.Leaving) > 0 || len(s.Resources) != inTemplate) {
		return fmt.Errorf("%s at revision %d of %d with %d resources of %d, %d leaving", s.Status, s.Stable, s.Target, len(s.Resources), inTemplate, len(s.Leaving))
	}
	if s.Status == "DELETE_COMPLETE" && len(s.Resources)+len(s.Leaving) > 0 {
		return fmt.Errorf("deleted, and %d resources are there", len(s.Resources)+len(s.Leaving))
	}
	if m.parent == nil {
		if err := checkCleanupOrder(s); err != nil {
			return err
		}
	}
	// Events have IDs of their own.
	ids := map[string]bool{}
	for _, e := range s.Events {
		if ids[e.EventId] {
			return fmt.Errorf("two events have the ID %s", e.EventId)
		}
		ids[e.EventId] = true
	}
	return nil
}

// checkCleanupOrder holds that no nested stack deletes anything in a cleanup of its
// own before the root stack's has begun.
func checkCleanupOrder(root *Stack) error {
	status := map[string]string{} // by ID
	cleaning := func(id string) bool { return strings.HasSuffix(status[id], "_CLEANUP_IN_PROGRESS") }
	for _, e := range root.Rows(nil) {
		switch {
		case e.OfStack():
			status[e.StackId] = e.ResourceStatus
		case e.ResourceStatus == "DELETE_IN_PROGRESS" && cleaning(e.StackId) && !cleaning(root.ID):
			return fmt.Errorf("%s is deleted in a cleanup while the root stack is in %s", e.Name, status[root.ID])
		}
	}
	return nil
}
