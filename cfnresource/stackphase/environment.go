package stackphase

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/awsenv"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// FromEnvironment makes a Dispatcher ask for phases with what Lambda gives a function in its
// environment: AWS_REGION and the credentials of its role, and AWS_ENDPOINT_URL_CLOUDFORMATION or
// AWS_ENDPOINT_URL where one is set. It reads nothing else: no profiles, no files. The client is
// made when a phase is first asked for, so that most cold starts do not pay for it.
func FromEnvironment(o *cfnresource.Options) {
	lookup := sync.OnceValue(func() func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
		return Lookup(environmentClient())
	})
	o.Phase = func(ctx context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
		return lookup()(ctx, op)
	}
}

func environmentClient() *cloudformation.Client {
	return cloudformation.New(cloudformation.Options{
		Region: awsenv.Region(), BaseEndpoint: awsenv.Endpoint("CLOUDFORMATION"), Credentials: awsenv.Credentials("stackphase.Option with a client of your own"),
	})
}
