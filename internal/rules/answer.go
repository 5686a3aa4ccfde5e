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
	ok       bool
	id       string // of the resource; of a failure, of what is left
	why      string
	left     Left
	replaces bool // the event would have replaced its resource
}

func success(id string) result { return result{ok: true, id: id} }

func failure(o Outcome, left Left) result { return result{id: o.ID, why: o.Why, left: left} }

// unchanged is a failed Delete or Update in place: it answers the event's ID.
func unchanged(o Outcome) result { return result{why: o.Why} }

const overtaken = "CloudFormation has given this request up: the stack goes back"

// givenUp leaves what an earlier delivery may have made.
func givenUp() result {
	return result{left: Maybe, why: "CloudFormation no longer waits for this request: the stack has gone on. It was not handled"}
}

// A kind is what a failed event was about to do with the event's ID.
type kind int

const (
	creating  kind = iota // there is none yet
	replacing             // put another one in its place
	keeping               // an Update in place, a Delete
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

	{replacing, Nothing}:   theEvents,
	{replacing, Maybe}:     theEvents,
	{replacing, Made}:      its,
	{replacing, Adopted}:   theEvents,
	{replacing, Undone}:    theEvents,
	{replacing, Abandoned}: theEvents,

	{keeping, Nothing}: theEvents,
	{keeping, Maybe}:   theEvents,
}

// answer is a result as CloudFormation gets it.
func (e *event) answer(r result) Answer {
	if r.ok && r.id == "" {
		return Answer{OK: true, ID: physicalid.NotCreated}
	}
	if r.ok {
		return Answer{OK: true, ID: r.id}
	}
	k := keeping
	if e.ID == "" && e.Type != lifecycle.Delete {
		k = creating
	} else if r.replaces {
		k = replacing
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
