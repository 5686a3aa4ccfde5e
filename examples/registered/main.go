// Registered has two programs for one handler. This one is a Lambda function behind a custom
// resource; the one in cmd/registered is a resource type of CloudFormation's registry.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/examples/registered/monitors"
)

func main() {
	lambda.Start(cfnresource.New(&monitors.Monitor{API: api}, schema.Describe))
}

// api is called for each event. If it fails, that event is answered with its
// error; had main failed, nobody would answer.
func api(context.Context) (*monitors.API, error) {
	base := os.Getenv("API_URL")
	if base == "" {
		return nil, cfnresource.Errorf(cfnresource.CodeInternalFailure, "the function's environment has no API_URL: set it to the API's base URL")
	}
	return monitors.NewAPI(base, os.Getenv("API_TOKEN")), nil
}
