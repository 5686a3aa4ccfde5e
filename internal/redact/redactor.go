// Package redact removes secrets from texts that are printed.
//
// A [Redactor] knows the secrets of one event. It searches for them in each view of
// a text: in the text as it is, and in what is left when its encodings are undone,
// one in another. What a view's match comes from is masked in the text.
//
//   - redactor.go is what callers use, and says which forms of a secret are searched for;
//   - view.go makes the views;
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
	// maxSecrets bounds, in bytes, what a Redactor looks for. Its memory is some thirty times as
	// large while it is made. The properties of an event, old and new, are 256 kB.
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
	mu      sync.Mutex
	secrets []string
	bytes   int
	matcher matcher // of secrets, or nil
}

// Add makes secrets known. Those of fewer than four bytes stay in the texts.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			r.secrets = append(r.secrets, secret)
			r.bytes += len(secret)
			r.matcher = nil
		}
	}
}

// Redact returns text as [OneLine] does, with "***" for each secret in it: as it is, and as fmt,
// encoding/json, net/url, encoding/hex and encoding/base64 write it, also where one of them wrote
// what another had written, up to four deep. Secrets that overlap are replaced as one. Nothing is
// left of a secret that the cut at limit goes through. Time grows with limit and with the length of
// the secrets, and not with their product.
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
	if r.bytes > maxSecrets {
		return nil, false
	}
	if r.matcher == nil && len(r.secrets) > 0 {
		var patterns []string
		for _, secret := range r.secrets {
			patterns = append(patterns, secret)
			if c := clean(secret); len(c) >= minSecret {
				patterns = append(patterns, c)
			}
		}
		r.matcher = newMatcher(patterns)
	}
	return r.matcher, true
}
