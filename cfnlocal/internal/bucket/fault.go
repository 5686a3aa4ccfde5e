package bucket

import "net/http"

// A Fault is something that goes wrong with one request to a URL. Those that
// answer with an error store nothing.
type Fault string

// The faults. Each is met by one request, whatever it would have come to else.
const (
	InternalError       Fault = "500"      // 500 InternalError, which S3 asks to try again
	SlowDown            Fault = "503"      // 503 SlowDown: there are too many requests
	Expired             Fault = "expired"  // 403 AccessDenied, Request has expired
	Reset               Fault = "reset"    // the connection is reset when the body has come
	LostAcknowledgement Fault = "lost-ack" // the body is stored and the connection reset: the client cannot know
)

// answer is the error that a fault answers with, or nil if it does something else.
func (f Fault) answer(b *Bucket) *s3Error {
	switch f {
	case InternalError:
		return refusal(http.StatusInternalServerError, "InternalError", "We encountered an internal error. Please try again.")
	case SlowDown:
		return refusal(http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
	case Expired:
		now := b.config.Now()
		return expired(now, now)
	default:
		return nil
	}
}
