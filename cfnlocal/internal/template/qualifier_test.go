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
