package blackbox

import (
	"fmt"
	"time"
)

// A testCase is a history of one resource, and what must come of it.
type testCase struct {
	name    string
	kind    string        // of handler; "" is named
	region  string        // "" is us-west-2
	timeout time.Duration // of the function; 0 is 8 s, of which less than one is for the answer
	env     []string      // beside the usual
	hosts   []string      // that lead to the bucket beside CloudFormation's
	latency time.Duration // of the network, one way
	fresh   bool          // a new process for each delivery
	things  string        // how many things there are in the end; "" is any number
	// ours is a promise that the incumbent never made: not compared.
	ours  bool
	steps []step
}

// A step is an event, what goes wrong around it, and what must come of it.
type step struct {
	event
	also     []event // in the same notification
	sns      bool    // comes as a notification
	faults   []fault // of the bucket, request by request
	connects []fault // of the way to it, connection by connection
	down     int     // in so many attempts there is no network
	silent   int     // in so many attempts S3 never answers

	status   string         // SUCCESS, FAILED, or one of those below
	id       string         // see wantID
	replaces bool           // the answer's ID may differ from the event's
	reason   []string       // what the Reason, or for nobody the log, has in it
	data     map[string]any // attributes that the answer has
	noEcho   bool           //
	calls    string         // of the handler; "*" is any
	attempts int            // of Lambda's; 0 is one, -1 any number
	record   bool           // the last word is the on-failure destination's
	within   time.Duration  // the answer took no longer
}

const (
	// either is an answer of either status.
	either = "either"
	// orNone is an event that CloudFormation never sends: no answer is as good.
	orNone = "either, or none"
	// nobody is an event that cannot be answered by anybody. It must be
	// refused at once, with an error, and nothing may be called or sent.
	nobody = "nobody"
	// late is an event that CloudFormation no longer waits for, and whose
	// answer the bucket does not take. Nothing may be called.
	late = "late"
)

// A result is what a case showed.
type result struct {
	hung, refused, changed int
	wrong                  []string // everything, also the above, in words
}

func (r *result) fault(format string, args ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}
