package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/bucket"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// A lambda is the host of an operation's functions.
type lambda struct {
	*host.Host
	watcher *serialWatcher
	// struck is called with an event that a fault may have caused. It may be nil.
	struck func(requestID string, kind host.Kind)

	mu    sync.Mutex
	added map[string]host.Function // by ARN, as they are
	names map[string]string        // logical IDs, by the functions' names
	// forbidden has the names of functions that may not invoke themselves, until that has been
	// reported.
	forbidden map[string]bool
}

// newLambda returns a host that skips its waits, and reports to a watcher what happens.
func newLambda(ctx context.Context, c host.Config, w *serialWatcher) *lambda {
	l := &lambda{watcher: w, added: map[string]host.Function{}, names: map[string]string{}, forbidden: map[string]bool{}}
	c.Clock, c.Event = new(skippingClock), l.happened
	c.Log = func(line host.LogLine) { w.Log(l.name(line.Function), requestOf(line.Payload), line.Text) }
	l.Host = host.New(ctx, c)
	return l
}

// provide adds the functions and topics of a provider that are new or have changed. A function then gets new processes.
func (l *lambda) provide(p *provider) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, f := range p.functions {
		if former, ok := l.added[f.ARN]; ok && reflect.DeepEqual(former, f) {
			continue
		}
		l.added[f.ARN] = f
		if name := nameInARN(f.ARN); p.forbidden[name] {
			l.forbidden[name] = true
		}
		errs = append(errs, l.Add(f))
	}
	for _, t := range p.topics {
		errs = append(errs, l.AddTopic(t))
	}
	maps.Copy(l.names, p.names)
	return errors.Join(errs...)
}

func (l *lambda) name(function string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.names[function], function)
}

// invocationID matches the ID that differs between failures of one kind, and means nothing to people.
var invocationID = regexp.MustCompile(`RequestId: [0-9a-f-]{36} `)

// happened reports an event if people need to know of it.
func (l *lambda) happened(e host.Event) {
	name, about := l.name(e.Function), requestOf(e.Payload)
	note := func(text string) { l.watcher.NoteOf(about, text) }
	if e.Overtime > 0 {
		note(name + " took " + e.Overtime.Round(time.Millisecond).String() + " longer than its timeout: since the machine is busy, cfnlocal multiplied the timeout, and the function's deadline, by the tasks for each processor")
	}
	if e.Skipped > 0 {
		note("no process of " + name + " asks for an event: " + e.Skipped.Round(time.Second).String() + " of waiting are skipped")
	}
	if l.struck != nil {
		l.struck(about, e.Kind)
	}
	// What becomes of the request.
	switch e.Kind {
	case host.Errored, host.Crashed, host.TimedOut, host.InitFailed:
		text := "attempt " + strconv.Itoa(e.Attempt) + " of " + name + " failed (" + string(e.Kind) + "): " + mask.Signatures(invocationID.ReplaceAllString(e.Text, ""))
		l.watcher.note(engine.Note{Kind: engine.NoteBroke, Request: about, Text: text}, text)
	case host.NotReady:
		note(notReady(name, e))
	case host.Retrying:
		note("Lambda tries again, which would be " + e.Next.Sub(e.At).Round(time.Second).String() + " later")
	case host.Throttled:
		note("Lambda has no room for the event of " + name + ", and tries again, which would be " + e.Next.Sub(e.At).Round(time.Second).String() + " later")
	case host.Recorded:
		note("Lambda gives up the event of " + name + ", which goes to its on-failure destination")
	case host.Refused:
		note("Lambda refuses an event for " + name + ": " + e.Text)
	case host.Dropped:
		note("the event of " + name + " is given up: " + e.Text)
	case host.Sent:
		l.sent(e.Text, e.Function, about)
	case host.Looped:
		note("Lambda ends the chain in which " + name + " invokes itself, since the chain is too long: RecursiveLoop: Allow permits longer chains")
	case host.Delivering:
		note("Lambda delivers the event of " + name + ": " + e.Text)
	case host.Invoked, host.Succeeded:
		if kind := map[host.Kind]engine.NoteKind{host.Invoked: engine.NoteCall, host.Succeeded: engine.NoteReturn}[e.Kind]; about != "" {
			l.watcher.note(engine.Note{Kind: kind, Request: about}, "")
		}
	case host.Started:
	}
}

// notReady says what is waited for where a process does not ask for an event.
func notReady(function string, e host.Event) string {
	command := strings.TrimPrefix(e.Text, strings.Join(shell(""), " "))
	return "waiting for " + function + ": its program, " + printable.Cut(command, 200) + ", has not asked for an event in 5s; " +
		"it must call lambda.Start, or its runtime's counterpart, and can open what takes long in cfnresource.Lazy; --logs shows what it prints"
}

// sent reports that a function has invoked a function. It warns if AWS would not let the function invoke itself.
func (l *lambda) sent(from, to, about string) {
	if from != to {
		l.watcher.NoteOf(about, l.name(from)+" invokes "+l.name(to)+", asynchronously")
		return
	}
	l.watcher.NoteOf(about, l.name(from)+" invokes itself, asynchronously")
	l.mu.Lock()
	forbidden := l.forbidden[from]
	delete(l.forbidden, from)
	l.mu.Unlock()
	if forbidden {
		l.watcher.Note("AWS would refuse this call: no policy of " + l.name(from) + "'s role allows lambda:InvokeFunction on it; allow it on function:${AWS::StackName}-*, since a reference to the function's own ARN would be a cycle")
	}
}

// A skippingClock is ahead of the real clock by all waits so far.
type skippingClock struct {
	mu    sync.Mutex
	ahead time.Duration
}

// Now returns the real time and all waits so far.
func (c *skippingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// Wait skips the wait.
func (c *skippingClock) Wait(ctx context.Context, at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += max(0, time.Until(at)-c.ahead)
	return context.Cause(ctx)
}

// An Invocation is one event for a handler without a stack.
type Invocation struct {
	Event   []byte // as CloudFormation sends it; its ResponseURL is replaced
	Command []string
	Env     map[string]string
	Timeout time.Duration
	Watcher Watcher
}

// ErrEvent is the error for an event that does not identify a request.
var ErrEvent = errors.New("the event is not one of CloudFormation's")

// Invoke gives an event to a handler once, lets it invoke itself, and returns the
// last answer that it PUT, or nil if there was none.
func Invoke(ctx context.Context, i Invocation) (body []byte, err error) {
	// The event says which request it is.
	var event map[string]json.RawMessage
	if err := json.Unmarshal(i.Event, &event); err != nil || event == nil {
		return nil, fmt.Errorf("%w: it is no JSON object", ErrEvent)
	}
	var to bucket.Request
	for _, f := range []struct {
		name  string
		field *string
	}{{"StackId", &to.StackID}, {"LogicalResourceId", &to.LogicalID}, {"RequestId", &to.RequestID}} {
		if err := json.Unmarshal(event[f.name], f.field); err != nil || *f.field == "" {
			return nil, fmt.Errorf("%w: it has no %s", ErrEvent, f.name)
		}
	}

	// The answer comes to a bucket of its own.
	w := &serialWatcher{to: i.Watcher}
	b, err := bucket.Start(bucket.Config{Refused: func(r bucket.Refusal) { w.noteRefusal(r, "") }})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	event["ResponseURL"], _ = json.Marshal(b.Sign(to)) // a string always can be
	payload, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}

	// The handler is called, and may invoke itself.
	l := newLambda(ctx, host.Config{ResponseHost: b.Origin()}, w) // without CloudFormation's API: there is no stack
	defer l.Close()
	const arn = "arn:aws:lambda:us-east-1:123456789012:function:handler"
	if err := l.Add(host.Function{ARN: arn, Command: i.Command, Env: i.Env, Timeout: i.Timeout}); err != nil {
		return nil, err
	}
	if _, err := l.Call(ctx, arn, payload); err != nil {
		return nil, err
	}
	if err := l.Wait(ctx); err != nil {
		return nil, err
	}
	if bodies := b.Bodies(to); len(bodies) > 0 {
		body = bodies[len(bodies)-1]
	}
	return body, nil
}

// An eventInvokeConfig is the properties of an AWS::Lambda::EventInvokeConfig, or
// nil, which has Lambda's defaults.
type eventInvokeConfig map[string]any

// eventInvokeConfig returns the configuration of a function for the ARN that invokes it: a version's
// or an alias's applies to no other [D].
func (s *search) eventInvokeConfig(of *foundResource, arn string) (config eventInvokeConfig) {
	function := s.arn(of.StackResource)
	qualifier, isQualified := strings.CutPrefix(arn, function+":")
	if !isQualified {
		qualifier = "$LATEST"
	}
	resourceIn(of.stack, "AWS::Lambda::EventInvokeConfig", func(res *engine.StackResource) bool {
		properties := res.Properties.Map()
		name := textProperty(properties, "FunctionName")
		if name != of.PhysicalID && name != function || textProperty(properties, "Qualifier") != qualifier {
			return false
		}
		config = properties
		return true
	})
	return config
}

// onFailure is the ARN that failed events go to, or "".
func (c eventInvokeConfig) onFailure() string {
	return textProperty(objectProperty(c, "DestinationConfig", "OnFailure"), "Destination")
}
