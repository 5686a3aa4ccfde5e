package cfnresource

import (
	"context"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

func TestPointer(t *testing.T) {
	if got := logPointer(context.Background()); got != "" {
		t.Errorf("outside Lambda: %q", got)
	}
	defer func(group, stream string) {
		lambdacontext.LogGroupName, lambdacontext.LogStreamName = group, stream
	}(lambdacontext.LogGroupName, lambdacontext.LogStreamName)
	lambdacontext.LogGroupName, lambdacontext.LogStreamName = "/aws/lambda/F", "2026/[1]"
	if got, want := logPointer(context.Background()), "(log group /aws/lambda/F, stream 2026/[1])"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ctx := lambdacontext.NewContext(context.Background(), &lambdacontext.LambdaContext{AwsRequestID: "id"})
	if got, want := logPointer(ctx), "(log group /aws/lambda/F, stream 2026/[1], request id)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
