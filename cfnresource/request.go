package cfnresource

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A Request says which resource an event is about. It is part of every request that a handler gets.
// However it is printed, logged or marshalled, only these four fields appear: the properties of the
// request that it is part of stay out of logs.
type Request struct {
	RequestID    string  // CloudFormation's, which may reuse it
	StackID      StackID // the stack's ARN
	LogicalID    string  // the resource's name in the template
	ResourceType string  // Custom::NAME or AWS::CloudFormation::CustomResource

	state *requestState // nil in a request that is not the dispatcher's
}

// A requestState is what the dispatcher knows of a request besides its fields.
type requestState struct {
	stableID     string
	idLength     int
	execution    *execution  // nil in the Operation for Options.Phase
	more         []string    // what distinguishes the request from others of the event
	stableIDUsed atomic.Bool // whether the handler asked for the StableID
}

// requestOf returns what an event is about.
func requestOf(ev *event.Event) Request {
	return Request{RequestID: ev.RequestID, StackID: StackID(ev.StackID), LogicalID: ev.LogicalID, ResourceType: ev.ResourceType}
}

// StableID returns the ID that belongs to this physical resource: made of the stack, the logical ID
// and the properties tagged createOnly, the same in every event about it, and another one for its
// replacement. It is a valid name for most things (see [physicalid.Stable]), and nobody else's: use
// it as the name, or as the tag that says whose the thing is. In an Update it belongs to the new
// properties.
//
// In a request that a test made by hand, it depends on no property.
func (r Request) StableID() string {
	if r.state == nil {
		return physicalid.Stable(string(r.StackID), r.LogicalID, "", 0)
	}
	r.state.stableIDUsed.Store(true)
	return r.state.stableID
}

// StableIDOf returns the StableID of a thing that has a name of its own, such as a bucket or a
// database that the template names: the mark that says which resource it belongs to. It is the same
// in every event of this resource that has that name, whatever its other properties are. Compare
// the mark of a thing with that of the name in Properties: every thing of this resource bears the
// mark of its own name.
func (r Request) StableIDOf(name string) string {
	var idLength int
	if r.state != nil {
		idLength = r.state.idLength
		r.state.stableIDUsed.Store(true)
	}
	return physicalid.Stable(string(r.StackID), r.LogicalID, name, idLength)
}

// IdempotencyToken returns a UUID that is the same for every delivery of this request and another
// one for any other request, for parameters such as ClientToken and ClientRequestToken.
func (r Request) IdempotencyToken() string {
	if r.state == nil || r.state.execution == nil {
		return tokenOf(string(r.StackID), r.LogicalID, r.RequestID)
	}
	return tokenOf(append(r.state.execution.token(), r.state.more...)...)
}

// Phase returns why this request came, or lifecycle.PhaseUnknown where Options.Phase is not set or
// cannot tell. It asks once for each event, when Phase is first called, for at most two seconds. A
// failure is logged, and the phase is then unknown.
//
// It is the phase of the stack when it was asked for. A request that a rollback has overtaken looks
// like one of the rollback's, or like one that nobody waits for.
func (r Request) Phase(ctx context.Context) lifecycle.Phase {
	if p, ok := hook.Phase(ctx); ok {
		return p
	}
	if r.state == nil || r.state.execution == nil {
		return lifecycle.PhaseUnknown
	}
	return r.state.execution.phase.start()
}

// String returns the resource's type, logical ID and stack, and the request's ID.
func (r Request) String() string {
	return fmt.Sprintf("%s %s of stack %s (request %s)", event.Printable(r.ResourceType), event.Printable(r.LogicalID), event.Printable(r.StackID.StackName()), event.Printable(r.RequestID))
}

// GoString returns what String returns.
func (r Request) GoString() string { return r.String() }

// Format writes what String returns, whatever the verb: %+v and %d would
// otherwise print the properties of the request that r is part of.
func (r Request) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, r.String()) }

// LogValue returns the four fields as a group.
func (r Request) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("type", event.Printable(r.ResourceType)),
		slog.String("logicalId", event.Printable(r.LogicalID)),
		slog.String("stackId", event.Printable(string(r.StackID))),
		slog.String("requestId", event.Printable(r.RequestID)),
	)
}

// MarshalJSON writes the four fields.
func (r Request) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{
		"ResourceType": r.ResourceType, "LogicalID": r.LogicalID, "StackID": string(r.StackID), "RequestID": r.RequestID,
	})
}

// A StackID is the ID of a stack, an ARN:
// arn:aws:cloudformation:us-west-2:123456789012:stack/NAME/UUID. Its methods
// return "" for what is not of that form.
type StackID string

// Partition returns "aws", "aws-cn", "aws-us-gov", …
func (id StackID) Partition() string { return id.field(1) }

// Region returns the stack's Region.
func (id StackID) Region() string { return id.field(3) }

// Account returns the account that the stack belongs to.
func (id StackID) Account() string { return id.field(4) }

// StackName returns the stack's name.
func (id StackID) StackName() string { return physicalid.StackName(string(id)) }

func (id StackID) field(i int) string {
	fields := strings.SplitN(string(id), ":", 6)
	if len(fields) < 6 || fields[0] != "arn" {
		return ""
	}
	return fields[i]
}
