// Package page shows the life of a stack as a page of HTML: for each operation a lane a resource,
// with its statuses as bars, requests and answers as marks, and faults where they struck; below it
// each handler's requests, answers and logs.
//
// A page can be read without a network or scripts. It shows everything as text, even markup:
// html/template escapes it, and the Content-Security-Policy lets no script run but the page's own.
package page

import (
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Story has the contents of a page: all that is known of the stacks of one name.
type Story struct {
	// Stacks are the stacks, the oldest first, as they can be shown; all but the last were deleted.
	Stacks []*engine.Stack
	Beside []engine.Note // notes beside the rows, in the order of time
	Left   []Left        // resources that exist, or may exist, and belong to no stack

	Title string // "" is the name of the stack
	Facts []Fact // shown before the operations
	Next  string // the next step; may be ""

	// Hide removes secrets from events, answers and logs. Nil leaves them as they are.
	Hide func(text []byte) []byte
	// Clock writes a time; nil is the time of day in UTC.
	Clock func(time.Time) string
	// Log is the file with the handlers' whole logs; may be "".
	Log string
	// Served means that the page has an address: it links to the list of stacks, and
	// follows the stack while an operation is in progress.
	Served bool
}

// Left is a resource that exists, or may exist, and belongs to no stack.
type Left struct {
	Name string // its resource's, as seen from the root stack; may be ""
	Text string
}

// A Fact is shown before the operations.
type Fact struct {
	Name, Text string
	Code       bool // the Text is to be copied as it is
}

// A View is what a page shows: plain data. Secrets are hidden in it already; any text can
// still hold markup.
type View struct {
	Title          string
	Status, Reason string
	Class          string // of the status; see class
	ID             string
	Facts          []Fact
	Operations     []Operation
	Left           []Left
	Settled        bool // no operation is in progress: the resources left behind are known
	Next, Log      string
	Served         bool
	Live           bool // an operation is in progress, and the page follows it
}

// An Operation is one operation on a stack, until the stack is at rest again.
type Operation struct {
	Number        int
	Name          string // Create, Update, and so on
	Status, Class string // the latest
	Began, Took   string
	Lanes         []Lane
	StandIns      []Lane // of resources without requests; folded
	Untouched     int    // resources without a row
	Ticks         []Tick
	Waits         []Wait
	Entries       []Entry
	Rows          []Row
}

// A Lane is a resource in one operation.
type Lane struct {
	Name, Label string // the full name, and its part after the names of nested stacks
	Type        string
	Former      string // the former physical ID, of a replaced resource
	Said        string // the lane in words
	Bars        []Bar
	Requests    []Mark
	Left        bool   // it left something behind
	Inner       []Lane // of a nested stack
	Open        bool   // they are not folded: something in them failed
	notable     bool   // it is not folded
}

// A Bar is a status, from one place to another. Places are percentages.
type Bar struct {
	X, Width      float64
	Class, Status string
	Wide, Narrow  string // as much of the status as a wide page and a narrow one have room for
	About         string
}

// A Mark is a request on a lane, from being sent to being answered.
type Mark struct {
	ID       string // of the request's entry
	X, End   float64
	Class    string // of its outcome
	Open     bool   // its answer is still awaited
	Unread   bool   // nobody answered, or nobody read it
	About    string
	Calls    []Point // invocations after the first: of a chain, or retries
	Faults   []Point
	LateAt   float64
	CameLate bool
}

// A Point is something that happened at a place.
type Point struct {
	X     float64
	Class string
	About string
}

// A Tick is a time on the scale.
type Tick struct {
	X    float64
	Text string
	End  bool // it stands at the right
}

// A Wait is a time that is shortened on the scale.
type Wait struct {
	X, Width float64
	Text     string
	Skipped  bool
}

// An Entry is a request, or a note about none.
type Entry struct {
	ID, At  string
	Note    string          // all of a note
	Kind    engine.NoteKind // of a note
	Request string          // Create, Update, Delete
	Changed string          // the names of an Update's properties
	Name    string
	Physical,
	Outcome, Class, Took string
	Event   string // as JSON
	Answers []Answer
	Reason  string
	Calls   []Line // invocations, faults
	Logged  []string
	More    int // lines that are not shown
}

// An Answer is an answer, and what happened to it.
type Answer struct{ What, Text string }

// A Line is something that happened to a request.
type Line struct {
	At, Text string
	Class    string
}

// A Row is one of the stack's events.
type Row struct {
	At, Name, Type, Status, Class, Physical, Reason string
}
