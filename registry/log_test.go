package registry_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/registry"
)

// badLog is a logger that does not do its work.
type badLog struct {
	slog.Handler
	hangs bool
}

func (l badLog) Handle(context.Context, slog.Record) error {
	if l.hangs {
		<-time.After(time.Hour)
		return nil
	}
	panic("no")
}

// A logger that panics keeps no answer back, and one that hangs keeps it for a moment.
func TestALoggerCannotPreventTheAnswer(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		for _, action := range []string{"CREATE", "READ", "LIST"} {
			synctest.Test(t, func(t *testing.T) {
				d := registry.New(typeName, panics{newShelf()}, func(o *registry.Options) {
					o.Logger = slog.New(badLog{slog.NewTextHandler(new(bytes.Buffer), nil), hangs})
				})
				start := time.Now()
				a := invoke(t, d, event{action: action, properties: `{"PhysicalResourceId":"t-1"}`}.json())
				if a.ErrorCode != "InternalFailure" || strings.Contains(a.Message, "SDK") || time.Since(start) > 2*time.Second {
					t.Errorf("after %s %s is answered %+v", time.Since(start), action, a)
				}
				<-time.After(2 * time.Hour) // what was given up ends
			})
		}
	}
}

// hidden shows its key in JSON alone.
type hidden struct{ Key string }

func (hidden) String() string { return "hidden" }

// A secret is in no record, however it is written, and however far behind.
func TestRecordsOfTheHandlerHoldNoSecret(t *testing.T) {
	for name, value := range map[string]any{
		"a type that hides it": hidden{"hush-hush"},
		"a list of such":       []hidden{{"hush-hush"}},
		"a long text":          strings.Repeat("x", 20<<10) + "hush-hush",
		"a very long text":     strings.Repeat("x", 200<<10) + "hush-hush",
	} {
		var records bytes.Buffer
		s := asking{newShelf(), func(ctx context.Context) error {
			registry.Logger(ctx).Info("it is asked", "value", value)
			return nil
		}}
		d := registry.New(typeName, s, func(o *registry.Options) { o.Logger = slog.New(slog.NewJSONHandler(&records, nil)) })
		invoke(t, d, event{action: "CREATE", properties: asked}.json())
		if text := records.String(); strings.Contains(text, "hush") || !strings.Contains(text, "it is asked") {
			t.Errorf("%s: the records are %.300s … %s", name, text, text[max(0, len(text)-300):])
		}
	}
}
