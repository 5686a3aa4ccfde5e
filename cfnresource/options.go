package cfnresource

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

// Options change how a [Dispatcher] works. Its zero value is what New and NewDispatcher begin with.
type Options struct {
	// Logger gets a record for each event and each warning. If nil, it is
	// slog.Default(). No record holds a signed URL, or the value of a property
	// that is tagged secret and has four bytes or more.
	Logger *slog.Logger
	// Sender delivers the answers, and tries again by itself: its Send is called once in an invocation. If nil, they go
	// to CloudFormation's signed URLs over HTTPS.
	Sender response.Sender
	// ResponseMargin is the part of an invocation's time that is kept for the
	// answer. If zero, it is a tenth of the time, at least 250 ms and at most
	// 10 s.
	ResponseMargin time.Duration
	// A Delete that may have overtaken its Create deletes twice. LostGrace is the time from its
	// arrival to the second deletion. If zero, it is the function's timeout: a Create that began by
	// then has ended, unless the function's timeout was longer before. The second deletion begins at
	// the latest with the time that is kept for the answer, however long LostGrace is, and has half
	// of that time; a Delete that takes longer fails.
	LostGrace time.Duration
	// FindLag is how long it may take until Find finds a new thing. If zero, it is 5 seconds. It
	// costs time only if Find found nothing and the event says that something may just have been
	// made, and never more than half of the time that is left; a handler with Find has it added to
	// LostGrace.
	FindLag time.Duration
	// PermissionLag is how long it may take until a new permission is in force. If zero, it is 30
	// seconds. A call that fails with [CodeAccessDenied] is tried again until PermissionLag after
	// the event was sent, but at most for half of the handler's time. A later denial is final. A
	// nanosecond makes each denial final, except in the second in which the event was sent.
	PermissionLag time.Duration
	// IDLength is the longest StableID, in characters, from 20 to 63. If zero, it is 63. Changing
	// it changes every ID: an existing resource keeps the old one, but is not replaced any more, and
	// what a Create made whose answer was lost before the change is not found again.
	IDLength int
	// Middleware is called around every call of a handler's method; the first is outermost.
	Middleware []Middleware
	// Phase finds out why a request came, as stackphase.Lookup does. op is the event: its type,
	// Create, Update or Delete, its physical ID, and what it made. If Phase is nil, or fails, the
	// phase is lifecycle.PhaseUnknown.
	//
	// Besides [Request.Phase], the dispatcher calls it where an event does not say whether
	// CloudFormation still waits for it, whether it belongs to a rollback, or whether the stack
	// uses what a Delete would delete.
	Phase func(ctx context.Context, op *Operation) (lifecycle.Phase, error)
	// Continue sends payload to this function again, to be handled by another invocation after this
	// one, as selfinvoke.Option does. With it a [Poll] that the end of its invocation cuts off goes
	// on in the next, until CloudFormation stops waiting: the method is called again, or Update if
	// Create made something, with the same IdempotencyToken. It needs Phase, to stop when the stack
	// rolls back.
	//
	// An error with a code, as [Errorf] makes, says that payload was surely not accepted: the event
	// is answered FAILED. Any other error leaves that open, and the invocation fails, so that
	// Lambda delivers the event again. payload holds the signed URL: keep it out of logs and
	// errors.
	Continue func(ctx context.Context, payload []byte) error
	// Describe describes resource types, as the result of an invocation with the
	// payload {"cfnresource": "describe"}. schema.Describe sets it. If it is nil, the
	// payload is refused like any other that is no event.
	Describe func(types []ResourceType) ([]byte, error)
	// ResponseHosts are the hosts that answers may be sent to besides CloudFormation's own, as HOST
	// or HOST:PORT, always over HTTPS, or as http://HOST:PORT for a loopback address. The
	// environment variable CFNRESOURCE_RESPONSE_HOSTS, separated by commas, adds to them.
	ResponseHosts []string
}

// check returns what is wrong with the options, or nil.
func (o *Options) check() error {
	var errs []error
	if slices.ContainsFunc(o.Middleware, func(mw Middleware) bool { return mw == nil }) {
		errs = append(errs, errors.New("Options.Middleware holds nil: leave it out"))
	}
	if o.Continue != nil && o.Phase == nil {
		errs = append(errs, errors.New("Options.Continue is set without Options.Phase, so work would go on after the stack begins to roll back: add stackphase.FromEnvironment"))
	}
	if n := o.IDLength; n != 0 && (n < physicalid.MinLength || n > physicalid.MaxLength) {
		errs = append(errs, fmt.Errorf("Options.IDLength is %d: make it 0, or %d to %d", n, physicalid.MinLength, physicalid.MaxLength))
	}
	if min(o.ResponseMargin, o.LostGrace, o.FindLag, o.PermissionLag) < 0 {
		errs = append(errs, errors.New("Options.ResponseMargin, LostGrace, FindLag or PermissionLag is negative: make it 0 or more"))
	}
	return errors.Join(errs...)
}

// sender returns what delivers the answers.
func (o *Options) sender() (response.Sender, error) {
	if o.Sender != nil {
		return o.Sender, nil
	}
	hosts := o.ResponseHosts
	if env := os.Getenv("CFNRESOURCE_RESPONSE_HOSTS"); env != "" {
		hosts = append(strings.Split(env, ","), hosts...)
	}
	s := response.NewSender(os.Getenv("AWS_REGION"), response.SenderOptions{Hosts: hosts})
	return s, s.Err()
}

// An Operation is one call of a handler's method, as a [Middleware] sees it, or
// the event whose phase [Options].Phase is asked for.
type Operation struct {
	Request
	Name string // "Create", "Update", "Delete" or "Find"
	// PhysicalID is the ID of the resource that is updated or deleted, or that
	// Find reads directly; else "".
	PhysicalID string
	// CreatedID is the ID of a thing that the dispatcher would delete: a Create or Update has made
	// it, or a Delete is about to delete it. Else it is "". If the stack has it under the logical
	// ID, and does not delete it, the phase is lifecycle.PhaseNotAwaited.
	CreatedID string
	// SentAt is when CloudFormation sent the event, to the second, or zero if that is not known.
	SentAt time.Time
}

// Middleware runs around a handler's method: it calls next, which calls the method, and returns
// what next returned or another error. If it drops the method's error, the call has failed all the
// same. If a call is tried again, each try goes through it.
type Middleware func(ctx context.Context, op *Operation, next func(context.Context) error) error
