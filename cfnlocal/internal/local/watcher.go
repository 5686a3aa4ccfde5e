package local

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/bucket"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Watcher reports what happens. Its methods are called one at a time.
type Watcher interface {
	// Event is a new row of the stack's events, or of a nested stack's.
	Event(e engine.Row)
	// Note reports anything but an event of the stack: a fault, a skipped wait, a process that died.
	Note(text string)
	// Log is a line that a handler wrote.
	Log(function, line string)
}

// A serialWatcher calls a Watcher, one call at a time, if there is one.
type serialWatcher struct {
	mu    sync.Mutex
	to    Watcher
	log   io.Writer // of the handlers and the service
	trace *trace    // for the stack's page; may be nil
	now   func() time.Time

	logged    map[string]int // bytes that were logged, by function
	loggedAll int
}

// maxFunctionLog limits the log of a function in one operation, in bytes: 80 times the 100 kB of a
// handler that logs much. maxLog limits that of all functions together: it is what a trace holds, so that
// a page shows no less. A function that writes without end fills no disk.
const (
	maxFunctionLog = 8 << 20
	maxLog         = maxTrace
)

// restDropped is the last line in the log of a function that has written more.
const restDropped = "(cfnlocal drops the rest of what this function writes in this operation)"

func (w *serialWatcher) Event(e engine.Row) { w.serialize(func() { w.to.Event(e) }) }

// Note passes on a note.
func (w *serialWatcher) Note(text string) {
	w.note(engine.Note{Kind: engine.NoteTold, Text: text}, text)
}

// NoteOf passes on a note about a request.
func (w *serialWatcher) NoteOf(requestID, text string) {
	w.note(engine.Note{Kind: engine.NoteTold, Request: requestID, Text: text}, text)
}

// note keeps a note, and passes its text on unless that is empty.
func (w *serialWatcher) note(n engine.Note, text string) {
	n.Text = mask.Signatures(n.Text)
	w.keep(n)
	if text != "" {
		w.tell(text)
	}
}

// tell passes on a text that no page shows.
func (w *serialWatcher) tell(text string) { w.serialize(func() { w.to.Note(text) }) }

// keep writes a note to the trace.
func (w *serialWatcher) keep(n engine.Note) {
	if w.trace != nil && w.now != nil {
		n.At = w.now()
		w.trace.note(n)
	}
}

// Log passes on a line that a function wrote while it handled a request; requestID may be empty.
func (w *serialWatcher) Log(function, requestID, line string) {
	line, ok := w.limit(function, line)
	if !ok {
		return
	}
	line = mask.Signatures(line)
	if requestID != "" {
		w.keep(engine.Note{Kind: engine.NoteWrote, Request: requestID, Text: line})
	}
	w.mu.Lock()
	if w.log != nil {
		_, _ = fmt.Fprintln(w.log, function+" | "+line) // a full disk is noticed where the stack is saved
	}
	w.mu.Unlock()
	w.serialize(func() { w.to.Log(function, line) })
}

// limit returns the line to log in place of one that a function wrote: that one, or restDropped where
// a limit is reached. After that, ok is false.
func (w *serialWatcher) limit(function, line string) (_ string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.logged == nil {
		w.logged = map[string]int{}
	}
	if w.logged[function] > maxFunctionLog {
		return "", false
	}
	size := len(function) + len(" | ") + len(line) + len("\n")
	if w.logged[function]+size > maxFunctionLog || w.loggedAll+size > maxLog {
		w.logged[function] = maxFunctionLog + 1
		return restDropped, true
	}
	w.logged[function] += size
	w.loggedAll += size
	return line, true
}

// noteRefusal reports a PUT that the bucket refused, and the resource of its request.
func (w *serialWatcher) noteRefusal(r bucket.Refusal, resource string) {
	what := "the connection to S3 broke"
	if r.Code != "" {
		what = "S3 answered " + r.Code + " (" + strings.TrimSuffix(r.Message, ".") + ")"
	}
	who := " when the handler of " + cmp.Or(resource, r.Request.LogicalID) + " gave its answer"
	if r.Request.LogicalID == "" {
		who = " to a " + r.Method + " whose URL belongs to no request"
	}
	w.NoteOf(r.Request.RequestID, what+who)
}

func (w *serialWatcher) serialize(call func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		call()
	}
}

// shownRows are the rows that the watcher of an operation has seen, and the secrets
// that are hidden in them. Only the steps of the stack's machine use it.
type shownRows struct {
	secrets mask.Secrets
	byStack map[string][]engine.Event // secrets hidden, by the stack's ID
}

// begin counts the rows of earlier operations as seen.
func (r *shownRows) begin(of *record.Record) {
	r.secrets, r.byStack = of.Secrets(), map[string][]engine.Event{}
	r.add(of.Stack)
}

// add returns the rows that the watcher has not seen, and marks them as seen.
func (r *shownRows) add(s *engine.Stack) []engine.Row {
	rows := s.Rows(func(one *engine.Stack) int { return len(r.byStack[one.ID]) })
	for i := range rows {
		rows[i].Event = mask.Event(rows[i].Event, r.secrets)
		r.byStack[rows[i].StackId] = append(r.byStack[rows[i].StackId], rows[i].Event)
	}
	return rows
}

// save is Live.Save. It reports rows to the watcher once they are saved.
func (o *operation) save(s *engine.Stack, p *engine.Patch) error {
	if s.Status == "" {
		return nil // there is no stack, since the operation is refused
	}
	o.record.DropRevisions()
	if p == nil { // the whole stack
		o.shown.secrets = o.shown.secrets.With(o.record.Secrets().Texts())
		o.record.Former = o.shown.secrets.Texts() // the revisions with these secrets may soon be dropped
		if err := o.lock.Save(o.record); err != nil {
			return err
		}
	} else {
		if err := o.lock.Append(p); err != nil {
			return err
		}
		o.shown.secrets = o.shown.secrets.With(o.record.PatchSecrets(s, p))
	}
	for _, row := range o.shown.add(s) {
		o.watcher.Event(row)
	}
	return nil
}
