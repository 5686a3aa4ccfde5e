package cfnresource

import "net/http"

// statusCodes are the codes of HTTP statuses that say more than their class.
var statusCodes = map[int]Code{
	http.StatusBadRequest:          CodeInvalidRequest,
	http.StatusUnauthorized:        CodeInvalidCredentials,
	http.StatusForbidden:           CodeAccessDenied,
	http.StatusNotFound:            CodeNotFound,
	http.StatusRequestTimeout:      CodeNetworkFailure,
	http.StatusConflict:            CodeResourceConflict,
	http.StatusGone:                CodeNotFound,
	http.StatusUnprocessableEntity: CodeInvalidRequest,
	http.StatusLocked:              CodeResourceConflict,
	http.StatusTooManyRequests:     CodeThrottling,
	http.StatusInsufficientStorage: CodeServiceLimitExceeded,
}

// HTTPStatus returns err with the code that the status of a service's response means: 404 is
// NotFound, 409 ResourceConflict, 429 Throttling, 500 and 503 ServiceInternalError, and so on. A
// code that err has already stays: where 409 means that a name is taken, pass [AlreadyExists] or
// [Errorf] with [CodeAlreadyExists]. For a status below 400, and for a nil err, it returns err.
func HTTPStatus(status int, err error) error {
	if err == nil || status < 400 || CodeOf(err) != "" {
		return err
	}
	code, ok := statusCodes[status]
	switch {
	case ok:
	case status >= 500:
		code = CodeServiceInternalError
	default:
		code = CodeGeneralServiceException
	}
	return &Error{Code: code, Err: err}
}
