package cfnresource

import (
	"context"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// logPointer returns a text that leads to the log of the invocation whose context
// is ctx, or "" outside Lambda.
func logPointer(ctx context.Context) string {
	if lambdacontext.LogStreamName == "" {
		return ""
	}
	text := "(log group " + lambdacontext.LogGroupName + ", stream " + lambdacontext.LogStreamName
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		text += ", request " + lc.AwsRequestID
	}
	return text + ")"
}
