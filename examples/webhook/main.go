// Webhook is a Lambda function behind a custom resource whose physical ID is the service's own: an
// API numbers its webhooks, and Find leads back to them by a tag.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

func main() {
	lambda.Start(cfnresource.New(cfnresource.Lazy(open), schema.Describe))
}

// open runs at the first event that needs the API. If it fails, that event is
// answered with its error; had main failed, nobody would answer.
func open(context.Context) (*Webhook, error) {
	base := os.Getenv("API_URL")
	if base == "" {
		return nil, errors.New("the function's environment has no API_URL: set it to the API's base URL")
	}
	return &Webhook{api: newAPI(base, os.Getenv("API_TOKEN"))}, nil
}
