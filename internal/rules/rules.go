// Package rules says what an event leads to: which of the handler's methods are
// called, in which order, and what is answered. It does no I/O, keeps no time
// and starts nothing. What it wants done it asks of an [Effects], and what it
// decides stands in tables: updates, refusals, phases, undoings, removals and
// failedIDs.
// Package cfnresource does what is asked, and decides nothing.
//
// The facts about CloudFormation that the rules rest on, and what was weighed,
// are in docs/design.
package rules

import "github.com/cfnresource/sdk-go/lifecycle"

// Facts are what is known of an event before anything is done for it.
type Facts struct {
	Type lifecycle.Request
	// ID is the event's physical ID. It is "" for a Create, and for an Update
	// or Delete of what was never created.
	ID        string
	Generated bool // ID has the shape of those that CloudFormation makes up

	Stable    string // the StableID of the event's properties, "" if they cannot be read
	OldStable string // and of an Update's old properties
	Identity  Identity

	Finds bool // the handler has Find
	Makes bool // the handler makes something that can be deleted
	Late  bool // the event is so old that the stack may have gone on without it

	Continues bool  // a call that only waits may go on in another invocation
	Chain     Chain // what the invocations before this one say; a Delete's Created nothing
	Expired   bool  // CloudFormation has stopped waiting for what the chain does

	Problems Problems // of the event's properties
	// Refused is the zero Outcome, or why the handler must not be called.
	Refused Outcome
}

// Identity compares the properties tagged createOnly with the old ones.
type Identity int

const (
	Same Identity = iota
	Differs
	Incomparable // one side is missing or cannot be read
)

// Effects are what the rules can have done. A method tries again by itself
// what its doc says, and nothing else.
type Effects interface {
	// Find asks the handler's Find for the resource that the properties of one
	// side describe. at is the ID to read directly before searching, or "".
	// Failures that may pass are tried again.
	Find(of Side, at string) (id string, o Outcome)
	// Create calls the handler's Create, once. replaces is the ID of the
	// resource that the new one replaces, or "".
	Create(replaces string) Outcome
	// Update calls the handler's Update. Failures that pass are tried again
	// until the deadline.
	Update(id string, how How) Outcome
	// Delete calls the handler's Delete; with once a single time, else like
	// Update.
	Delete(id string, once bool) Outcome
	// Phase asks the stack why the event came, as of now. made is the ID of
	// what this event made and may have to delete again, or "".
	Phase(made string) Phase
	// Continue sends the event to another invocation, with what it is to know. It
	// ends with Done, with Failed if the event was surely not sent, or with
	// Unknown.
	Continue(Chain) Outcome
	// Wait waits for a moment, or for as long as there is time. It returns
	// false if that changes nothing: the moment was past before the first look,
	// or no time is left.
	Wait(Moment) bool
}

// Side says whose properties Find is asked with.
type Side int

const (
	New Side = iota
	Old
)

// How says how Update is called.
type How int

const (
	InPlace  How = iota
	Changed      // with IdentityChanged set
	Adopting     // with Adopted set
)

// Moment is what Wait waits for.
type Moment int

const (
	// Lag is FindLag after the event's birth, when searches show what was made
	// before it.
	Lag Moment = iota
	// CreateOver is when no Create that is older than the event can still run,
	// and in a handler with Find FindLag more.
	CreateOver
	// NextTry is the end of the pause before a call's next try.
	NextTry
	// NextUndo is the same, but only until five seconds after the first try
	// failed.
	NextUndo
)

// Outcome is how a call ended.
type Outcome struct {
	End   End
	ID    string // what Create named with Created, or the ID of AlreadyExists
	Asked bool   // Create asked for its StableID
	Slow  bool   // so long after the event's birth that it may have been given up
	Why   string // of a failure
}

// End is the way in which a call ended.
type End int

const (
	Done      End = iota
	Failed        // with a code that is none of the following
	Uncoded       // with an error that has no code
	Gone          // NotFound
	Invalid       // InvalidRequest
	Exists        // AlreadyExists
	Throttled     // Throttling: nothing was done
	Passing       // another code that passes; only where it was not to be tried again
	Unusable      // Create named an ID that CloudFormation cannot keep
	Unknown       // a panic, no time, or no return: it may have taken effect
	Waits         // the invocation ended while the call only waited, and another may go on with it
)

// Answer is what is answered to CloudFormation.
type Answer struct {
	OK  bool
	ID  string
	Why string // of a failure
	// Later means that this invocation answers nothing, since another one goes on
	// with the event. If Why says that it is not known whether there will be one,
	// the invocation has to fail: then the event is delivered again.
	Later bool
}

// event is an event on its way to its answer.
type event struct {
	Facts
	do    Effects
	start Phase // why the event came, as of the first time that it was asked
	asked bool
}

// Handle leads an event to its answer.
func Handle(f Facts, do Effects) Answer {
	e := &event{Facts: f, do: do, start: f.Chain.Began, asked: f.Chain.Links > 0}
	r := e.handle()
	if r.waits {
		r = e.goOn(r)
	}
	return e.answer(r)
}

func (e *event) handle() result {
	if e.Refused.End == Unknown {
		return failure(e.Refused, Maybe)
	}
	if e.Refused.End != Done {
		return failure(e.Refused, Nothing)
	}
	if e.Type == lifecycle.Delete && e.ID == "" {
		return success("")
	}
	now, yes := e.awaited()
	if !yes {
		return e.stopped(now)
	}
	if why := e.refusal(); why != "" {
		return e.failed(result{why: why}, now)
	}
	switch {
	case e.Type == lifecycle.Delete:
		return e.delete()
	case e.Chain.Created != "":
		return e.finish()
	case e.ID == "":
		return e.create()
	default:
		return e.update()
	}
}

// replaces reports whether what the event makes is put in the place of what is
// there.
func (e *event) replaces() bool { return e.ID != "" && e.Type != lifecycle.Delete }

// find asks Find, if there is one.
func (e *event) find(of Side, at string) (id string, o Outcome) {
	if !e.Finds {
		return "", Outcome{}
	}
	return e.do.Find(of, at)
}
