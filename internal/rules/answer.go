package rules

import (
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// Left is what a failed event leaves behind, said where it is known.
type Left int

const (
	Nothing   Left = iota
	Maybe          // something may be there, under the StableID or where Find finds it
	Made           // by this event
	Adopted        // it was there before
	Undone         // made, and deleted again
	Abandoned      // made, and left: the stack goes back, or somebody else may use it
)

// A result is what an event led to.
type result struct {
	ok    bool
	id    string // of the resource; of a failure, of what is left
	why   string
	left  Left
	waits bool // a failure only because the invocation ended
	later bool // another invocation answers
}

func success(id string) result { return result{ok: true, id: id} }

func failure(o Outcome, left Left) result {
	return result{id: o.ID, why: o.Why, left: left, waits: o.End == Waits}
}

// fails is a failure that leaves what there was before: the event's ID is answered,
// or that of what this event made.
func fails(o Outcome) result { return result{why: o.Why, waits: o.End == Waits} }

const overtaken = "CloudFormation has given this request up: the stack goes back"

// givenUp leaves what an earlier delivery may have made.
func givenUp() result {
	return result{left: Maybe, why: "CloudFormation no longer waits for this request: the stack has gone on. It was not handled"}
}

// A kind is what an event does with the event's ID.
type kind int

const (
	creating kind = iota // there is none yet
	updating             // what it makes is put in its place
	deleting
)

// A failed is a failed event and what it left.
type failed struct {
	kind kind
	left Left
}

// An id names the ID of an answer.
type id int

const (
	theEvents id = iota + 1 // the documented way back: CloudFormation goes on with what it has
	marker                  // physicalid.NotCreated: its Delete does nothing
	stable                  // the StableID: its Delete finds what there is
	its                     // of what is left
)

// failedIDs are the IDs of FAILED answers: those that lead CloudFormation's next
// request to what there is.
var failedIDs = map[failed]id{
	{creating, Nothing}:   marker,
	{creating, Maybe}:     stable,
	{creating, Made}:      its,
	{creating, Adopted}:   its,
	{creating, Undone}:    its,
	{creating, Abandoned}: its,

	{updating, Nothing}:   theEvents,
	{updating, Maybe}:     theEvents,
	{updating, Made}:      its,
	{updating, Adopted}:   theEvents,
	{updating, Undone}:    theEvents,
	{updating, Abandoned}: theEvents,

	{deleting, Nothing}: theEvents,
	{deleting, Maybe}:   theEvents,
}

// answer is a result as CloudFormation gets it.
func (e *event) answer(r result) Answer {
	if r.ok && r.id == "" {
		return Answer{OK: true, ID: physicalid.NotCreated}
	}
	if r.ok {
		return Answer{OK: true, ID: r.id}
	}
	if r.later {
		return Answer{Later: true, Why: r.why}
	}
	k := creating
	switch {
	case e.Type == lifecycle.Delete:
		k = deleting
	case e.replaces():
		k = updating
	}
	if made := e.Chain.Created; made != "" && r.left < Undone { // whatever failed since
		r.id, r.left = made, Made
	} else if e.Chain.Links > 0 && r.left == Nothing { // an invocation before this one may have
		r.left = Maybe
	}
	a := Answer{Why: r.why}
	switch failedIDs[failed{k, r.left}] {
	case its:
		a.ID = r.id
	case stable:
		a.ID = e.Stable
	case theEvents:
		a.ID = e.ID
	}
	if a.ID == "" {
		a.ID = physicalid.NotCreated
	}
	return a
}
