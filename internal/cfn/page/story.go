package page

import (
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Story is what a page is made of: all that is known of the stacks of one name.
type Story struct {
	// Stacks are the stacks, the oldest first, as they can be shown; all but the last were deleted.
	Stacks []*engine.Stack
	Beside []engine.Note // what the rows do not tell, in the order of time
	Left   []Left        // what exists, or may exist, and belongs to no stack

	Title string // "" is the name of the stack
	Facts []Fact // what is said before the operations
	Next  string // what can be done; may be ""

	// Hide takes secrets out of events, answers and what was logged. Nil leaves them as they are.
	Hide func(text []byte) []byte
	// Clock writes a time; nil is the time of day in UTC.
	Clock func(time.Time) string
	// Log is where more of what handlers wrote is; may be "".
	Log string
	// Served says that the page has an address: it links to the list of stacks, and
	// follows the stack while an operation is in progress.
	Served bool
}

// Left is something that exists, or may exist, and belongs to no stack.
type Left struct {
	Name string // its resource's, as seen from the root stack; may be ""
	Text string
}

// A Fact is something to be known before the rest.
type Fact struct {
	Name, Text string
	Code       bool // the Text is to be copied as it is
}
