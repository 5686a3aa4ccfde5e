package response

import "context"

// A Sender delivers answers. It must be safe for concurrent use.
type Sender interface {
	// Send delivers body, which [Answer.Encode] made, to url, and tries again
	// where that can help, until ctx ends. It returns nil only once the answer
	// is delivered. No error may hold the URL's query. A dispatcher redacts
	// secrets out of an error's text, and cuts it, before it shows it.
	Send(ctx context.Context, url URL, body []byte) error
}

// A Connector is what a [Sender] can also be: it judges a URL, and connects to
// it, before there is an answer.
type Connector interface {
	// Check reports, without any network, whether answers may go to url.
	Check(url URL) error
	// Connect makes ready to send to url, and returns an error if there is no
	// way there. An answer can still be sent after an error.
	Connect(ctx context.Context, url URL) error
}
