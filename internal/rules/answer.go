package rules

import (
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// Leftover is what a failed event leaves behind.
type Leftover int

const (
	Nothing   Leftover = iota
	Maybe              // something may be there, under the StableID or where Find finds it
	Made               // by this event
	Adopted            // it was there before
	Undone             // made, and deleted again
	Abandoned          // made, and not deleted: the stack rolls back, or the resource may be in use
)

// A result is what an event led to.
type result struct {
	ok        bool
	id        string // of the resource; of a failure, of what is left
	reason    string
	leftover  Leftover
	waiting   bool // it failed only because the invocation ended
	continued bool // another invocation answers
}

func success(id string) result { return result{ok: true, id: id} }

func failure(o Outcome, left Leftover) result {
	return result{id: o.ID, reason: o.Reason, leftover: left, waiting: o.End == Waiting}
}

// failedUnchanged is a failure that changed nothing of what was there before: the answer has
// the event's ID, or that of what this event made.
func failedUnchanged(o Outcome) result { return result{reason: o.Reason, waiting: o.End == Waiting} }

const overtakenReason = "CloudFormation no longer waits for this request: the stack rolls back"

// givenUp is the failure of an event that CloudFormation no longer waits for. It
// leaves what an earlier delivery may have made.
func givenUp() result {
	return result{leftover: Maybe, reason: "CloudFormation no longer waits for this request: the stack has gone on. It was not handled"}
}

// A kind is what an event does with its physical ID.
type kind int

const (
	creating kind = iota // there is none yet
	updating             // what it makes is put in its place
	deleting
)

// A failedEvent is a failed event and what it left.
type failedEvent struct {
	kind     kind
	leftover Leftover
}

// An answerID names the ID of an answer.
type answerID int

const (
	eventID      answerID = iota + 1 // the documented answer: CloudFormation keeps the resource that it has
	notCreatedID                     // physicalid.NotCreated: its Delete does nothing
	stableID                         // the StableID: its Delete finds what there is
	leftoverID                       // of what is left
)

// failedIDs are the physical IDs in FAILED answers. With them, CloudFormation's
// next request is about what there is.
var failedIDs = map[failedEvent]answerID{
	{creating, Nothing}:   notCreatedID,
	{creating, Maybe}:     stableID,
	{creating, Made}:      leftoverID,
	{creating, Adopted}:   leftoverID,
	{creating, Undone}:    leftoverID,
	{creating, Abandoned}: leftoverID,

	{updating, Nothing}:   eventID,
	{updating, Maybe}:     eventID,
	{updating, Made}:      leftoverID,
	{updating, Adopted}:   eventID,
	{updating, Undone}:    eventID,
	{updating, Abandoned}: eventID,

	{deleting, Nothing}: eventID,
	{deleting, Maybe}:   eventID,
}

// answer returns the answer for a result.
func (e *event) answer(r result) Answer {
	if r.ok && r.id == "" {
		return Answer{OK: true, ID: physicalid.NotCreated}
	}
	if r.ok {
		return Answer{OK: true, ID: r.id}
	}
	if r.continued {
		return Answer{Continued: true, Reason: r.reason}
	}
	k := creating
	switch {
	case e.Type == lifecycle.Delete:
		k = deleting
	case e.replaces():
		k = updating
	}
	if made := e.Chain.CreatedID; made != "" && r.leftover < Undone { // whatever failed since
		r.id, r.leftover = made, Made
	} else if e.Chain.Links > 0 && r.leftover == Nothing { // an invocation before this one may have
		r.leftover = Maybe
	}
	a := Answer{Reason: r.reason}
	switch failedIDs[failedEvent{k, r.leftover}] {
	case leftoverID:
		a.ID = r.id
	case stableID:
		a.ID = e.StableID
	case eventID:
		a.ID = e.ID
	}
	if a.ID == "" {
		a.ID = physicalid.NotCreated
	}
	return a
}
