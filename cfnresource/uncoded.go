package cfnresource

import (
	"log/slog"
	"strings"
)

// warnUncoded warns of an error that the author may have meant to be tried again: it
// has no code, and reads like a client's of a call that failed for a moment.
func (e *execution) warnUncoded(f *failure) {
	if f != nil && f.code == "" && !f.Unknown && readsTransient(f.Text) {
		e.log(slog.LevelWarn, "an error without a code is not tried again: give it one with HTTPStatus or Errorf", slog.String("error", e.redact(f.Text)))
	}
}

// transientWords are what clients write, in lower case, when a call may succeed a moment later.
var transientWords = []string{
	"too many requests", "throttl", "rate exceeded", "rate limit", "slow down",
	"internal server error", "bad gateway", "service unavailable", "gateway timeout", "try again",
	"connection refused", "connection reset", "broken pipe", "no such host", "i/o timeout", "tls handshake timeout",
}

// readsTransient reports whether an error's text is one of those that clients write
// of calls that may succeed a moment later. It decides nothing: it is for a warning.
func readsTransient(text string) bool {
	text = strings.ToLower(text)
	for _, words := range transientWords {
		if strings.Contains(text, words) {
			return true
		}
	}
	for _, number := range strings.FieldsFunc(text, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') && r != '-' && r != '.' }) {
		switch number {
		case "429", "500", "502", "503", "504":
			return true
		}
	}
	return false
}
