package blackbox

import "time"

// A testCase is a sequence of events about one resource, with the expected results.
type testCase struct {
	name       string
	kind       string        // of handler; "" is named
	region     string        // "" is us-west-2
	timeout    time.Duration // of the function; 0 is 8 s, of which less than one is for the answer
	env        []string      // beside the usual
	hosts      []string      // that lead to the bucket beside CloudFormation's
	latency    time.Duration // of the network, one way
	newProcess bool          // a new process for each delivery
	thingsLeft string        // how many things there are in the end; "" is any number
	steps      []step
}

// A step is an event with its faults and the expected result.
type step struct {
	event
	also              []event // in the same notification
	sns               bool    // comes as a notification
	faults            []fault // of the bucket, request by request
	connects          []fault // of the way to it, connection by connection
	attemptsOffline   int     // the number of first attempts without a network
	attemptsWithoutS3 int     // the number of first attempts that S3 does not answer

	status                string         // SUCCESS, FAILED, or one of those below
	id                    string         // see wantID
	replaces              bool           // the answer's ID may differ from the event's
	reason                []string       // substrings of the Reason, or of the log if there is no answer
	data                  map[string]any // attributes that the answer has
	noEcho                bool           //
	calls                 string         // of the handler; "*" is any
	attempts              int            // of Lambda's; 0 is one, -1 any number
	answeredByDestination bool           // whether the on-failure destination answers
	maxTime               time.Duration  // the maximum until the answer; 0 is any
}

const (
	// either is an answer with either status.
	either = "either"
	// eitherOrNone is for an event that CloudFormation never sends: an answer with
	// either status, or none.
	eitherOrNone = "either, or none"
	// unanswerable is for an event that cannot be answered. The invocation must fail
	// at once, without calls of the handler and without requests.
	unanswerable = "nobody"
	// expired is for an event that CloudFormation no longer waits for, and whose URL
	// has expired. The handler must not be called.
	expired = "late"
)
