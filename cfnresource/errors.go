package cfnresource

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cfnresource/sdk-go/internal/rules"
)

// A Code says what kind of failure an [Error] is. The codes are those of CloudFormation's resource
// type handlers ("Handler error codes" in the CloudFormation CLI guide). CloudFormation does not
// see them; the dispatcher acts on some.
type Code string

const (
	// CodeNotFound from Delete means that the resource does not exist, which is success.
	CodeNotFound Code = "NotFound"
	// CodeAlreadyExists from Create means that something of that name exists. In a handler with
	// Find, the dispatcher adopts what Find then returns. See [AlreadyExists], which says what exists.
	CodeAlreadyExists Code = "AlreadyExists"

	// CodeResourceConflict and the next three, from Update, Delete or Find, have the call tried
	// again, with backoff, until the deadline; see [RetryAfter]. Throttling from a Create means
	// that nothing was made: it is tried again too. [Retry] does the same for a single call.
	CodeResourceConflict     Code = "ResourceConflict"
	CodeThrottling           Code = "Throttling"
	CodeServiceInternalError Code = "ServiceInternalError"
	CodeNetworkFailure       Code = "NetworkFailure"

	// CodeAccessDenied has the call tried again as CodeThrottling does, also a Create, but only
	// until [Options].PermissionLag after the event was sent: a permission that was attached just
	// before is denied for a while. From a Create it means that nothing was made.
	CodeAccessDenied Code = "AccessDenied"

	// CodeInvalidRequest means that the service does not accept the properties, or the ID.
	CodeInvalidRequest Code = "InvalidRequest"
	// CodeNotUpdatable means that the change cannot be made in place.
	CodeNotUpdatable Code = "NotUpdatable"
	// CodeNotStabilized means that the resource did not get ready in time.
	CodeNotStabilized Code = "NotStabilized"
	// CodeInternalFailure means that the program is at fault.
	CodeInternalFailure Code = "InternalFailure"

	CodeInvalidCredentials      Code = "InvalidCredentials"
	CodeServiceLimitExceeded    Code = "ServiceLimitExceeded"
	CodeGeneralServiceException Code = "GeneralServiceException"

	// CodeInvalidTypeConfiguration means that the configuration of a registered type,
	// which an account sets with SetTypeConfiguration, is missing or wrong.
	CodeInvalidTypeConfiguration Code = "InvalidTypeConfiguration"
)

// codes are all handler error codes of CloudFormation, and what they mean to the
// rules. The last are not for handlers of custom resources.
var codes = map[Code]rules.End{
	CodeNotFound:                rules.NotFound,
	CodeAlreadyExists:           rules.AlreadyExists,
	CodeResourceConflict:        rules.Transient,
	CodeThrottling:              rules.Throttled,
	CodeServiceInternalError:    rules.Transient,
	CodeNetworkFailure:          rules.Transient,
	CodeInvalidRequest:          rules.InvalidRequest,
	CodeNotUpdatable:            rules.Failed,
	CodeNotStabilized:           rules.Failed,
	CodeInternalFailure:         rules.Failed,
	CodeAccessDenied:            rules.Failed,
	CodeInvalidCredentials:      rules.Failed,
	CodeServiceLimitExceeded:    rules.Failed,
	CodeGeneralServiceException: rules.Failed,

	CodeInvalidTypeConfiguration:   rules.Failed,
	"UnauthorizedTaggingOperation": rules.Failed,
	"HandlerInternalFailure":       rules.Failed,
	"NonCompliant":                 rules.Failed,
	"Unknown":                      rules.Failed,
	"UnsupportedTarget":            rules.Failed,
}

// Known reports whether c is one of CloudFormation's codes. A registered resource
// type may answer with no other.
func (c Code) Known() bool {
	_, ok := codes[c]
	return ok
}

// Transient reports whether a call that failed with c may succeed if it is tried again, however
// old the event is: c is CodeResourceConflict or one of the three that follow it.
func (c Code) Transient() bool {
	end := codes[c]
	return end == rules.Transient || end == rules.Throttled
}

// An Error is an error with a code.
type Error struct {
	Code Code
	Err  error
}

func (e *Error) Error() string {
	if e == nil || e.Err == nil {
		return string(CodeOf(e))
	}
	return e.Err.Error()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// Errorf returns an Error with a code and the text of [fmt.Errorf].
func Errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// CodeOf returns the code of the first [Error] that err wraps, or "". It does not guess from a
// service's errors. An error that wraps several, as [errors.Join] makes, has a code only if all of
// them have it: if one part of a resource is NotFound, the rest may exist.
func CodeOf(err error) Code {
	for {
		e, ok := err.(*Error)
		if ok && e != nil && e.Code != "" {
			return e.Code
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = u.Unwrap()
	}
	if e, ok := err.(interface{ Unwrap() []error }); ok {
		var code Code
		for i, branch := range e.Unwrap() {
			if c := CodeOf(branch); i == 0 {
				code = c
			} else if c != code {
				return ""
			}
		}
		return code
	}
	return ""
}

// AlreadyExists returns the error with which Create says that physicalID exists already, in this
// account. The dispatcher adopts it, by calling Update with Adopted set, if it is the request's
// StableID, or if Find returns it when it is asked again: an earlier delivery made it. Any other ID
// is somebody else's. Then the Create fails, and nothing is touched.
//
// If the service does not say which thing exists, return [Errorf] with [CodeAlreadyExists]. In a
// handler with Find, the dispatcher adopts whatever Find returns when it is asked again, as it does
// before a Create. In a handler without Find, the Create fails. A replacement fails if Find returns
// the resource that is to be replaced.
func AlreadyExists(physicalID string) error {
	return &Error{Code: CodeAlreadyExists, Err: &existsError{physicalID}}
}

type existsError struct{ physicalID string }

func (e *existsError) Error() string {
	return fmt.Sprintf("%s already exists and is not this resource's: choose another name, or delete it", e.physicalID)
}

// existingID returns the ID that an error made by AlreadyExists holds, or "". One
// that is joined with others says nothing of the whole.
func existingID(err error) (physicalID string) {
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*existsError); ok {
			return e.physicalID
		}
	}
	return ""
}

// errAdopted is the OldPropertiesErr of an Update that adopts.
var errAdopted = errors.New("there are no old properties: the resource existed before its Create, and how much of it exists is not known")

// A PropertyError says which property is wrong, and how, without its value.
type PropertyError struct {
	Path string // "Rules[2].Port"
	Err  error
}

func (e *PropertyError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *PropertyError) Unwrap() error { return e.Err }

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
// NotFound, 409 ResourceConflict, 429 Throttling, 500 and 503 ServiceInternalError, and so on.
// HTTPStatus keeps a code that err has already. If 409 means that a name is taken, pass
// [AlreadyExists], or without the ID [Errorf] with [CodeAlreadyExists]: the Create of a plain 409
// fails, whatever Find returns. For a status below 400, and for a nil err, it returns err.
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

// RetryAfter returns err with the time to wait before its call is tried again, as in a service's
// Retry-After. It has an effect only if err has a code that is tried again, such as
// [CodeThrottling]. If less time than d is left for the event, the call is not tried again.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &retryAfterError{err, d}
}

type retryAfterError struct {
	error
	after time.Duration
}

func (e *retryAfterError) Unwrap() error { return e.error }

// retryAfter returns what RetryAfter put into err, or 0.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*retryAfterError](err); ok {
		return max(e.after, 0)
	}
	return 0
}
