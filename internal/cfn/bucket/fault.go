package bucket

import (
	"fmt"
	"net/http"
)

// A Fault is something that goes wrong with one request to a URL. Those that
// answer with an error store nothing.
type Fault string

// The faults. Each is met by one request, whatever it would have come to else.
const (
	InternalError       Fault = "500"      // 500 InternalError, which S3 asks to try again
	SlowDown            Fault = "503"      // 503 SlowDown: there are too many requests
	Denied              Fault = "403"      // 403 AccessDenied: a policy forbids it
	Expired             Fault = "expired"  // 403 AccessDenied, Request has expired
	Reset               Fault = "reset"    // the connection is reset when the body has come
	Slow                Fault = "slow"     // the answer takes Config.SlowBy, and then all is well
	Hang                Fault = "hang"     // the body is read, and there is never an answer
	LostAcknowledgement Fault = "lost-ack" // the body is stored and the connection reset: the client cannot know
)

// Faults lists all faults, each with what it does.
func Faults() []struct{ Name, Does string } {
	return []struct{ Name, Does string }{
		{string(InternalError), "S3 answers 500 InternalError"},
		{string(SlowDown), "S3 answers 503 SlowDown"},
		{string(Denied), "S3 answers 403 AccessDenied"},
		{string(Expired), "S3 answers that the URL has expired"},
		{string(Reset), "the connection to S3 is reset"},
		{string(Slow), "S3 takes its time"},
		{string(Hang), "S3 never answers"},
		{string(LostAcknowledgement), "S3 stores the answer and the connection is reset"},
	}
}

// ParseFault returns the fault of a name.
func ParseFault(name string) (Fault, error) {
	for _, f := range Faults() {
		if f.Name == name {
			return Fault(name), nil
		}
	}
	return "", fmt.Errorf("bucket: there is no fault %.40q", name)
}

// answer is the error that a fault answers with, or nil if it does something
// else.
func (f Fault) answer(b *Bucket) *s3Error {
	switch f {
	case InternalError:
		return refusal(http.StatusInternalServerError, "InternalError", "We encountered an internal error. Please try again.")
	case SlowDown:
		return refusal(http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
	case Denied:
		return refusal(http.StatusForbidden, "AccessDenied", "Access Denied")
	case Expired:
		now := b.config.Now()
		return expired(now, now)
	default:
		return nil
	}
}
