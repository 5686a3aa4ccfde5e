package redact

import (
	"strings"
	"sync"
)

const (
	// minSecret is the length in bytes of the shortest secret that is redacted
	// out: a shorter one would blank out too much.
	minSecret = 4
	// maxSecrets bounds, in bytes, what a Redactor looks for. Its memory is some
	// thirty times as large while it is made. The properties of an event, old
	// and new, are 256 kB.
	maxSecrets = 512 << 10
	// longestEscape is how many bytes at most stand for one character.
	longestEscape = 16
)

// What a text of an error, and a stack, are cut to, in bytes, before they go
// into an answer or a log record. A record that holds one of each stays below
// 32 kB however its handler quotes them.
const (
	MaxText  = 8 << 10
	MaxStack = 4 << 10
)

const (
	mask     = "***"
	withheld = "(this text is withheld: the event holds more secrets than can be looked for in it)"
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

// Redact returns text as [OneLine] does, with "***" for each secret in it: as
// it is, in every form that fmt, encoding/json and net/url write a string or
// bytes in, and in what one of them made of another's. Secrets that overlap are
// redacted out as one, and so is what the cut at limit left of one. Time grows
// with limit and with the length of the secrets, and not with their product.
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
	m, tooMany := r.prepared()
	switch {
	case tooMany:
		return withheld
	case m == nil:
		return cleaned(text, limit)
	}
	text, cut := start(text, limit)
	redacted := m.redact(text, cut)
	if cut {
		redacted += ellipsis
	}
	return cleaned(redacted, limit+len(ellipsis))
}

// prepared returns the matcher of the secrets, and whether they are too many.
func (r *Redactor) prepared() (m matcher, tooMany bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes > maxSecrets {
		return nil, true
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
	return r.matcher, false
}

// redact returns text with a mask for everything in it that m finds. Where the
// text was cut, what could be the start of a secret at its end is masked too.
func (m matcher) redact(text string, cut bool) string {
	depth := make([]int32, len(text)+1) // how many matches begin at a byte, less those that end there
	found := false
	views(text, func(v view) {
		s := int32(0)
		for i, b := range v.text {
			s = m.successor(s, b)
			if n := m[s].found; n > 0 {
				depth[v.spans[i+1-int(n)].from]++
				depth[v.spans[i].to]--
				found = true
			}
			if n := m[s].length; cut && n > 0 && int(v.spans[i].to)+longestEscape > len(text) {
				depth[v.spans[i+1-int(n)].from]++
				depth[len(text)]--
				found = true
			}
		}
	})
	if !found {
		return text
	}
	var out strings.Builder
	masked := int32(0)
	for i := range len(text) {
		was := masked
		masked += depth[i]
		switch {
		case masked == 0:
			out.WriteByte(text[i])
		case was == 0:
			out.WriteString(mask)
		}
	}
	return out.String()
}
