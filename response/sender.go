package response

import "context"

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
