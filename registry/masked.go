package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/cfnresource/sdk-go/internal/redact"
)

// A masked handler is what every record of a request goes through, whoever writes
// it: the request's secrets are removed.
type masked struct {
	slog.Handler
	secrets *redact.Redactor
}

func (m masked) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, m.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(m.attr(a))
		return true
	})
	return m.Handler.Handle(ctx, clean)
}

func (m masked) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = m.attr(a)
	}
	return masked{m.Handler.WithAttrs(clean), m.secrets}
}

func (m masked) WithGroup(name string) slog.Handler {
	return masked{m.Handler.WithGroup(name), m.secrets}
}

// attr returns an attribute as it is, or its masked text if there is a secret in it.
func (m masked) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		clean := make([]slog.Attr, len(v.Group()))
		for i, member := range v.Group() {
			clean[i] = m.attr(member)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	}
	texts := []string{v.String()}
	if v.Kind() == slog.KindAny { // some handlers print, others write JSON, whatever the type's own methods show
		texts[0] = fmt.Sprintf("%+v", v.Any())
		if raw, err := json.Marshal(v.Any()); err == nil {
			texts = append(texts, string(raw))
		}
	}
	for _, text := range texts {
		if clean := m.text(text); clean != text {
			return slog.String(a.Key, clean)
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}

// text returns a text as it is, or masked if there is a secret in it. One that is too long to be
// searched is cut.
func (m masked) text(text string) string {
	var none redact.Redactor
	if clean := m.secrets.RedactLines(text, redact.MaxText); clean != none.RedactLines(text, redact.MaxText) {
		return clean
	}
	return text
}
