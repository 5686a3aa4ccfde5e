// Package awsenv reads what Lambda gives a function in its environment for calls
// of AWS: no profiles and no files, so that a cold start does not pay for them.
// It also says what is told of a call that failed.
package awsenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
)

// Region returns AWS_REGION.
func Region() string { return os.Getenv("AWS_REGION") }

// Endpoint returns AWS_ENDPOINT_URL_SERVICE, or else AWS_ENDPOINT_URL, or nil. The
// service is named as in the variable: CLOUDFORMATION.
func Endpoint(service string) *string {
	for _, name := range []string{"AWS_ENDPOINT_URL_" + service, "AWS_ENDPOINT_URL"} {
		if endpoint := os.Getenv(name); endpoint != "" {
			return aws.String(endpoint)
		}
	}
	return nil
}

// Credentials returns the credentials of the function's role. Where there are
// none, its error says to use instead.
func Credentials(instead string) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		c := aws.Credentials{
			AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken:    os.Getenv("AWS_SESSION_TOKEN"),
			Source:          "environment",
		}
		if !c.HasKeys() {
			return c, errors.New("the environment has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: use " + instead)
		}
		return c, nil
	})
}

// Cause returns what is to be told of an operation's error: the service's own code and
// message, or why it was not reached, without the URL.
func Cause(operation string, err error) error {
	if refused, ok := errors.AsType[smithy.APIError](err); ok {
		return fmt.Errorf("%s: %s: %s", operation, refused.ErrorCode(), refused.ErrorMessage())
	}
	if unsent, ok := errors.AsType[*url.Error](err); ok {
		err = unsent.Err
	}
	return fmt.Errorf("%s: %w", operation, err)
}
