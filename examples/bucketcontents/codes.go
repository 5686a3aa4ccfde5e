package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// coded gives an error of the S3 client's the code by which the dispatcher knows
// what is gone and what to try again. The client itself has tried three times.
// Without its URL, which holds the key, an error says nothing of the template.
func coded(ctx context.Context, err error) error {
	var own *cfnresource.Error
	var refused smithy.APIError
	var network *url.Error
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.As(err, &refused):
		code := 0
		if status, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
			code = status.HTTPStatusCode()
		}
		return cfnresource.Errorf(codeOf(refused.ErrorCode(), code), "%w", err)
	case errors.Is(err, errNoTime):
		return errNoTime
	case ctx.Err() != nil: // the handler's own time is over
		return fmt.Errorf("S3: %w", context.Cause(ctx))
	case errors.As(err, &network):
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "S3 cannot be reached: %w", network.Err)
	}
	return err
}

// noBucket reports whether an error says that a bucket is gone, or that none can have its name. Find
// is asked about such a name too, before the Delete of what Create could not make.
func noBucket(err error) bool {
	refused, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains([]string{"NoSuchBucket", "InvalidBucketName"}, refused.ErrorCode())
}

// codeOf returns the code for one of S3's ("Error responses" in the Amazon S3
// API Reference), and the status that it came with, or 0.
func codeOf(code string, status int) cfnresource.Code {
	switch code {
	case "NoSuchBucket":
		return cfnresource.CodeNotFound
	case "AccessDenied", "AllAccessDisabled", "AccountProblem":
		return cfnresource.CodeAccessDenied
	case "ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch", "RequestTimeTooSkewed":
		return cfnresource.CodeInvalidCredentials
	case "OperationAborted", "ConditionalRequestConflict":
		return cfnresource.CodeResourceConflict
	case "SlowDown", "ServiceUnavailable", "TooManyRequests":
		return cfnresource.CodeThrottling
	case "InternalError":
		return cfnresource.CodeServiceInternalError
	case "RequestTimeout":
		return cfnresource.CodeNetworkFailure
	}
	switch {
	case status >= 500:
		return cfnresource.CodeServiceInternalError
	case status == http.StatusForbidden: // of what stands before S3, or without a body
		return cfnresource.CodeAccessDenied
	case status >= 400:
		return cfnresource.CodeInvalidRequest
	}
	return cfnresource.CodeGeneralServiceException
}
