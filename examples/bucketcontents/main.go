// Bucketcontents is a Lambda function behind a custom resource that is a set of objects in a
// bucket: they are there as long as the resource is, and gone before the bucket goes.
package main

import (
	"context"
	"net/http"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// workers is how many objects are put at once.
const workers = 16

func main() {
	lambda.Start(cfnresource.New(cfnresource.Lazy(open), schema.Describe))
}

// open runs at the first event that needs S3. If it fails, that event is
// answered with its error; had main failed, nobody would answer.
func open(ctx context.Context) (*Contents, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = workers
	return &Contents{s3: newClient(cfg, transport), workers: workers}, nil
}
