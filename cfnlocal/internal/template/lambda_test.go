package template

import (
	"strings"
	"testing"
)

// TestQualifiersAgree: a function that is invoked by its ARN has not what is
// configured for its alias, so that nobody answers for it when it dies.
func TestQualifiersAgree(t *testing.T) {
	for _, test := range []struct{ token, qualifier, want string }{
		{"!GetAtt Fn.Arn", "$LATEST", ""},
		{"!Ref Live", "live", ""},
		{`!Sub "${Fn.Arn}:live"`, "live", ""},
		{"!GetAtt Fn.Arn", "live", "is for live, and this invokes $LATEST"},
		{"!Ref Live", "$LATEST", "is for $LATEST, and this invokes live"},
		{`!Sub "${Fn.Arn}:blue"`, "live", "is for live, and this invokes blue"},
		{"!Ref One", "live", ""},
		{`!Sub "${Fn.Arn}:${Other}"`, "live", ""},
		{"!GetAtt Fn.Arn", "!GetAtt One.Version", ""},
	} {
		got := ""
		for _, w := range mustPlan(t, `
Resources:
  Thing:
    Type: Custom::Thing
    Properties: {ServiceToken: `+test.token+`}
  Fn:
    Type: AWS::Lambda::Function
    Properties: {Handler: x, Runtime: provided.al2023, Role: r, Code: {S3Bucket: b, S3Key: k}}
  Live: {Type: AWS::Lambda::Alias, Properties: {FunctionName: !Ref Fn, FunctionVersion: $LATEST, Name: live}}
  One: {Type: AWS::Lambda::Version, Properties: {FunctionName: !Ref Fn}}
  Other: {Type: AWS::SNS::Topic}
  Config:
    Type: AWS::Lambda::EventInvokeConfig
    Properties: {FunctionName: !Ref Fn, Qualifier: `+test.qualifier+`, DestinationConfig: {OnFailure: {Destination: "arn:aws:lambda:us-east-1:123456789012:function:f"}}}
`).Warnings {
			if strings.Contains(w.Text, "EventInvokeConfig of") {
				got += w.Text
			}
		}
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s, and a configuration for %s: %q, want %q", test.token, test.qualifier, got, test.want)
		}
	}
}

// TestServiceTokensThatMayBeFunctions: only what certainly is none is refused.
func TestServiceTokensThatMayBeFunctions(t *testing.T) {
	for _, token := range []string{
		"!Ref Given", "!GetAtt Stored.Value", "!GetAtt Nested.Outputs.Arn", "!GetAtt Maker.Arn", "!GetAtt Module.Arn",
		"!GetAtt Table.Arn", "!Ref Topic", "!Ref Version", "arn:aws:lambda:eu-west-1:123456789012:function:other",
	} {
		parsed, err := Parse("t.yaml", []byte(`
Parameters:
  Given: {Type: String, Default: "arn:aws:lambda:eu-west-1:123456789012:function:other"}
Resources:
  Thing: {Type: "Custom::Thing", Properties: {ServiceToken: `+token+`}}
  Maker: {Type: "Custom::Maker", Properties: {ServiceToken: !Ref Given}}
  Stored: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !Ref Given}}
  Nested: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: "https://s3.amazonaws.com/b/t.yaml"}}
  Module: {Type: "Example::Function::Maker"}
  Table: {Type: AWS::DynamoDB::Table, Properties: {KeySchema: [{AttributeName: a, KeyType: HASH}]}}
  Topic: {Type: AWS::SNS::Topic}
  Version: {Type: AWS::Lambda::Version, Properties: {FunctionName: !Ref Given}}
`))
		if err != nil {
			t.Fatal(err)
		}
		stack := testStack
		stack.Attributes = map[string]string{"Table.Arn": "arn:aws:lambda:eu-west-1:123456789012:function:other"}
		stack.Nested = map[string]string{"Nested": StandIn}
		if _, err := parsed.Resolve(stack); err != nil {
			t.Errorf("%s: %v", token, err)
		}
	}
}
