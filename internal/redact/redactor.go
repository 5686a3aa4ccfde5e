// Package redact removes secrets from texts that are printed.
//
// A [Redactor] knows the secrets of one event. It searches for them in each view of
// a text: in the text as it is, and in what is left when its encodings are undone,
// one in another. What a view's match comes from is masked in the text.
//
//   - redactor.go is what callers use;
//   - context.go has a context bring the Redactor to whatever works on the event;
//   - view.go makes the views;
//   - forms is the table of the forms in which secrets are recognised, as they are written;
//   - encodings.go is the table of what is undone, with its units;
//   - matcher.go finds many strings in one pass, and masks them;
//   - oneline.go cuts texts and makes them fit to be printed.
package redact

import (
	"strings"
	"sync"
)

const (
	// minSecret is the length in bytes of the shortest secret that is removed: a
	// shorter one would blank out too much.
	minSecret = 4
	// maxSecrets bounds, in bytes, what a Redactor keeps, and what it looks for. Its memory is some
	// thirty times as large while it is made. The properties of an event, old and new, are 256 kB.
	maxSecrets = 512 << 10
)

// What a text of an error, and a stack, are cut to, in bytes, before they go
// into an answer or a log record. A record that holds one of each stays below
// 32 kB however its handler quotes them.
const (
	MaxText  = 8 << 10
	MaxStack = 4 << 10
)

const (
	mask         = "***"
	tooMany      = "(this text is withheld: the event holds more secrets than can be looked for in it)"
	tooManyViews = "(this text is withheld: it can be read in more ways than secrets can be looked for in)"
)

// A Redactor removes the secrets of one event from texts. The zero Redactor
// knows none, and costs nothing. It is safe for concurrent use.
type Redactor struct {
	lasting *Redactor // knows secrets that outlive the event, or nil

	mu      sync.Mutex
	secrets map[string]struct{} // none, if they are too many
	bytes   int
	matcher matcher // of the first made secrets, those of lasting included; nil if that is 0
	made    int
}

// New returns a Redactor of one event. It also removes the secrets of lasting, those included that
// lasting learns later: another event may have them from the same source.
func New(lasting *Redactor) *Redactor { return &Redactor{lasting: lasting} }

// Add makes secrets known. Those of fewer than four bytes stay in the texts. One that is known
// already counts once.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		if _, known := r.secrets[secret]; known || len(secret) < minSecret || r.bytes > maxSecrets {
			continue
		}
		if r.bytes += len(secret); r.bytes > maxSecrets {
			r.secrets, r.matcher = nil, nil // nothing is looked for any more
			return
		}
		if r.secrets == nil {
			r.secrets = make(map[string]struct{})
		}
		r.secrets[strings.Clone(secret)] = struct{}{} // without the text that it was cut from
	}
}

// Redact returns text as [OneLine] does, with "***" for each secret in it: as it is, and in each form
// of package forms, also where one encoder wrote what another had written, up to four deep. Secrets
// that overlap are replaced as one. Nothing is left of a secret that the cut at limit goes through.
// Time grows with limit and with the length of the secrets, and not with their product.
func (r *Redactor) Redact(text string, limit int) string {
	return r.redact(text, limit, OneLine)
}

// RedactLines is Redact for a text of several lines, whose ends it keeps.
func (r *Redactor) RedactLines(text string, limit int) string {
	return r.redact(text, limit, func(text string, limit int) string {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = OneLine(line, limit)
		}
		text, _ = start(strings.Join(lines, "\n"), limit)
		return text
	})
}

func (r *Redactor) redact(text string, limit int, cleaned func(string, int) string) string {
	m, ok := r.prepared()
	switch {
	case !ok:
		return tooMany
	case m == nil:
		return cleaned(text, limit)
	}
	redacted, cut, ok := m.redact(text, limit)
	if !ok {
		return tooManyViews
	}
	if cut {
		redacted += ellipsis
	}
	return cleaned(redacted, limit+len(mask)+len(ellipsis))
}

// prepared returns the matcher of the secrets, or nil if there are none. It is not
// ok if they are too many.
func (r *Redactor) prepared() (m matcher, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, bytes := len(r.secrets), r.bytes
	if r.lasting != nil {
		r.lasting.mu.Lock()
		defer r.lasting.mu.Unlock()
		known, bytes = known+len(r.lasting.secrets), bytes+r.lasting.bytes
	}
	if bytes > maxSecrets {
		return nil, false
	}
	if known != r.made { // secrets are added, and never taken away
		r.matcher, r.made = newMatcher(r.patterns()), known
	}
	return r.matcher, true
}

// patterns returns what is looked for: each secret, what is left of it in a clean text, and what it
// is where each quote is written as two.
func (r *Redactor) patterns() (all []string) {
	if r.lasting != nil {
		all = r.lasting.patterns()
	}
	for secret := range r.secrets {
		for _, form := range []string{secret, strings.ReplaceAll(secret, "'", "''"), strings.ReplaceAll(secret, `"`, `""`)} {
			all = append(all, form)
			if c := clean(form); len(c) >= minSecret {
				all = append(all, c)
			}
		}
	}
	return all
}
