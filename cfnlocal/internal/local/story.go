package local

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// Story returns the contents of a stack's page, with its secrets hidden.
func (h *Home) Story(name string) (*page.Story, error) {
	kept, err := h.Stack(name)
	if err != nil {
		return nil, err
	}
	return h.story(kept)
}

// story is the Story of a record. Its rows and reasons are hidden already; Hide is for the rest.
func (h *Home) story(kept *record.Record) (*page.Story, error) {
	beside, err := h.traced(kept.Stack.Name, kept.Stack.ID)
	if err != nil {
		return nil, err
	}
	secrets := kept.Secrets()
	lines := secrets.ByLine()
	s := &page.Story{
		Stacks: []*engine.Stack{mask.Stack(kept.Stack, secrets)}, Beside: beside,
		Hide:  func(text []byte) []byte { return mask.JSON(text, lines) },
		Clock: func(t time.Time) string { return t.Local().Format(time.TimeOnly) },
		Log:   h.Log(kept.Stack.Name),
	}
	s.Left = left(s.Stacks[0])
	return s, nil
}

// left returns the resources that a stack has left behind, and those that may exist.
func left(s *engine.Stack) (all []page.Left) {
	from := len(s.Sent()) // a request without a known answer was reported when it ended
	if s.Deleted() {
		from = 0
	}
	for _, r := range Leftovers(s, from) {
		all = append(all, page.Left{Name: r.LogicalID, Text: r.String()})
	}
	return append(all, UnfinishedResources(s)...)
}

// traceExt is the extension of the file with the notes about a stack, beside its rows: a
// line of JSON each. It serves only the pages; no stack depends on it.
const traceExt = ".trace"

// maxTrace is how long that file can be, in bytes. Later notes are on no page.
const maxTrace = 32 << 20

// A trace writes what happens besides a stack's events.
type trace struct {
	mu      sync.Mutex
	file    *os.File
	room    int64
	stackID string
}

// trace opens a stack's trace. With begins it starts an empty one.
func (h *Home) trace(name, stackID string, begins bool) (*trace, error) {
	flags := os.O_CREATE | os.O_APPEND | os.O_WRONLY
	if begins {
		flags |= os.O_TRUNC
	}
	file, err := h.dir.OpenFile(name+traceExt, flags)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &trace{file: file, room: maxTrace - info.Size(), stackID: stackID}, nil
}

// note writes what happened, as far as there is room.
func (t *trace) note(n engine.Note) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n.StackID = t.stackID
	line, _ := json.Marshal(n) // times and strings always can be
	if t.room -= int64(len(line) + 1); t.room >= 0 {
		_, _ = t.file.Write(append(line, '\n')) // a full disk is noticed where the stack is saved
	}
}

// traced reads a stack's trace. It leaves out an incomplete line; a missing file is an empty trace.
func (h *Home) traced(name, stackID string) (all []engine.Note, err error) {
	file, err := h.dir.OpenFile(name+traceExt, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewReader(io.LimitReader(file, maxTrace))
	for {
		line, err := lines.ReadBytes('\n')
		var n engine.Note
		if json.Unmarshal(line, &n) == nil && n.StackID == stackID {
			all = append(all, n)
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// requestID matches the ID of the request that an event is about: in the event itself, in a
// notification that has it as a string, in the record of an on-failure destination, or in
// the call of a registered type's handler.
var requestID = regexp.MustCompile(`^"(?:RequestId|bearerToken)\\*"\s*:\s*\\*"([0-9a-f-]{36})`)

// requestOf returns the first request ID in an event, or "". It looks only at members that
// begin like one, since it runs for each line that a handler writes.
func requestOf(event []byte) string {
	for i := range len(event) - 1 {
		if event[i] != '"' || event[i+1] != 'R' && event[i+1] != 'b' {
			continue
		}
		if m := requestID.FindSubmatch(event[i:]); m != nil {
			return string(m[1])
		}
	}
	return ""
}
