package cfnresource

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/redact"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/response"
)

// warnBytes is the size from which a warning is logged: an answer above the limit
// of 4096 bytes fails the resource, in a rollback too.
const warnBytes = 3000

// encode returns the body of an answer, or nil if there is none in this invocation.
func (e *execution) encode(a rules.Answer) []byte {
	if a.Continued {
		return e.handOver(a)
	}
	if !a.OK {
		e.result.body = nil
		return e.fail(a)
	}
	if e.result.body == nil { // a Delete's has no Data
		if f := e.succeed(a.ID, nil, false); f != nil {
			return e.fail(rules.Answer{ID: a.ID, Reason: f.Text})
		}
	}
	attrs := []slog.Attr{e.idAttr(a.ID), e.clock.elapsed()}
	if e.result.ignored != nil { // taken to mean that the resource does not exist
		attrs = append(attrs, slog.String("ignored", e.redact(e.result.ignored.Text)))
	}
	e.result.report = report{slog.LevelInfo, e.ev.Type + " succeeded", attrs}
	return e.result.body
}

// encodeOutput makes the answer to a call that succeeded. It returns why the call
// failed, or why CloudFormation would not accept the answer. f is the call's
// failure, or nil; out is nil if the method did not return.
func (e *execution) encodeOutput(f *failure, out *output, id string) *failure {
	if f != nil {
		return f
	}
	return e.succeed(id, out.attributes, out.noEcho)
}

// succeed makes the body of a SUCCESS answer.
func (e *execution) succeed(id string, attributes map[string]any, noEcho bool) *failure {
	a := e.newAnswer(response.Success, id)
	a.Data, a.NoEcho = attributes, noEcho
	body, err := a.Encode()
	if err != nil {
		return failed(CodeInternalFailure, "%s", err)
	}
	if len(body) > warnBytes {
		e.log(slog.LevelWarn, "the answer nears CloudFormation's limit: return less Data", slog.Int("bytes", len(body)), slog.Int("limit", response.MaxBytes))
	}
	e.result.body = body
	return nil
}

// fail returns the body of a FAILED answer.
func (e *execution) fail(failed rules.Answer) []byte {
	a := e.newAnswer(response.Failed, failed.ID)
	a.Reason = e.redact(failed.Reason)
	a.LogPointer = logPointer(e.clock.handler)
	if e.registry != nil {
		a.LogPointer = e.registry.Logs
		code := e.result.code()
		if e.result.failure == nil {
			code = CodeInvalidRequest // the rules refused the properties
		}
		e.registry.Failed(string(code))
	}

	attrs := []slog.Attr{slog.String("reason", a.Reason), e.idAttr(a.PhysicalResourceID), e.clock.elapsed()}
	if code := e.result.code(); code != "" {
		attrs = append(attrs, slog.String("code", string(code)))
	}
	if e.result.failure != nil && e.result.failure.Stack != "" {
		attrs = append(attrs, slog.String("stack", e.redactor.RedactLines(e.result.failure.Stack, redact.MaxStack)))
	}
	e.result.report = report{slog.LevelError, e.ev.Type + " failed", attrs}

	body, err := a.Encode()
	if err != nil { // the event's own IDs are missing, or leave no room
		body, _ = json.Marshal(map[string]string{
			"Status": string(response.Failed), "Reason": strings.ToValidUTF8(a.Reason[:min(len(a.Reason), 500)], ""),
			"PhysicalResourceId": a.PhysicalResourceID, "StackId": a.StackID, "RequestId": a.RequestID, "LogicalResourceId": a.LogicalResourceID,
		})
	}
	return body
}

func (e *execution) newAnswer(status response.Status, id string) response.Answer {
	return response.Answer{
		Status: status, PhysicalResourceID: id,
		StackID: e.ev.StackID, RequestID: e.ev.RequestID, LogicalResourceID: e.ev.LogicalID,
	}
}

// idAttr returns a physical ID for a record. CloudFormation gets it as it is.
func (e *execution) idAttr(id string) slog.Attr {
	return slog.Any("physicalId", loggedID{id, e.redactor})
}

// A loggedID is a physical ID that is searched for secrets if its record is written.
type loggedID struct {
	id       string
	redactor *redact.Redactor
}

// LogValue is [slog.LogValuer].
func (l loggedID) LogValue() slog.Value {
	return slog.StringValue(event.Printable(l.redactor.Redact(l.id, redact.MaxText)))
}

// redact removes the values of properties and Data tagged secret from a text.
func (e *execution) redact(text string) string { return e.redactor.Redact(text, redact.MaxText) }

// logPointer returns a text that leads to the log of the invocation whose context
// is ctx, or "" outside Lambda.
func logPointer(ctx context.Context) string {
	if lambdacontext.LogStreamName == "" {
		return ""
	}
	text := "(log group " + lambdacontext.LogGroupName + ", stream " + lambdacontext.LogStreamName
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		text += ", request " + lc.AwsRequestID
	}
	return text + ")"
}
