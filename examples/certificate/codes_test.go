package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/acm/types"
	"github.com/aws/smithy-go"

	"github.com/cfnresource/sdk-go/cfnresource"
)

func TestCodes(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want cfnresource.Code
	}{
		{&types.ResourceNotFoundException{}, cfnresource.CodeNotFound},
		{&types.ResourceInUseException{}, cfnresource.CodeResourceConflict},
		{&types.RequestInProgressException{}, cfnresource.CodeResourceConflict},
		{&types.ConflictException{}, cfnresource.CodeResourceConflict},
		{&types.ThrottlingException{}, cfnresource.CodeThrottling},
		{&types.AccessDeniedException{}, cfnresource.CodeAccessDenied},
		{&types.LimitExceededException{}, cfnresource.CodeServiceLimitExceeded},
		{&types.TooManyTagsException{}, cfnresource.CodeServiceLimitExceeded},
		{&types.InvalidArnException{}, cfnresource.CodeInvalidRequest},
		{&types.InvalidTagException{}, cfnresource.CodeInvalidRequest},
		{&smithy.GenericAPIError{Code: "ExpiredTokenException"}, cfnresource.CodeInvalidCredentials},
		{errors.New("connection refused"), cfnresource.CodeNetworkFailure},
		{fmt.Errorf("canceled, %w", context.DeadlineExceeded), ""},
	} {
		err := coded(fmt.Errorf("operation error ACM: %w", tc.err))
		if got := cfnresource.CodeOf(err); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%v has the code %q, want %q", tc.err, got, tc.want)
		}
	}
}

// A server's failure need not have a code that anybody knows.
func TestCodesOfReplies(t *testing.T) {
	for status, want := range map[int]cfnresource.Code{
		http.StatusInternalServerError: cfnresource.CodeServiceInternalError,
		http.StatusServiceUnavailable:  cfnresource.CodeServiceInternalError,
		http.StatusForbidden:           cfnresource.CodeInvalidRequest,
	} {
		synctest.Test(t, func(t *testing.T) {
			client := newClient(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
			if _, err := describe(t.Context(), client, first); cfnresource.CodeOf(err) != want {
				t.Errorf("a reply of %d has the code %q, want %q", status, cfnresource.CodeOf(err), want)
			}
		})
	}
}
