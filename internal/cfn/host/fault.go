package host

import "fmt"

// A Fault is something that goes wrong with an event, though the function may
// be in order.
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
	// Late keeps the event in the queue for Config.LateBy before its first
	// attempt.
	Late Fault = "late"
	// Throttle has no room for the event.
	Throttle Fault = "throttle"
	// CrashBefore kills the process before it gets the event: the handler sees
	// nothing of it.
	CrashBefore Fault = "crash-before"
	// CrashAfter kills the process when it returns: all that the handler does is
	// done, and Lambda does not know it.
	CrashAfter Fault = "crash-after"
)

// Faults lists all faults, each with what it does.
func Faults() []struct{ Name, Does string } {
	return []struct{ Name, Does string }{
		{string(Redeliver), "Lambda delivers the event again after it succeeded"},
		{string(Duplicate), "Lambda delivers the event twice at once"},
		{string(Lose), "Lambda never delivers the event"},
		{string(Late), "Lambda delivers the event late"},
		{string(Throttle), "Lambda has no room for the event and tries again"},
		{string(CrashBefore), "the process dies before the handler sees the event"},
		{string(CrashAfter), "the process dies after the handler has done its work"},
	}
}

// ParseFault returns the fault of a name.
func ParseFault(name string) (Fault, error) {
	for _, f := range Faults() {
		if f.Name == name {
			return Fault(name), nil
		}
	}
	return "", fmt.Errorf("host: there is no fault %.40q", name)
}
