package main

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/certificate/fakeacm/server"
)

// newACM returns an ACM without certificates, as slow as the real one may be.
func newACM(t testing.TB) *server.ACM {
	t.Helper()
	fake, err := server.Open("")
	if err != nil {
		t.Fatal(err)
	}
	fake.VisibleAfter, fake.RecordsAfter, fake.IssuedAfter = 3*time.Second, 9*time.Second, 5*time.Minute
	return fake
}

// newFunction returns the function over an ACM, with the real client and no
// network between them, so that it runs in virtual time. Where it continues,
// cfntest stands in for Lambda and for the stack.
func newFunction(fake http.Handler) *cfnresource.Dispatcher {
	return function(func(ctx context.Context) (*acm.Client, error) { return newClient(fake), cfntest.Step(ctx) })
}

func newClient(fake http.Handler) *acm.Client { return clientOver(cfntest.Steps(inProcess{fake})) }

func clientOver(transport http.RoundTripper) *acm.Client {
	return acm.New(acm.Options{
		Region:     "us-west-2",
		HTTPClient: &http.Client{Transport: transport},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
		}),
	})
}

// inProcess is a transport that calls a server without a network.
type inProcess struct{ server http.Handler }

func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	reply := httptest.NewRecorder()
	p.server.ServeHTTP(reply, req)
	return reply.Result(), nil
}

// stateOf is a certificate without what differs from run to run: its ARN, its
// age and the tag that says whose it is.
func stateOf(fake *server.ACM, arn string) any {
	for _, c := range fake.All() {
		if c.ARN == arn {
			own := maps.Clone(c.Tags)
			delete(own, tag)
			return RequestProps{DomainName: c.Names[0], SubjectAlternativeNames: slices.Sorted(slices.Values(c.Names[1:])), Tags: own} // their order means nothing
		}
	}
	return nil
}

func arns(fake *server.ACM) (arns []string) {
	for _, c := range fake.All() {
		arns = append(arns, c.ARN)
	}
	return arns
}
