// Bucketcontents is a Lambda function behind a custom resource that is a set of objects in a
// bucket: they are there as long as the resource is, and gone before the bucket goes.
package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"

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

const (
	// attempt is for how long a request may hang before the client tries again.
	attempt = 30 * time.Second
	// reserve is the time that a change must have when it is begun. It is less than what a Delete
	// has at the end, when it looks for a second time for what an overtaken Create has made.
	reserve = 200 * time.Millisecond
)

// newClient returns a client of Amazon S3, or of the server that AWS_ENDPOINT_URL_S3 names.
func newClient(cfg aws.Config, transport http.RoundTripper) *s3.Client {
	cfg.HTTPClient = &http.Client{Transport: punctual{transport}, Timeout: attempt}
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		if o.BaseEndpoint == nil {
			return
		}
		// What other servers expect: the bucket's name in the path, and the
		// checksum that Amazon S3 no longer asks for.
		o.UsePathStyle = true
		o.APIOptions = append(o.APIOptions, smithyhttp.AddContentChecksumMiddleware)
	})
}

// A punctual transport begins no change shortly before the time is over. One that is cut off may
// still take effect, later than the event's answer, and undo what the rollback does.
type punctual struct{ base http.RoundTripper }

var errNoTime = errors.New("there is no time for another change")

func (p punctual) RoundTrip(req *http.Request) (*http.Response, error) {
	if end, ok := req.Context().Deadline(); ok && req.Method != http.MethodGet && time.Until(end) < reserve {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must
		}
		return nil, errNoTime
	}
	return p.base.RoundTrip(req)
}
