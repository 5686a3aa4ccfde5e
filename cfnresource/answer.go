package cfnresource

import (
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/response"
)

// warnBytes is the size from which a warning is logged: an answer above the limit
// of 4096 bytes fails the resource, in a rollback too.
const warnBytes = 3000

// encode returns the body of an answer, or nil if there is none in this
// invocation.
func (x *execution) encode(a rules.Answer) []byte {
	if a.Continued {
		return x.handOver(a)
	}
	if !a.OK {
		x.result.body = nil
		return x.fail(a)
	}
	if x.result.body == nil { // a Delete's has no Data
		if f := x.succeed(a.ID, nil, false); f != nil {
			return x.fail(rules.Answer{ID: a.ID, Why: f.Text})
		}
	}
	attrs := []slog.Attr{slog.String("physicalId", event.Printable(a.ID)), x.clock.elapsed()}
	if x.result.ignored != nil { // taken to mean that nothing is there
		attrs = append(attrs, slog.String("ignored", x.redact(x.result.ignored.Text)))
	}
	x.result.report = func() func() { return x.startLog(slog.LevelInfo, x.ev.Type+" succeeded", attrs...) }
	return x.result.body
}

// encodeOutput makes the answer to a call that succeeded. It returns why the call
// failed, or why CloudFormation would not accept the answer. f is the call's
// failure, or nil; out is nil if the method did not return.
func (x *execution) encodeOutput(f *failure, out *output, id string) *failure {
	if f != nil {
		return f
	}
	return x.succeed(id, out.attributes, out.noEcho)
}

// succeed makes the body of a SUCCESS answer.
func (x *execution) succeed(id string, attributes map[string]any, noEcho bool) *failure {
	a := x.newAnswer(response.Success, id)
	a.Data, a.NoEcho = attributes, noEcho
	body, err := a.Encode()
	if err != nil {
		return failed(CodeInternalFailure, "%s", err)
	}
	if len(body) > warnBytes {
		x.log(slog.LevelWarn, "the answer nears CloudFormation's limit: return less Data", slog.Int("bytes", len(body)), slog.Int("limit", response.MaxBytes))
	}
	x.result.body = body
	return nil
}

// fail returns the body of a FAILED answer.
func (x *execution) fail(failed rules.Answer) []byte {
	a := x.newAnswer(response.Failed, failed.ID)
	a.Reason = x.redact(failed.Why)
	a.LogPointer = logPointer(x.clock.handler)
	if x.registry != nil {
		a.LogPointer = x.registry.Logs
		code := x.result.code()
		if x.result.cause == nil {
			code = CodeInvalidRequest // the rules refused the properties
		}
		x.registry.Failed(string(code))
	}

	attrs := []slog.Attr{slog.String("reason", a.Reason), slog.String("physicalId", event.Printable(a.PhysicalResourceID)), x.clock.elapsed()}
	if code := x.result.code(); code != "" {
		attrs = append(attrs, slog.String("code", string(code)))
	}
	if x.result.cause != nil && x.result.cause.Stack != "" {
		attrs = append(attrs, slog.String("stack", x.redactor.RedactLines(x.result.cause.Stack, redact.MaxStack)))
	}
	x.result.report = func() func() { return x.startLog(slog.LevelError, x.ev.Type+" failed", attrs...) }

	body, err := a.Encode()
	if err != nil { // the event's own IDs are missing, or leave no room
		body, _ = json.Marshal(map[string]string{
			"Status": string(response.Failed), "Reason": strings.ToValidUTF8(a.Reason[:min(len(a.Reason), 500)], ""),
			"PhysicalResourceId": a.PhysicalResourceID, "StackId": a.StackID, "RequestId": a.RequestID, "LogicalResourceId": a.LogicalResourceID,
		})
	}
	return body
}

func (x *execution) newAnswer(status response.Status, id string) response.Answer {
	return response.Answer{
		Status: status, PhysicalResourceID: id,
		StackID: x.ev.StackID, RequestID: x.ev.RequestID, LogicalResourceID: x.ev.LogicalID,
	}
}

// redact removes the values of properties and Data tagged secret from a text.
func (x *execution) redact(text string) string { return x.redactor.Redact(text, redact.MaxText) }
