package template

import (
	"testing"
)

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
