package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"github.com/cfnresource/sdk-go/internal/awsenv"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/redact"
)

const (
	maxLogBytes = 256 << 10       // of one request; CloudWatch takes 1 MiB in one call
	logLimit    = 2 * time.Second // for writing them, within the five seconds that a call has left
)

// Logger returns the logger of ctx's request. It writes where the Dispatcher writes, in the account
// that uses the type, and removes the request's secrets. The function's own log belongs to
// CloudFormation. Outside of a request it is slog.Default().
func Logger(ctx context.Context) *slog.Logger {
	if c := callOf(ctx); c != nil {
		return c.logger
	}
	return slog.Default()
}

// log writes a record of the call's, however the logger ends.
func (c *call) log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	c.d.logs.Start(context.WithoutCancel(ctx), guard.LogLimit, c.logger, level, message, attrs...)()
}

// routed is the handler of the inner Dispatcher's logger: records go to the logger
// of the call that their context is of.
type routed struct {
	with []func(slog.Handler) slog.Handler
}

func (r routed) to(ctx context.Context) slog.Handler {
	h := Logger(ctx).Handler()
	for _, with := range r.with {
		h = with(h)
	}
	return h
}

func (r routed) Enabled(ctx context.Context, l slog.Level) bool { return r.to(ctx).Enabled(ctx, l) }

func (r routed) Handle(ctx context.Context, record slog.Record) error {
	return r.to(ctx).Handle(ctx, record)
}

func (r routed) WithAttrs(attrs []slog.Attr) slog.Handler {
	return r.and(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

func (r routed) WithGroup(name string) slog.Handler {
	return r.and(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (r routed) and(with func(slog.Handler) slog.Handler) routed {
	return routed{append(slices.Clip(r.with), with)}
}

// logs are the records of one call, for the provider's log group. nil are none.
type logs struct {
	call *call

	mu      sync.Mutex
	events  []types.InputLogEvent
	bytes   int
	dropped bool
}

// openLog gives the call its logger.
func (c *call) openLog() *logs {
	data := c.r.Data
	var l *logs
	to := slog.Default().Handler()
	switch {
	case c.d.opts.Logger != nil:
		to = c.d.opts.Logger.Handler()
	case data.LogGroup != "" && data.Provider != nil && data.Provider.complete():
		l = &logs{call: c}
		to = slog.NewJSONHandler(l, nil)
	}
	c.logger = slog.New(masked{to: to, secrets: c.redactor})
	return l
}

// place leads a reader to the records: those in the function's own log are
// CloudFormation's, and no reader finds them.
func (l *logs) place() string {
	if l == nil {
		return ""
	}
	return "(log group " + l.call.r.Data.LogGroup + ", stream " + l.stream() + ")"
}

// Write takes one record.
func (l *logs) Write(record []byte) (int, error) {
	text := string(bytes.TrimSpace(record))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes += len(text) + 26; l.bytes > maxLogBytes { // 26 bytes of CloudWatch's own for each
		l.dropped = true
		return len(record), nil
	}
	l.events = append(l.events, types.InputLogEvent{Message: aws.String(text), Timestamp: aws.Int64(time.Now().UnixMilli())})
	return len(record), nil
}

// flush writes the records. That it fails is no failure of the request's: it is
// said in the function's own log.
func (l *logs) flush(ctx context.Context) {
	if l == nil {
		return
	}
	l.mu.Lock()
	events, dropped := slices.Clone(l.events), l.dropped // code that was given up may still log
	l.mu.Unlock()
	for i, e := range events { // a secret may have become known since
		events[i].Message = aws.String(redacted(l.call.redactor, *e.Message, len(*e.Message)))
	}
	if dropped {
		l.warn(ctx, "the records of a request are too many: the last ones are left out")
	}
	ctx, cancel := context.WithTimeout(ctx, logLimit)
	defer cancel()
	var g guard.Guard
	if f := g.Run(ctx, "writing to the provider's log group", func(ctx context.Context) error { return l.put(ctx, events) }); f != nil {
		l.warn(context.WithoutCancel(ctx), "records are lost", slog.String("error", l.call.redactor.Redact(f.Text, redact.MaxText)))
	}
}

// warn writes a record in the function's own log.
func (l *logs) warn(ctx context.Context, message string, attrs ...slog.Attr) {
	var own guard.Log
	own.Start(ctx, guard.LogLimit, slog.Default(), slog.LevelWarn, message, attrs...)()
}

func (l *logs) put(ctx context.Context, events []types.InputLogEvent) error {
	r := l.call.r
	client := cloudwatchlogs.New(cloudwatchlogs.Options{
		Region: awsenv.Region(),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return r.Data.Provider.aws(), nil
		}),
		BaseEndpoint:     awsenv.Endpoint("CLOUDWATCH_LOGS"),
		RetryMaxAttempts: 2,
	})
	group, stream := aws.String(r.Data.LogGroup), aws.String(l.stream())
	put := func() error {
		_, err := client.PutLogEvents(ctx, &cloudwatchlogs.PutLogEventsInput{LogGroupName: group, LogStreamName: stream, LogEvents: events})
		return err
	}
	err := put()

	// The group and the stream are made at the first record, perhaps by another process at the same moment.
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); !absent {
		return err
	}
	_, err = client.CreateLogStream(ctx, &cloudwatchlogs.CreateLogStreamInput{LogGroupName: group, LogStreamName: stream})
	if _, absent := errors.AsType[*types.ResourceNotFoundException](err); absent {
		if _, err = client.CreateLogGroup(ctx, &cloudwatchlogs.CreateLogGroupInput{LogGroupName: group}); err == nil {
			_, err = client.CreateLogStream(ctx, &cloudwatchlogs.CreateLogStreamInput{LogGroupName: group, LogStreamName: stream})
		}
	}
	if _, exists := errors.AsType[*types.ResourceAlreadyExistsException](err); err != nil && !exists {
		return err
	}
	return put()
}

// stream is named for the type and the day, as there is no name for a process.
func (l *logs) stream() string {
	return strings.ReplaceAll(l.call.d.typeName, "::", "-") + "/" + time.Now().UTC().Format("2006/01/02")
}

// A masked handler is what every record of a request goes through, whoever writes
// it: the request's secrets are removed. What With and WithGroup got waits for the record,
// because a secret in it may be known only then.
type masked struct {
	to      slog.Handler
	secrets *redact.Redactor
	with    []with
}

// with is a call of With, or of WithGroup if it has a group.
type with struct {
	group string
	attrs []slog.Attr
}

// handler returns the handler that what With and WithGroup got makes, masked.
func (m masked) handler() slog.Handler {
	h := m.to
	for _, w := range m.with {
		if w.group != "" {
			h = h.WithGroup(m.text(w.group))
		} else {
			h = h.WithAttrs(m.attrs(w.attrs))
		}
	}
	return h
}

func (m masked) Enabled(ctx context.Context, l slog.Level) bool { return m.handler().Enabled(ctx, l) }

func (m masked) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, m.text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(m.attr(a))
		return true
	})
	return m.handler().Handle(ctx, clean)
}

func (m masked) WithAttrs(attrs []slog.Attr) slog.Handler { return m.and(with{attrs: attrs}) }

func (m masked) WithGroup(name string) slog.Handler {
	if name == "" {
		return m
	}
	return m.and(with{group: name})
}

func (m masked) and(w with) masked {
	m.with = append(slices.Clip(m.with), w)
	return m
}

func (m masked) attrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = m.attr(a)
	}
	return clean
}

// attr returns an attribute as it is, or its masked text if there is a secret in it.
func (m masked) attr(a slog.Attr) slog.Attr {
	key, v := m.text(a.Key), a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		return slog.Attr{Key: key, Value: slog.GroupValue(m.attrs(v.Group())...)}
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
			return slog.String(key, clean)
		}
	}
	return slog.Attr{Key: key, Value: v}
}

func (m masked) text(text string) string { return redacted(m.secrets, text, redact.MaxText) }

// redacted returns a text as it is, or masked if there is a secret in it. One that is too long to be
// searched is cut.
func redacted(secrets *redact.Redactor, text string, limit int) string {
	var none redact.Redactor
	if clean := secrets.RedactLines(text, limit); clean != none.RedactLines(text, limit) {
		return clean
	}
	return text
}
