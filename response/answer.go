package response

import "context"

// MaxBytes is the size of the largest answer that CloudFormation accepts, in bytes of the encoded
// body. A longer one fails the resource at once with "Response object is too long."
const MaxBytes = 4096

// A Status reports whether the request succeeded.
type Status string

// The two statuses that CloudFormation knows. Any other fails the resource
// with "Invalid Response object".
const (
	Success Status = "SUCCESS"
	Failed  Status = "FAILED"
)

// An Answer is the one response object that CloudFormation waits for after it
// has sent a custom resource request. [Answer.Encode] makes its body.
type Answer struct {
	// Status is Success or Failed.
	Status Status

	// Reason appears in the stack's events. Encode shortens it if the answer is too large, and
	// removes what the DescribeStackEvents API cannot show: line ends and tabs become a space,
	// other control characters nothing. CloudFormation requires a Reason with Failed, so an empty
	// one becomes a default text.
	Reason string

	// LogPointer says where to read more, such as a log stream. It follows the
	// Reason, after a space, and survives its shortening. With Success and an
	// empty Reason it is omitted.
	LogPointer string

	// PhysicalResourceID names the resource; Ref returns it. An answer without it fails with
	// "Invalid PhysicalResourceId", whatever its Status and Reason. Another ID than the request's
	// tells CloudFormation, on Update, that the resource was replaced. AWS documents a limit of 1
	// KB, which Encode leaves to CloudFormation to judge.
	PhysicalResourceID string

	// StackID, RequestID and LogicalResourceID are copies of the request's.
	StackID, RequestID, LogicalResourceID string

	// NoEcho makes CloudFormation show Data as *****. It is part of a Success only.
	NoEcho bool

	// Data is what Fn::GetAtt returns: it looks up literal keys, so that of
	// {"a": {"b": 1}} it finds "a", but not "a.b". encoding/json must be able to
	// encode the values. Data is part of a Success only.
	Data map[string]any
}

// A Sender delivers answers. It must be safe for concurrent use.
type Sender interface {
	// Send delivers body, which [Answer.Encode] made, to url, and tries again where that can help,
	// until ctx ends. It returns nil only once the answer is delivered. No error may hold the URL's
	// query. A dispatcher redacts secrets out of an error's text, and cuts it, before it shows it.
	Send(ctx context.Context, url URL, body []byte) error
}

// A Connector is a [Sender] that can also check a URL, and connect to it, before
// there is an answer.
type Connector interface {
	// Check reports, without any network, whether answers may go to url.
	Check(url URL) error
	// Connect opens a connection for an answer to url. After an error, an answer can still be sent.
	Connect(ctx context.Context, url URL) error
}
