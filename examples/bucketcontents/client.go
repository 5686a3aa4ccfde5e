package main

import (
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

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
