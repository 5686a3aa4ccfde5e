// Monitor is a Lambda function behind a custom resource that is two objects of a
// web API, a monitor and its alert rule. The API numbers them, its lists lag, it
// limits requests, and a monitor takes minutes to get ready.
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
	lambda.Start(cfnresource.New(cfnresource.Lazy(open), schema.Describe, listsLag))
}

// open runs at the first event that needs the API. If it fails, that event is
// answered with its error; had main failed, nobody would answer.
func open(context.Context) (*Monitor, error) {
	base := os.Getenv("API_URL")
	if base == "" {
		return nil, errors.New("the function's environment has no API_URL: set it to the API's base URL")
	}
	return &Monitor{api: newAPI(base, os.Getenv("API_TOKEN"))}, nil
}
