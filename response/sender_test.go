package response

import (
	"context"
	"testing"
)

type fixed struct{ err error }

func (f fixed) Send(context.Context, URL, []byte) error { return f.err }

func TestSenderInContext(t *testing.T) {
	if s, ok := SenderFrom(t.Context()); ok || s != nil {
		t.Errorf("without one: %v, %v", s, ok)
	}
	if s, ok := SenderFrom(WithSender(t.Context(), nil)); ok || s != nil {
		t.Errorf("with nil: %v, %v", s, ok)
	}
	if s, ok := SenderFrom(WithSender(t.Context(), fixed{context.Canceled})); !ok || s != Sender(fixed{context.Canceled}) {
		t.Errorf("with one: %v, %v", s, ok)
	}
}
