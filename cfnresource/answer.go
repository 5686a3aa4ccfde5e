package cfnresource

import (
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/response"
)

// warnBytes is the size from which on an answer is reported as growing towards
// the limit of 4096 bytes: a rollback that does not fit fails the stack.
const warnBytes = 3000

// encode returns the body of an answer, or nil if there is none in this
// invocation.
func (j *job) encode(a rules.Answer) []byte {
	if a.Later {
		return j.later(a)
	}
	if !a.OK {
		j.body = nil
		return j.fail(a)
	}
	if j.body == nil { // a Delete's has no Data
		if f := j.succeed(a.ID, nil, false); f != nil {
			return j.fail(rules.Answer{ID: a.ID, Why: f.Text})
		}
	}
	attrs := []slog.Attr{slog.String("physicalId", event.Printable(a.ID)), j.elapsed()}
	if j.ignored != nil { // taken to mean that nothing is there
		attrs = append(attrs, slog.String("ignored", j.strike(j.ignored.Text)))
	}
	j.report = func() func() { return j.startLog(slog.LevelInfo, j.ev.Type+" succeeded", attrs...) }
	return j.body
}

// encodable makes the answer to a call that succeeded, or returns why there is
// none that CloudFormation accepts. f is how the call failed, or nil; out is nil
// if the method did not return.
func (j *job) encodable(f *failure, out *output, id string) *failure {
	if out != nil {
		j.redactor.Add(out.secrets...)
	}
	if f != nil {
		return f
	}
	return j.succeed(id, out.attributes, out.noEcho)
}

// succeed makes the body of a SUCCESS answer.
func (j *job) succeed(id string, attributes map[string]any, noEcho bool) *failure {
	a := j.blank(response.Success, id)
	a.Data, a.NoEcho = attributes, noEcho
	body, err := a.Encode()
	if err != nil {
		return failed(CodeInternalFailure, "%s", err)
	}
	if len(body) > warnBytes {
		j.log(slog.LevelWarn, "the answer nears CloudFormation's limit: return less Data", slog.Int("bytes", len(body)), slog.Int("limit", response.MaxBytes))
	}
	j.body = body
	return nil
}

// fail returns the body of a FAILED answer.
func (j *job) fail(failed rules.Answer) []byte {
	a := j.blank(response.Failed, failed.ID)
	a.Reason = j.strike(failed.Why)
	a.LogPointer = logPointer(j.ctx)
	if j.registry != nil {
		code := j.code()
		if j.cause == nil {
			code = CodeInvalidRequest // the rules refused the properties
		}
		j.registry.Failed(string(code))
	}

	attrs := []slog.Attr{slog.String("reason", a.Reason), slog.String("physicalId", event.Printable(a.PhysicalResourceID)), j.elapsed()}
	if code := j.code(); code != "" {
		attrs = append(attrs, slog.String("code", string(code)))
	}
	if j.cause != nil && j.cause.Stack != "" {
		attrs = append(attrs, slog.String("stack", j.redactor.RedactLines(j.cause.Stack, properties.MaxStack)))
	}
	j.report = func() func() { return j.startLog(slog.LevelError, j.ev.Type+" failed", attrs...) }

	body, err := a.Encode()
	if err != nil { // the event's own IDs are missing, or leave no room
		body, _ = json.Marshal(map[string]string{
			"Status": string(response.Failed), "Reason": strings.ToValidUTF8(a.Reason[:min(len(a.Reason), 500)], ""),
			"PhysicalResourceId": a.PhysicalResourceID, "StackId": a.StackID, "RequestId": a.RequestID, "LogicalResourceId": a.LogicalResourceID,
		})
	}
	return body
}

// code returns the code of what failed last, or "".
func (j *job) code() Code {
	if j.cause == nil {
		return ""
	}
	return j.cause.code
}

func (j *job) blank(status response.Status, id string) response.Answer {
	return response.Answer{
		Status: status, PhysicalResourceID: id,
		StackID: j.ev.StackID, RequestID: j.ev.RequestID, LogicalResourceID: j.ev.LogicalID,
	}
}

// strike strikes the values of properties and Data tagged secret out of a text.
func (j *job) strike(text string) string { return j.redactor.Redact(text, properties.MaxText) }
