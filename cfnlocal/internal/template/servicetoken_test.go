package template

import "testing"

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
