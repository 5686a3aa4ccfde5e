package cfnresource

import (
	"errors"
	"time"
)

// RetryAfter returns err with the time before which its call is not to be tried again, as a service
// says in its Retry-After. It has an effect only if err has a code that is tried again, such as
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
