package engine

import "time"

// A Note is something that happened, and that a stack's events do not tell.
type Note struct {
	At      time.Time
	Kind    NoteKind
	StackID string        `json:",omitempty"` // of the root stack
	Request string        `json:",omitempty"` // the RequestId of what it is about; may be ""
	Text    string        `json:",omitempty"`
	Skipped time.Duration `json:",omitempty"` // of a NoteSkip
}

// A NoteKind is what a Note is about.
type NoteKind string

const (
	NoteFault  NoteKind = "fault"  // a fault strikes; the Text is its name
	NoteTold   NoteKind = "told"   // the Text says it all
	NoteSkip   NoteKind = "skip"   // a wait took no time
	NoteCall   NoteKind = "call"   // an invocation begins
	NoteReturn NoteKind = "return" // an invocation has ended well
	NoteBroke  NoteKind = "broke"  // an invocation has failed; the Text says how
	NoteWrote  NoteKind = "wrote"  // a line of a handler's log
	NoteLate   NoteKind = "late"   // an answer came when nobody waited for it
	NoteLost   NoteKind = "lost"   // an answer was lost
)
