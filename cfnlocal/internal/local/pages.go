package local

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// showPages shows a home's stacks to a browser: all of them at /, and each at
// /stacks/NAME. A page that is open is asked for again with its ETag.
func showPages(h *Home) http.Handler {
	p := &pages{home: h, written: map[string]cachedPage{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.list)
	mux.HandleFunc("GET /stacks/{name}", p.stack)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		p.refuse(w, r, http.StatusNotFound, notFound, "There is no such page.")
	})
	return mux
}

type pages struct {
	home *Home

	mu      sync.Mutex
	written map[string]cachedPage
}

// A cachedPage has the ETag of a page, and what the page was made from. A browser that follows a
// stack asks for the page again and again, and a handler's log can be long.
type cachedPage struct {
	stack *record.Record // another one if its files have changed
	trace fs.FileInfo    // nil if there is none, or if it cannot be read
	tag   string
}

func (p *pages) list(w http.ResponseWriter, r *http.Request) {
	h := p.home
	names, err := h.store.Stacks()
	if err != nil {
		p.refuse(w, r, http.StatusInternalServerError, unreadable, err.Error())
		return
	}
	list := page.List{Dir: h.dir.Path("."), Host: r.Host}
	for _, name := range names {
		one := page.Listed{Name: name}
		if err := p.home.cache.look(name, func(kept *record.Record) {
			s := kept.Stack
			one.Status, one.Requests, one.Left, one.State = s.Status, len(s.Sent()), len(leftOnPage(s)), h.State(s)
		}); err != nil {
			one.State = err.Error()
		}
		list.Stacks = append(list.Stacks, one)
	}
	var body bytes.Buffer
	p.answer(w, r, http.StatusOK, &body, list.Write(&body))
}

func (p *pages) stack(w http.ResponseWriter, r *http.Request) {
	var view page.View
	var untold error
	name := r.PathValue("name")
	p.mu.Lock()
	former := p.written[name]
	p.mu.Unlock()
	var now cachedPage
	// Make the page from the stack's record and trace, unless the browser has it.
	err := p.home.cache.look(name, func(kept *record.Record) {
		now.stack = kept
		now.trace, _ = p.home.dir.Stat(name + traceExt)
		unchanged := now.trace != nil && former.stack == kept && store.SameFile(former.trace, now.trace)
		if unchanged && hasTag(r, former.tag) {
			now.tag = former.tag
			return
		}
		story, err := p.home.story(kept)
		if err != nil {
			untold = err
			return
		}
		story.Served = true
		view = story.View()
	})
	switch err := errors.Join(err, untold); {
	case errors.Is(err, ErrNoStack):
		p.refuse(w, r, http.StatusNotFound, notFound, fmt.Sprintf("There is no stack %.60q.", name))
		return
	case errors.As(err, new(*store.NameError)):
		p.refuse(w, r, http.StatusNotFound, notFound, err.Error())
		return
	case err != nil:
		p.refuse(w, r, http.StatusInternalServerError, unreadable, err.Error())
		return
	case now.tag != "":
		head(w, now.tag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	// Write it, and remember its sources.
	var body bytes.Buffer
	if now.tag = p.answer(w, r, http.StatusOK, &body, view.Write(&body)); now.tag != "" {
		p.mu.Lock()
		p.written[name] = now
		p.mu.Unlock()
	}
}

// The titles of pages that say why a stack's page cannot be shown.
const (
	notFound   = "Not found"
	unreadable = "It cannot be read"
)

func (p *pages) refuse(w http.ResponseWriter, r *http.Request, status int, title, why string) {
	var body bytes.Buffer
	p.answer(w, r, status, &body, page.WriteMissing(&body, title, why))
}

// answer sends a page, unless the browser has it, and returns its ETag.
func (p *pages) answer(w http.ResponseWriter, r *http.Request, status int, body *bytes.Buffer, err error) (tag string) {
	if err != nil {
		http.Error(w, "the page cannot be written", http.StatusInternalServerError)
		return ""
	}
	sum := sha256.Sum256(body.Bytes())
	tag = `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	head(w, tag)
	if status == http.StatusOK && hasTag(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return tag
	}
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the browser has closed the connection
	return tag
}

// hasTag reports whether the browser has the page of a tag.
func hasTag(r *http.Request, tag string) bool {
	return tag != "" && strings.Contains(r.Header.Get("If-None-Match"), tag)
}

func head(w http.ResponseWriter, tag string) {
	header := w.Header()
	for name, value := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": page.Policy(true) + "; frame-ancestors 'none'",
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store", "ETag": tag,
	} {
		header.Set(name, value)
	}
}

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
	beside, err := h.readTrace(kept.Stack.Name, kept.Stack.ID)
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
	s.Left = leftOnPage(s.Stacks[0])
	return s, nil
}

// leftOnPage returns the resources that a stack has left behind, and those that may exist.
func leftOnPage(s *engine.Stack) (all []page.Left) {
	from := len(s.Sent()) // a request without a known answer was reported when it ended
	if s.Deleted() {
		from = 0
	}
	leftovers := Leftovers(s, from)
	for _, r := range leftovers {
		all = append(all, page.Left{Name: r.LogicalID, Text: r.String()})
	}
	return append(all, UnfinishedResources(s, leftovers)...)
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

// openTrace opens a stack's trace. With begins it starts an empty one.
func (h *Home) openTrace(name, stackID string, begins bool) (*trace, error) {
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

// readTrace reads a stack's trace. It leaves out an incomplete line; a missing file is an empty trace.
func (h *Home) readTrace(name, stackID string) (all []engine.Note, err error) {
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
