// Database is a Lambda function behind a custom resource that is a database of a
// PostgreSQL server, with the role that owns it.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
)

func main() {
	lambda.Start(cfnresource.New(cfnresource.Lazy(open), schema.Describe, stackphase.FromEnvironment))
}

// open runs at the first event that needs the server. If it fails, that event is
// answered with its error; had main failed, nobody would answer.
func open(ctx context.Context) (*Database, error) {
	if text := os.Getenv("LOCAL_SECRET"); text != "" { // for runs without an account
		key, err := parseSecret(text)
		cfnresource.Secret(ctx, key.Password, key.Key)
		return &Database{&server{
			secret:  func(context.Context) (secret, error) { return key, nil },
			connect: connect,
		}}, err
	}
	arn := os.Getenv("SECRET_ARN")
	if arn == "" {
		return nil, errors.New("the function's environment has no SECRET_ARN: set it to the ARN of the administrator's secret")
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	return &Database{&server{
		secret:  fromSecretsManager(secretsmanager.NewFromConfig(cfg), arn),
		connect: connect,
	}}, nil
}
