package template

import (
	"strings"
	"testing"
)

func TestCapabilities(t *testing.T) {
	role := capabilityOf("AWS::IAM::Role", []string{"Path"})
	named := capabilityOf("AWS::IAM::Role", []string{"Path", "RoleName"})
	if got := capabilityOf("AWS::SNS::Topic", []string{"RoleName"}); got != "" {
		t.Errorf("a topic needs %s", got)
	}
	if key := capabilityOf("AWS::IAM::AccessKey", []string{"UserName"}); key != role {
		t.Errorf("an access key, which has its user's name, needs %s", key)
	}
	for _, tt := range []struct {
		needed []string
		given  string
		want   string
	}{
		{nil, "", ""},
		{[]string{role, role}, "", "CAPABILITY_IAM"},
		{[]string{role}, "CAPABILITY_IAM", ""},
		{[]string{role}, "CAPABILITY_NAMED_IAM", ""},
		{[]string{role, named}, "CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"},
		{[]string{role, named, capabilityAutoExpand}, "", "CAPABILITY_NAMED_IAM CAPABILITY_AUTO_EXPAND"},
	} {
		if got := strings.Join(MissingCapabilities(tt.needed, strings.Fields(tt.given)), " "); got != tt.want {
			t.Errorf("%q with %q: missing %q, want %q", tt.needed, tt.given, got, tt.want)
		}
	}
}

// TestPolicies: what is allowed, whether the function itself is meant, and what cannot be told. A
// statement that is not read here makes the answer unclear, and never a refusal.
func TestPolicies(t *testing.T) {
	const function = "arn:aws:lambda:eu-west-1:123456789012:function:shop-Fn"
	type object = map[string]any
	inline := func(statement object) object {
		return object{"PolicyName": "p", "PolicyDocument": object{"Statement": []any{statement}}}
	}
	for name, test := range map[string]struct {
		policy any
		want   invokeGrant
	}{
		"its name":           {inline(object{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": function}), invokeGrant{allowed: true, named: true}},
		"its alias":          {inline(object{"Effect": "Allow", "Action": "lambda:Invoke*", "Resource": []any{function + ":*"}}), invokeGrant{allowed: true, named: true}},
		"everything":         {inline(object{"Effect": "Allow", "Action": "*", "Resource": "*"}), invokeGrant{allowed: true}},
		"another action":     {inline(object{"Effect": "Allow", "Action": "lambda:GetFunction", "Resource": "*"}), invokeGrant{}},
		"another function":   {inline(object{"Effect": "Allow", "Action": "lambda:*", "Resource": function + "2"}), invokeGrant{}},
		"another stack's":    {inline(object{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": "arn:aws:lambda:us-east-1:123456789012:function:other-*"}), invokeGrant{}},
		"a qualifier alone":  {inline(object{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": []any{"arn:aws:lambda:*:*:function:*:*"}}), invokeGrant{allowed: true}},
		"a refusal":          {inline(object{"Effect": "Deny", "Action": "lambda:*", "Resource": "*"}), invokeGrant{unclear: true}},
		"a condition":        {inline(object{"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": object{}}), invokeGrant{unclear: true}},
		"an exception":       {inline(object{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}), invokeGrant{unclear: true}},
		"no document":        {object{"PolicyDocument": nil}, invokeGrant{unclear: true}},
		"SAM's document":     {object{"Statement": object{"Effect": "Allow", "Action": "*", "Resource": "*"}}, invokeGrant{allowed: true}},
		"SAM's template":     {object{"LambdaInvokePolicy": object{"FunctionName": "shop-Fn"}}, invokeGrant{allowed: true, named: true}},
		"another template":   {object{"SNSPublishMessagePolicy": object{"TopicName": "t"}}, invokeGrant{}},
		"AWS's for logs":     {"arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole", invokeGrant{}},
		"another of AWS's":   {"AmazonS3FullAccess", invokeGrant{unclear: true}},
		"what is no policy":  {3, invokeGrant{unclear: true}},
		"no list of objects": {object{"PolicyDocument": object{"Statement": "Allow"}}, invokeGrant{unclear: true}},
	} {
		var policies rolePolicies
		policies.attach(test.policy)
		if got := policies.invoking(function); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// selfInvoking is a function with a role of its own, and a custom resource of it. role
// and more are more of the role's properties and more resources.
func selfInvoking(timeout, serviceTimeout, role, more string) string {
	return `
Resources:
  Thing:
    Type: Custom::Thing
    Properties: {ServiceToken: !GetAtt Fn.Arn` + serviceTimeout + `}
  Fn:
    Type: AWS::Lambda::Function
    Properties: {Handler: x, Runtime: provided.al2023, Role: !GetAtt Role.Arn, Timeout: ` + timeout + `, Code: {S3Bucket: b, S3Key: k}}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {}
` + role + more
}

// TestSelfInvocation: whether a function's role lets it invoke itself. What is not
// understood is no refusal: who is warned in vain reads no warnings.
func TestSelfInvocation(t *testing.T) {
	inline := func(statement string) string {
		return "      Policies: [{PolicyName: p, PolicyDocument: {Statement: [" + statement + "]}}]\n"
	}
	own := `!Sub "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${AWS::StackName}-*"`
	for _, test := range []struct {
		name, role, more string
		denied           bool
	}{
		{"no policy", "", "", true},
		{"the stack's functions", inline(`{Effect: Allow, Action: lambda:InvokeFunction, Resource: ` + own + `}`), "", false},
		{"all functions", inline(`{Effect: Allow, Action: ["lambda:Invoke*"], Resource: "*"}`), "", false},
		{"AWS's for logs", "      ManagedPolicyArns: [!Sub \"arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole\"]\n", "", true},
		{"another of AWS's", "      ManagedPolicyArns: [arn:aws:iam::aws:policy/PowerUserAccess]\n", "", false},
		{"a policy of the stack", "      ManagedPolicyArns: [!Ref Extra]\n",
			"  Extra:\n    Type: AWS::IAM::ManagedPolicy\n    Properties: {PolicyDocument: {Statement: {Effect: Allow, Action: lambda:InvokeFunction, Resource: " + own + "}}}\n", false},
		{"a policy that is attached, of the function's own ARN", "",
			"  Extra:\n    Type: AWS::IAM::Policy\n    Properties: {PolicyName: p, Roles: [!Ref Role], PolicyDocument: {Statement: [{Effect: Allow, Action: lambda:InvokeFunction, Resource: !GetAtt Fn.Arn}]}}\n", false},
		{"a policy of another role", "",
			"  Extra:\n    Type: AWS::IAM::Policy\n    Properties: {PolicyName: p, Roles: [other], PolicyDocument: {Statement: [{Effect: Allow, Action: lambda:InvokeFunction, Resource: !GetAtt Fn.Arn}]}}\n", true},
		{"what depends on a name that is not known", inline(`{Effect: Allow, Action: lambda:InvokeFunction, Resource: !GetAtt Other.Arn}`),
			"  Topic: {Type: AWS::SNS::Topic}\n  Other: {Type: AWS::Lambda::Function, Properties: {Handler: bootstrap, Runtime: provided.al2023, FunctionName: !Ref Topic, Role: r, Code: {S3Bucket: b, S3Key: k}}}\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := mustPlan(t, selfInvoking("300", "", test.role, test.more)).Functions[0].SelfInvocationDenied; got != test.denied {
				t.Errorf("denied: %t, want %t", got, test.denied)
			}
		})
	}
	named := strings.Replace(selfInvoking("300", "", inline(`{Effect: Allow, Action: lambda:InvokeFunction, Resource: !Sub "arn:aws:lambda:*:*:function:${AWS::StackName}-hook"}`), ""),
		"{Handler: x,", `{FunctionName: !Sub "${AWS::StackName}-hook", Handler: x,`, 1)
	if mustPlan(t, named).Functions[0].SelfInvocationDenied {
		t.Error("a function that is named by a function is denied what its role allows by that name")
	}
	const sam = `
Transform: AWS::Serverless-2016-10-31
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: ., Handler: x, Runtime: provided.al2023, Policies: `
	for policies, want := range map[string]bool{
		`[{Statement: [{Effect: Allow, Action: lambda:InvokeFunction, Resource: ` + own + `}]}]`: false,
		`[{LambdaInvokePolicy: {FunctionName: !Sub "${AWS::StackName}-Fn"}}]`:                    false,
		`[{LambdaInvokePolicy: {FunctionName: other}}]`:                                          true,
		`[{SNSPublishMessagePolicy: {TopicName: t}}, AWSLambdaBasicExecutionRole]`:               true,
		`AmazonS3FullAccess`: false,
	} {
		if got := mustPlan(t, sam+policies+"}\n").Functions[0].SelfInvocationDenied; got != want {
			t.Errorf("SAM, %s: denied is %t, want %t", policies, got, want)
		}
	}
}

// TestLinksAreCounted: Lambda ends a chain of sixteen invocations, however long
// CloudFormation would wait. Only a function whose role means it is warned of.
func TestLinksAreCounted(t *testing.T) {
	named := "      Policies: [{PolicyName: p, PolicyDocument: {Statement: [{Effect: Allow, Action: lambda:InvokeFunction, Resource: !Sub \"arn:aws:lambda:*:*:function:${AWS::StackName}-*\"}]}}]\n"
	all := strings.ReplaceAll(named, "${AWS::StackName}-*", "*")
	for _, test := range []struct{ timeout, service, role, want string }{
		{"239", "", named, "raise the function's Timeout to 240, or lower ServiceTimeout to 3585"},
		{"240", "", named, ""},
		{"20", ", ServiceTimeout: 301", named, "raise the function's Timeout to 21, or lower ServiceTimeout to 300"},
		{"20", ", ServiceTimeout: !Select [0, [301]]", named, "raise the function's Timeout to 21, or lower ServiceTimeout to 300"},
		{"20", ", ServiceTimeout: 300", named, ""},
		{"20", "", all, ""},
		{"20", "", "", ""},
		{"20, RecursiveLoop: Allow", "", named, ""},
	} {
		got := ""
		for _, w := range mustPlan(t, selfInvoking(test.timeout, test.service, test.role, "")).Warnings {
			if strings.Contains(w.Text, "chain of 16") {
				got += w.String()
			}
		}
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("Timeout %s%s: %q, want %q", test.timeout, test.service, got, test.want)
		}
	}
}
