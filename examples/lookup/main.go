// Lookup is a Lambda function behind a custom resource that finds something out and makes nothing:
// the thumbprints of an OpenID Connect provider, which IAM wants and a template cannot compute.
package main

import (
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

func main() {
	l := &Lookup{client: &http.Client{Timeout: 10 * time.Second}}
	lambda.Start(cfnresource.New(cfnresource.Action(l.Thumbprints), schema.Describe))
}
