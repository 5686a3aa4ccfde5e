package host

// A Fault is something that goes wrong with an event, though the function may be in order.
type Fault string

// The faults. Throttle, CrashBefore and CrashAfter are used up by one attempt
// each, in their order; the others are for the event as a whole.
const (
	// Redeliver delivers the event once more after it succeeded, which the queue
	// can do at any time.
	Redeliver Fault = "redeliver"
	// Duplicate delivers the event twice at once, to two processes.
	Duplicate Fault = "duplicate"
	// Lose takes the event out of the queue: no process ever gets it.
	Lose Fault = "lose"
	// Throttle has no room for the event.
	Throttle Fault = "throttle"
	// CrashBefore kills the process before it gets the event: the handler sees nothing of it.
	CrashBefore Fault = "crash-before"
	// CrashAfter kills the process when it returns: all that the handler does is
	// done, and Lambda does not know it.
	CrashAfter Fault = "crash-after"
)
