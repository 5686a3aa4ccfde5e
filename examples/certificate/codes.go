package main

import (
	"context"
	"errors"

	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// coded gives an error of ACM's client the code by which the dispatcher knows what to try again and
// what is gone. ("Errors" of each operation in the AWS Certificate Manager API Reference.)
func coded(err error) error {
	var refused smithy.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return cfnresource.Errorf(codeOf(refused.ErrorCode(), status(err)), "%w", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err // the handler's own time is over
	}
	return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "%w", err)
}

// status is the status of ACM's reply, or 0 if there was none.
func status(err error) int {
	var reply interface{ HTTPStatusCode() int }
	if errors.As(err, &reply) {
		return reply.HTTPStatusCode()
	}
	return 0
}

func codeOf(code string, status int) cfnresource.Code {
	switch code {
	case "ResourceNotFoundException":
		return cfnresource.CodeNotFound
	case "ResourceInUseException", "ConflictException", "RequestInProgressException":
		return cfnresource.CodeResourceConflict
	case "ThrottlingException", "TooManyRequestsException":
		return cfnresource.CodeThrottling
	case "AccessDeniedException", "AccessDenied":
		return cfnresource.CodeAccessDenied
	case "UnrecognizedClientException", "ExpiredTokenException", "InvalidSignatureException":
		return cfnresource.CodeInvalidCredentials
	case "LimitExceededException", "ServiceQuotaExceededException", "TooManyTagsException":
		return cfnresource.CodeServiceLimitExceeded
	}
	if status >= 500 {
		return cfnresource.CodeServiceInternalError
	}
	return cfnresource.CodeInvalidRequest
}
