// Package rules says what an event leads to: which of the handler's methods are called, in which
// order, and what is answered. Its decisions are tables: updates, refusals, phases, staleStarts,
// undoRules, chainSteps, removals and failedIDs. It does no I/O, measures no time and starts no
// goroutine: an [Effects], which package cfnresource implements, does what it decides.
//
// docs/design has the facts about CloudFormation that the rules rest on.
package rules

import "github.com/cfnresource/sdk-go/lifecycle"

// Facts are what is known of an event before anything is done for it.
type Facts struct {
	Type lifecycle.RequestType
	// ID is the event's physical ID. It is "" for a Create, and for an Update
	// or Delete of what was never created.
	ID        string
	Generated bool // ID has the shape of those that CloudFormation makes up

	StableID    string // the StableID of the event's properties, "" if they cannot be read
	OldStableID string // and of an Update's old properties
	Identity    Identity

	Finds bool // the handler has Find
	Makes bool // the handler makes something that can be deleted
	Late  bool // the event is so old that the stack may have gone on without it

	Continues bool  // another invocation may continue a call that only waits
	Chain     Chain // what the invocations before this one say; a Delete's CreatedID is empty
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

// Effects are what the rules can have done. A method retries only what its comment says.
type Effects interface {
	// Find asks the handler's Find for the resource that the properties of one side describe. at is
	// the ID to read directly before searching, or "". Transient failures are retried.
	Find(of Side, at string) (id string, o Outcome)
	// Create calls the handler's Create, once. replaces is the ID of the
	// resource that the new one replaces, or "".
	Create(replaces string) Outcome
	// Update calls the handler's Update. Transient failures are retried until the deadline.
	Update(id string, how How) Outcome
	// Delete calls the handler's Delete: a single time if once is set, otherwise as Update does.
	Delete(id string, once bool) Outcome
	// Phase says why the event came, as of when the first invocation asked. The stack is
	// asked once. The answer is remembered, until a later one shows that it was [Stale].
	Phase() Phase
	// PhaseNow asks the stack again. made is the ID of what this event made and may
	// have to delete again, or of what a Delete is about to delete; or "".
	PhaseNow(made string) Phase
	// Continue sends the event to another invocation, with a Chain for it. The
	// Outcome is Done, Failed if the event was certainly not sent, or Unknown.
	Continue(Chain) Outcome
	// Wait waits for a moment, or for as long as there is time. It returns false if another look is
	// of no use: the moment was past before the first look, or no time is left.
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
	// Lag is FindLag after the event was sent: from then on, searches show what
	// was made before the event.
	Lag Moment = iota
	// CreateOver is when no Create can still run that began before the event arrived,
	// or with it; in a handler with Find, it is FindLag later.
	CreateOver
	// NextTry is the end of the pause before a call's next try.
	NextTry
	// NextUndo is the same, but only until five seconds after the call that failed, or
	// after OtherAnswers.
	NextUndo
	// NextAnswer is the pause before the stack is asked again, since it may show
	// late what it does: one second, and two more. There is no third one.
	NextAnswer
	// OtherAnswers is five seconds after a replacement failed: by then the stack shows what another
	// delivery of it was answered with. Half of the time that is left is kept for the undo.
	OtherAnswers
)

// Outcome is how a call ended.
type Outcome struct {
	End          End
	ID           string // what Create named with Created, or the ID of AlreadyExists
	UsedStableID bool   // Create asked for its StableID
	Slow         bool   // so long after the event was sent that it may have been given up
	Reason       string // of a failure
}

// End is the way in which a call ended.
type End int

const (
	Done           End = iota
	Failed             // with a code that is none of the following
	NoCode             // with an error that has no code
	NotFound           // NotFound
	InvalidRequest     // InvalidRequest
	AlreadyExists      // AlreadyExists
	Throttled          // Throttling, or AccessDenied while the permission may be new: nothing was done
	Transient          // another code that is retried; only where the method does not retry
	InvalidID          // Create named an ID that CloudFormation cannot keep
	Unknown            // a panic, a timeout, or a call that did not return: it may have taken effect
	Waiting            // the invocation ended while the call only waited, and another may continue it
	Deleting           // the same in an undo, which is not continued: a try of the Delete's Poll returned no error
)

// Answer is what is answered to CloudFormation.
type Answer struct {
	OK     bool
	ID     string
	Reason string // of a failure
	// Continued means that this invocation answers nothing, since another one continues
	// the event. If Reason is set, it is not known whether there will be another one: the
	// invocation has to fail, so that Lambda delivers the event again.
	Continued bool
}

// event is an event that is being handled.
type event struct {
	Facts
	effects    Effects
	phaseAsked bool // by this invocation or by one before it
}

// Handle handles an event, and returns its answer.
func Handle(f Facts, do Effects) Answer {
	e := &event{Facts: f, effects: do, phaseAsked: f.Chain.Links > 0}
	r := e.handle()
	if r.waiting {
		r = e.continueChain(r)
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

	// Nothing is done for an event that CloudFormation no longer waits for, or whose properties are refused.
	now, yes := e.awaited()
	if !yes {
		return e.notAwaited(now)
	}
	if reason := e.refusal(); reason != "" {
		return e.chainFailed(result{reason: reason}, now)
	}

	// A later invocation finishes the thing that its chain has made.
	switch {
	case e.Type == lifecycle.Delete:
		return e.delete()
	case e.Chain.CreatedID != "":
		return e.finish()
	case e.ID == "":
		return e.create()
	default:
		return e.update()
	}
}

// replaces reports whether what the event makes replaces another resource.
func (e *event) replaces() bool { return e.ID != "" && e.Type != lifecycle.Delete }

// find calls Find, if the handler has it.
func (e *event) find(of Side, at string) (id string, o Outcome) {
	if !e.Finds {
		return "", Outcome{}
	}
	return e.effects.Find(of, at)
}
