package host

import (
	"time"
)

// An Event reports what happened to an event on its way to a function.
type Event struct {
	At        time.Time // by Config.Clock
	Kind      Kind
	Function  string        // its name, or the topic's
	RequestID string        // as Invoke has returned it
	Attempt   int           // 1, 2, 3; 0 if it is not about one
	PID       int           // of the process, if it is about one
	Overtime  time.Duration // how much longer than the timeout it took, if the timeout was multiplied ([Allow])
	Skipped   time.Duration // the part of its time that was skipped, since the function does not get ready
	Next      time.Time     // of the next attempt, for Retrying and Throttled
	Text      string        // details: the type and message of an error, a destination, who sent the event
	Payload   []byte        // the event that it is about; not to be changed
}

// A Kind is what happened.
type Kind string

// The kinds. For one attempt, Started comes if no process is free, then Invoked, then the outcome, and
// after a failure Retrying, Recorded or Dropped.
const (
	Started    Kind = "Started"    // a process was started
	NotReady   Kind = "NotReady"   // for five seconds the process has not asked for the event; Text is its command, and it is reported once a function
	Invoked    Kind = "Invoked"    // the event was given to a process
	Succeeded  Kind = "Succeeded"  // the function returned a response
	Errored    Kind = "Errored"    // the function returned an error
	Crashed    Kind = "Crashed"    // the process ended while it had the event
	TimedOut   Kind = "TimedOut"   // the process was killed at the function's timeout
	InitFailed Kind = "InitFailed" // the process ended before it asked for an event
	Throttled  Kind = "Throttled"  // there was no room, and the event went back to the queue
	Retrying   Kind = "Retrying"   // the event failed, and will be tried again
	Recorded   Kind = "Recorded"   // Lambda gives up the event, and sends a record of it to the destination in Text
	Refused    Kind = "Refused"    // Lambda does not accept the event, for the reason in Text
	Dropped    Kind = "Dropped"    // the event is given up, for the reason in Text, without a record
	Sent       Kind = "Sent"       // the function in Text has sent the event to this one
	Looped     Kind = "Looped"     // Lambda gives up the event: its function was invoked too often in one chain
	Delivering Kind = "Delivering" // the event is delivered once more, though nothing failed
)

// A LogLine is a line that a process of a function has written to its standard output or error. It
// can come after the event that says how its invocation ended.
type LogLine struct {
	Function string
	Payload  []byte // of the process's latest invocation, nil before the first; not to be changed
	Text     string // without the line's end; lines of more than 256 kB come in parts
}

func (h *Host) report(e Event) {
	if h.config.Event == nil {
		return
	}
	h.reporting.Lock()
	defer h.reporting.Unlock()
	e.At = h.config.Clock.Now()
	h.config.Event(e)
}
