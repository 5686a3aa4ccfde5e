package iam_test

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/iam"
)

// TestAttach: what is allowed, whether the function itself is meant, and what cannot be told. A
// statement that is not read here makes the answer unclear, and never a refusal.
func TestAttach(t *testing.T) {
	const function = "arn:aws:lambda:eu-west-1:123456789012:function:shop-Fn"
	type object = map[string]any
	inline := func(statement object) object {
		return object{"PolicyName": "p", "PolicyDocument": object{"Statement": []any{statement}}}
	}
	for name, test := range map[string]struct {
		policy any
		want   iam.Grant
	}{
		"its name":           {inline(object{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": function}), iam.Grant{Allowed: true, Named: true}},
		"its alias":          {inline(object{"Effect": "Allow", "Action": "lambda:Invoke*", "Resource": []any{function + ":*"}}), iam.Grant{Allowed: true, Named: true}},
		"everything":         {inline(object{"Effect": "Allow", "Action": "*", "Resource": "*"}), iam.Grant{Allowed: true}},
		"another action":     {inline(object{"Effect": "Allow", "Action": "lambda:GetFunction", "Resource": "*"}), iam.Grant{}},
		"another function":   {inline(object{"Effect": "Allow", "Action": "lambda:*", "Resource": function + "2"}), iam.Grant{}},
		"a refusal":          {inline(object{"Effect": "Deny", "Action": "lambda:*", "Resource": "*"}), iam.Grant{Unclear: true}},
		"a condition":        {inline(object{"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": object{}}), iam.Grant{Unclear: true}},
		"an exception":       {inline(object{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}), iam.Grant{Unclear: true}},
		"no document":        {object{"PolicyDocument": nil}, iam.Grant{Unclear: true}},
		"SAM's document":     {object{"Statement": object{"Effect": "Allow", "Action": "*", "Resource": "*"}}, iam.Grant{Allowed: true}},
		"SAM's template":     {object{"LambdaInvokePolicy": object{"FunctionName": "shop-Fn"}}, iam.Grant{Allowed: true, Named: true}},
		"another template":   {object{"SNSPublishMessagePolicy": object{"TopicName": "t"}}, iam.Grant{}},
		"AWS's for logs":     {"arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole", iam.Grant{}},
		"another of AWS's":   {"AmazonS3FullAccess", iam.Grant{Unclear: true}},
		"what is no policy":  {3, iam.Grant{Unclear: true}},
		"no list of objects": {object{"PolicyDocument": object{"Statement": "Allow"}}, iam.Grant{Unclear: true}},
	} {
		var policies iam.Policies
		policies.Attach(test.policy)
		if got := policies.Invoking(function); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
