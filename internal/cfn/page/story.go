package page

import (
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Story is what a page is made of: all that is known of the stacks of one name.
type Story struct {
	// Stacks are the stacks, the oldest first, as they can be shown; all but the last were deleted.
	Stacks []*engine.Stack
	Beside []Note // what the rows do not tell, in the order of time
	Left   []Left // what exists, or may exist, and belongs to no stack

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

// A Note is something that happened, and that a stack's events do not tell.
type Note struct {
	At      time.Time
	Kind    Kind
	StackID string        `json:",omitempty"` // of the root stack
	Request string        `json:",omitempty"` // the RequestId of what it is about; may be ""
	Text    string        `json:",omitempty"`
	Skipped time.Duration `json:",omitempty"` // of a Skip
}

// A Kind is what a Note is about.
type Kind string

const (
	Fault  Kind = "fault"  // a fault strikes; the Text is its name
	Told   Kind = "told"   // the Text says it all
	Skip   Kind = "skip"   // a wait took no time
	Call   Kind = "call"   // an invocation begins
	Return Kind = "return" // an invocation has ended well
	Broke  Kind = "broke"  // an invocation has failed; the Text says how
	Wrote  Kind = "wrote"  // a line of a handler's log
	Late   Kind = "late"   // an answer came when nobody waited for it
	Lost   Kind = "lost"   // an answer was lost
)

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
