package local

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// showPages shows a home's stacks to a browser: all of them at /, and each at
// /stacks/NAME. A page that is open is asked for again with its ETag.
func showPages(cache *recordCache) http.Handler {
	p := &pages{cache: cache, written: map[string]cachedPage{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.list)
	mux.HandleFunc("GET /stacks/{name}", p.stack)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		p.refuse(w, r, http.StatusNotFound, notFound, "There is no such page.")
	})
	return mux
}

type pages struct {
	cache *recordCache

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
	h := p.cache.home
	names, err := h.store.Stacks()
	if err != nil {
		p.refuse(w, r, http.StatusInternalServerError, unreadable, err.Error())
		return
	}
	list := page.List{Dir: h.dir.Path("."), Host: r.Host}
	for _, name := range names {
		one := page.Listed{Name: name}
		if err := p.cache.look(name, func(kept *record.Record) {
			s := kept.Stack
			one.Status, one.Requests, one.Left, one.State = s.Status, len(s.Sent()), len(left(s)), h.State(s)
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
	err := p.cache.look(name, func(kept *record.Record) {
		now.stack = kept
		now.trace, _ = p.cache.home.dir.Stat(name + traceExt)
		if now.trace != nil && former.stack == kept && store.SameFile(former.trace, now.trace) && hasTag(r, former.tag) {
			now.tag = former.tag
			return
		}
		story, err := p.cache.home.story(kept)
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
