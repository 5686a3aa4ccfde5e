package stackphase

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// FromEnvironment makes a Dispatcher ask for phases with what Lambda
// gives a function in its environment: AWS_REGION and the credentials of its
// role, and AWS_ENDPOINT_URL_CLOUDFORMATION or AWS_ENDPOINT_URL where one is
// set. It reads nothing else: no profiles, no files. The client is made when a
// phase is first asked for, so that most cold starts do not pay for it.
func FromEnvironment(o *cfnresource.Options) {
	lookup := sync.OnceValue(func() func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
		return Lookup(environmentClient())
	})
	o.Phase = func(ctx context.Context, op *cfnresource.Operation) (lifecycle.Phase, error) {
		return lookup()(ctx, op)
	}
}

func environmentClient() *cloudformation.Client {
	o := cloudformation.Options{
		Region:      os.Getenv("AWS_REGION"),
		Credentials: aws.CredentialsProviderFunc(environmentCredentials),
	}
	for _, name := range []string{"AWS_ENDPOINT_URL_CLOUDFORMATION", "AWS_ENDPOINT_URL"} {
		if endpoint := os.Getenv(name); endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
			break
		}
	}
	return cloudformation.New(o)
}

func environmentCredentials(context.Context) (aws.Credentials, error) {
	c := aws.Credentials{
		AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    os.Getenv("AWS_SESSION_TOKEN"),
		Source:          "environment",
	}
	if !c.HasKeys() {
		return c, errors.New("the environment has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: use stackphase.Option with a client of your own")
	}
	return c, nil
}
