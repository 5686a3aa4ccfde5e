package cfnresource_test

import (
	"errors"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
)

func TestHTTPStatus(t *testing.T) {
	for status, want := range map[int]cfnresource.Code{
		200: "", 302: "",
		400: cfnresource.CodeInvalidRequest,
		401: cfnresource.CodeInvalidCredentials,
		402: cfnresource.CodeGeneralServiceException,
		403: cfnresource.CodeAccessDenied,
		404: cfnresource.CodeNotFound,
		408: cfnresource.CodeNetworkFailure,
		409: cfnresource.CodeResourceConflict,
		410: cfnresource.CodeNotFound,
		422: cfnresource.CodeInvalidRequest,
		423: cfnresource.CodeResourceConflict,
		429: cfnresource.CodeThrottling,
		500: cfnresource.CodeServiceInternalError,
		503: cfnresource.CodeServiceInternalError,
		507: cfnresource.CodeServiceLimitExceeded,
	} {
		err := cfnresource.HTTPStatus(status, errSome)
		if got := cfnresource.CodeOf(err); got != want || !errors.Is(err, errSome) || err.Error() != errSome.Error() {
			t.Errorf("%d: %q %v, want %q", status, got, err, want)
		}
	}
	taken := cfnresource.AlreadyExists("svc-1")
	if got := cfnresource.HTTPStatus(409, taken); cfnresource.CodeOf(got) != cfnresource.CodeAlreadyExists {
		t.Errorf("409 of what has a code: %q, want the code to stay", cfnresource.CodeOf(got))
	}
	if cfnresource.HTTPStatus(500, nil) != nil {
		t.Error("no error became one")
	}
}
