package cfnresource

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/lambdalog"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// warnBytes is the size from which on an answer is reported as growing towards
// the limit of 4096 bytes: a rollback that does not fit fails the stack.
const warnBytes = 3000

// succeed returns the body of a SUCCESS answer, or a failure if there is none
// that CloudFormation accepts.
func (w *work) succeed(id string, data any) ([]byte, *failure) {
	a := w.blank(response.Success, id)
	if data != nil {
		var attributes map[string]any
		var secrets []string
		f := w.run(w.late, "Data", func(context.Context) (err error) {
			attributes, secrets, err = w.res.flatten(data)
			return err
		})
		if f != nil {
			f.Unknown = false
			return nil, f
		}
		w.redactor.Add(secrets...)
		a.Data, a.NoEcho = attributes, w.res.noEcho()
	}
	body, err := a.Encode()
	if err != nil {
		return nil, failed(CodeInternalFailure, "%s", err)
	}
	if len(body) > warnBytes {
		w.log(slog.LevelWarn, "the answer nears CloudFormation's limit: return less Data", slog.Int("bytes", len(body)), slog.Int("limit", response.MaxBytes))
	}
	w.log(slog.LevelInfo, w.ev.Type+" succeeded", slog.String("physicalId", event.Printable(id)), w.elapsed())
	return body, nil
}

func (w *work) fail(f *failure) []byte {
	a := w.blank(response.Failed, w.failedID(f))
	a.Reason = w.strike(f.Text)
	a.LogPointer = lambdalog.Pointer(w.ctx)

	attrs := []slog.Attr{slog.String("reason", a.Reason), slog.String("physicalId", event.Printable(a.PhysicalResourceID)), w.elapsed()}
	if f.code != "" {
		attrs = append(attrs, slog.String("code", string(f.code)))
	}
	if f.Stack != "" {
		attrs = append(attrs, slog.String("stack", w.redactor.RedactLines(f.Stack, properties.MaxStack)))
	}
	w.log(slog.LevelError, w.ev.Type+" failed", attrs...)

	body, err := a.Encode()
	if err != nil { // the event's own IDs are missing, or leave no room
		body, _ = json.Marshal(map[string]string{
			"Status": string(response.Failed), "Reason": strings.ToValidUTF8(a.Reason[:min(len(a.Reason), 500)], ""),
			"PhysicalResourceId": a.PhysicalResourceID, "StackId": a.StackID, "RequestId": a.RequestID, "LogicalResourceId": a.LogicalResourceID,
		})
	}
	return body
}

func (w *work) blank(status response.Status, id string) response.Answer {
	return response.Answer{
		Status: status, PhysicalResourceID: id,
		StackID: w.ev.StackID, RequestID: w.ev.RequestID, LogicalResourceID: w.ev.LogicalID,
	}
}

// failedID returns the physical ID of a FAILED answer: the one that leads
// CloudFormation's next request to what there is.
func (w *work) failedID(f *failure) string {
	id := w.ev.PhysicalID
	known := id != "" && id != physicalid.NotCreated
	switch {
	case known && !w.replacing:
		return id // an update in place and a Delete never change it
	case known && (w.made == "" || w.adopted || w.undone || w.refused):
		return id // the one way back that AWS documents
	case w.refused:
		return physicalid.NotCreated
	case w.made != "":
		return w.made
	case w.stable != "" && (w.asked || f.Unknown || w.res.hasFind()):
		return w.stable // its Delete reaches the handler, and can hit nobody else's
	}
	return physicalid.NotCreated
}

func (w *work) strike(text string) string { return w.redactor.Redact(text, properties.MaxText) }

func (w *work) elapsed() slog.Attr {
	return slog.Duration("elapsed", time.Since(w.start).Round(time.Millisecond))
}

// log writes a record about the event, while there is time.
func (w *work) log(level slog.Level, message string, attrs ...slog.Attr) {
	ctx := w.late
	if ctx.Err() != nil { // something that came after the answer
		ctx = context.WithoutCancel(ctx)
	}
	w.mux.log(ctx, level, message, append(attrs, slog.Attr{Key: "resource", Value: w.id.LogValue()})...)
}

// checkID returns an error if CloudFormation cannot keep id.
func checkID(method, id string) *failure {
	if err := physicalid.Validate(id); err != nil {
		return failed(CodeInternalFailure, "%s: %s", method, err)
	}
	return nil
}
