// Certificate is one Lambda function behind two custom resources: the request of
// a certificate from AWS Certificate Manager, and the wait until it is issued.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/acm"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
)

func main() {
	lambda.Start(function(open))
}

// function returns the handlers of both types, with clients that open returns. It continues: what
// is not issued when an invocation ends is waited for in the next, as long as the stack waits.
func function(open func(context.Context) (*acm.Client, error)) *cfnresource.Dispatcher {
	d := cfnresource.NewDispatcher(schema.Describe, stackphase.FromEnvironment, selfinvoke.FromEnvironment)
	cfnresource.Handle(d, "Custom::CertificateRequest", cfnresource.Lazy(func(ctx context.Context) (*Request, error) {
		client, err := open(ctx)
		return &Request{client}, err
	}))
	cfnresource.Handle(d, "Custom::CertificateIssued", cfnresource.Action(func(ctx context.Context, req *cfnresource.UpdateRequest[IssuedProps]) (IssuedData, error) {
		client, err := open(ctx)
		if err != nil {
			return IssuedData{}, err
		}
		return issued(ctx, client, req.Properties)
	}))
	return d
}

// open is called when an event needs a client. If it fails, that event is
// answered with its error; had main failed, nobody would answer.
func open(ctx context.Context) (*acm.Client, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	return acm.NewFromConfig(cfg), nil
}
