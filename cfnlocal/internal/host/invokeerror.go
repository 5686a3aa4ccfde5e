package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// An invokeError is what Invoke answers to a call that it refuses. Codes and statuses are those of
// AWS's API Reference; where no source is named the words are as people have quoted them.
type invokeError struct {
	status        int
	code, message string
}

func (e *invokeError) Error() string { return e.code + ": " + e.message }

var (
	errQualifiers = &invokeError{http.StatusBadRequest, "InvalidParameterValueException", "The derived qualifier from the function name does not match the specified qualifier."}
	errNoJSON     = &invokeError{http.StatusBadRequest, "InvalidRequestContentException", "Could not parse request body into json: it is no JSON"}
	// The words are this package's.
	errRecursive = &invokeError{http.StatusBadRequest, "RecursiveInvocationException", fmt.Sprintf("The function was invoked %d times in one chain of invocations, and Lambda ends the chain. Set RecursiveLoop to Allow if that is meant.", maxChain)}
)

// invalid is the error for a parameter that breaks a rule of the API's model.
func invalid(value, parameter, rule string) error {
	return &invokeError{http.StatusBadRequest, "ValidationException", fmt.Sprintf("1 validation error detected: Value '%.200s' at '%s' failed to satisfy constraint: %s", value, parameter, rule)}
}

// tooLarge is the error for a payload beyond a limit. Its code on the wire is not
// that of the API Reference, which is RequestTooLargeException.
func tooLarge(event bool, limit int) error {
	text := "Request must be smaller than %d bytes for the InvokeFunction operation"
	if event {
		text = "The payload is too large for the Event invocation type (limit %d bytes)"
	}
	return &invokeError{http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", fmt.Sprintf(text, limit)}
}

// refuse answers with an error, as the protocol restJson1 has it.
func refuse(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*invokeError](err)
	if missing, is := errors.AsType[*NotFoundError](err); is {
		e, ok = &invokeError{http.StatusNotFound, "ResourceNotFoundException", "Function not found: " + missing.ARN}, true
	}
	if !ok {
		e = &invokeError{http.StatusInternalServerError, "ServiceException", fmt.Sprintf("%.1000s", err)}
	}
	whose := "User"
	if e.status >= http.StatusInternalServerError {
		whose = "Service"
	}
	body, _ := json.Marshal(struct{ Type, Message string }{whose, e.message}) // strings always marshal
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", e.code)
	w.WriteHeader(e.status)
	_, _ = w.Write(body)
}
