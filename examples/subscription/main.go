// Subscription is a Lambda function behind a custom resource whose physical ID
// is a name that the handler chooses: the StableID.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

func main() {
	lambda.Start(cfnresource.New(&Subscription{hub: NewMemoryHub()}, schema.Describe))
}
