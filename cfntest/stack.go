package cfntest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Stack is a stack in CloudFormation, as far as it concerns custom resources, in this process: it
// plays creations, updates, replacements, rollbacks and deletions against a function, with what
// goes wrong in them ([fault.Fault]), without AWS and without a network.
//
//	func TestAFailedUpdateIsRolledBack(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) {
//			hub := newHub()
//			stack := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function {
//				return cfnresource.New(&Subscription{hub})
//			}})
//			stack.Deploy(cfntest.Template{"Topic": {Properties: Props{Topic: "orders"}}})
//			// an update that fails, and what the hub has then
//		})
//	}
//
// It belongs in a [testing/synctest] bubble, in which an hour's wait takes no time; see
// [StackOptions] for handlers that do real I/O. Each invocation of the function is a new process
// with the function's timeout, and answers are read as CloudFormation reads them. The test fails,
// with the stack's story, if one is missing, comes twice, or is of a form that CloudFormation does
// not accept, and if a method of the handler never returns. A FAILED answer is for the test to
// judge.
//
// What the Dispatcher logs goes to the test's log, unless Options.Logger is set: go test
// shows it where the test fails, or with -v.
//
// If the function continues, a further invocation gets what it sends itself,
// and its phase is the stack's, whatever its options are.
//
// What it cannot do: its templates have no references, parameters, conditions, outputs, nested
// stacks, imports or change sets. It does not freeze processes between invocations, as Lambda does,
// and one that has died runs on until it calls [Step]. There is one function. Where AWS does not
// say what happens, it plays one way of several, which StackOptions.Assume changes.
type Stack struct {
	t testing.TB
	p *simulate.Stack
}

// StackOptions change how a [Stack] is played.
type StackOptions struct {
	Name string // my-stack if empty
	// Timeout is the function's. If zero, it is a minute, which is too little for one that continues.
	Timeout time.Duration
	// Another Seed gives the same stack other IDs.
	Seed uint64
	// Warm is how many processes are kept for later events until they die, and take
	// turns: one, as mostly in Lambda, or more. If zero, each event meets a new one.
	Warm int
	// RealTime is for handlers that do real I/O, such as sockets, which virtual time cannot wait
	// for: it stands still, and the test hangs until go test ends it. The Stack is then used
	// outside of a bubble. Handlers take their real time. The Stack skips waits in which nothing
	// runs, for answers that will not come and before Lambda tries again, and after a Fault the
	// rest of the function's time, and the pauses of the dispatcher, of Retry and of Poll before
	// they try again. It dates a Delete with an ID that CloudFormation made up back by the
	// function's timeout, unless something runs, so that it need not wait for a Create that may
	// still run. The Delete does wait for Options.FindLag, while lists may not show everything: set
	// that to what the service needs.
	RealTime bool
	// Assume makes CloudFormation behave in another way where AWS does not document how: READING or
	// READING=WAY each, such as preserved-create. The readings are listed in docs/rough_edges.md.
	Assume []string
}

// A Deployment is how a template is deployed.
type Deployment struct {
	// DisableRollback keeps what succeeded when something fails.
	DisableRollback bool
	// OnFailure, of a creation, is ROLLBACK, which is the default, DELETE or DO_NOTHING.
	OnFailure string
}

// NewStack returns a stack that does not exist yet. Of the service, only Function is needed.
func NewStack(t testing.TB, s Service, optFns ...func(*StackOptions)) *Stack {
	t.Helper()
	var o StackOptions
	for _, fn := range optFns {
		fn(&o)
	}
	if mayWait := o.RealTime || simulate.InBubble(); !mayWait {
		t.Fatalf("cfntest: a Stack waits for hours: have it do so in virtual time, in testing/synctest.Test, or set RealTime")
	}
	p, err := simulate.New(logTo(context.WithoutCancel(t.Context()), t), s.Function, simulate.Options(o))
	if err != nil {
		t.Fatalf("cfntest: %v", err)
	}
	stack := &Stack{t, p}
	t.Cleanup(stack.close)
	return stack
}

// Deploy creates the stack, or updates it if it exists, plays until it is at
// rest, and returns its status, such as UPDATE_ROLLBACK_COMPLETE. It fails the
// test if CloudFormation would refuse to start, as when nothing changed.
//
// A handler may still run then: one whose request was cancelled, or one that an event was delivered
// to twice. It goes on while the next operation is played, or with [Stack.Settle].
func (s *Stack) Deploy(t Template, optFns ...func(*Deployment)) (status string) {
	s.t.Helper()
	var d Deployment
	for _, fn := range optFns {
		fn(&d)
	}
	return s.after(s.p.Deploy(t.behind(), simulate.DeployOptions(d)))
}

// Destroy deletes the stack. Resources to retain can be named only when it is in DELETE_FAILED.
func (s *Stack) Destroy(retain ...string) (status string) {
	s.t.Helper()
	return s.after(s.p.Destroy(retain))
}

// Cancel cancels the update that another goroutine's Deploy plays (CancelUpdateStack), or deletes
// the stack that it creates. It does not wait. It fails the test if there is nothing to cancel.
func (s *Stack) Cancel() {
	s.t.Helper()
	if err := s.p.Cancel(); err != nil {
		s.t.Errorf("cfntest: %v", err)
	}
}

// Rollback leads a stack that failed with DisableRollback back to its last
// stable state (RollbackStack).
func (s *Stack) Rollback() (status string) {
	s.t.Helper()
	return s.after(s.p.Rollback())
}

// ContinueRollback goes on with a rollback that failed. The resources to skip count as rolled back.
func (s *Stack) ContinueRollback(skip ...string) (status string) {
	s.t.Helper()
	return s.after(s.p.ContinueRollback(skip))
}

// Settle waits until no invocation and no method of the handler runs any more.
func (s *Stack) Settle() {
	s.t.Helper()
	s.report(s.p.Settle())
}

// Inject makes something go wrong with a later request. Of several faults, the
// first that fits a request counts. The test fails if no request meets it, such as one that calls
// [Step] less often than the fault says.
func (s *Stack) Inject(f fault.Fault) {
	s.t.Helper()
	if err := s.p.Inject(f); err != nil {
		s.t.Fatalf("cfntest: %v", err)
	}
}

// Status returns the stack's status; "" if it was never created.
func (s *Stack) Status() string { return string(s.p.Status()) }

// Requests returns all requests, in the order in which they were sent.
func (s *Stack) Requests() []StackRequest {
	var all []StackRequest
	for _, r := range s.p.Requests() {
		all = append(all, requestOf(r))
	}
	return all
}

// Events returns the rows of the stack's events, oldest first.
func (s *Stack) Events() (rows []StackEvent) {
	for _, e := range s.p.Events() {
		rows = append(rows, StackEvent(e))
	}
	return rows
}

// PhysicalID returns a resource's physical ID, or "" if there is none.
func (s *Stack) PhysicalID(logicalID string) string { return s.p.PhysicalID(logicalID) }

// Data returns what Fn::GetAtt reads of a resource: the Data of the latest SUCCESS answer.
func (s *Stack) Data(logicalID string) map[string]any { return s.p.Data(logicalID) }

// Story returns what happened, line by line, with the names of properties and none of their values.
func (s *Stack) Story() string { return s.p.Story() }

// after reports what an operation found.
func (s *Stack) after(err error) (status string) {
	s.t.Helper()
	s.report(err)
	return s.Status()
}

// report fails the test for what went wrong, which ends it if the stack cannot go on.
func (s *Stack) report(err error) {
	s.t.Helper()
	// A violation found before the stack stopped is mostly why it stopped: both are told.
	var wrong []string
	for _, v := range s.p.TakeViolations() {
		wrong = append(wrong, v.Text)
	}
	switch {
	case err != nil:
		wrong = append(wrong, err.Error())
		s.t.Fatalf("cfntest: %s\n%s", strings.Join(wrong, "\n"), s.p.Story())
	case wrong != nil:
		s.t.Errorf("cfntest: %s\n%s", strings.Join(wrong, "\n"), s.p.Story())
	}
}

// close is called at the end of the test.
func (s *Stack) close() {
	if err := s.p.Settle(); err != nil {
		s.t.Errorf("cfntest: %v\n%s", err, s.p.Story())
	}
	s.report(nil) // what was found since the last operation
	for _, f := range s.p.TakeFaults() {
		s.t.Errorf("cfntest: no request met the fault %s: none was sent, or its method calls Step less often, or waits in no Poll", f)
	}
}

// A Template is what a [Stack] is created from or updated to: resources, by their logical IDs.
type Template map[string]Resource

// A Resource is one resource of a [Template]. One of a type that begins with
// Custom::, or of AWS::CloudFormation::CustomResource, is the handler's. Any
// other is a stand-in, which does nothing and succeeds, and is never replaced.
type Resource struct {
	Type       string // Custom::Resource if empty
	Properties any    // a struct or a map, sent as by [CreateEvent]; nil is none
	DependsOn  []string

	DeletionPolicy      string // Delete, Retain or RetainExceptOnCreate
	UpdateReplacePolicy string // Delete or Retain

	ServiceTimeout int // seconds; if zero, CloudFormation waits an hour

	// Fails is the reason for which a stand-in fails to be created or updated;
	// if empty, it succeeds. It makes an operation roll back what was done
	// before: have the stand-in depend on it.
	Fails string
}

func (t Template) behind() simulate.Template {
	out := make(simulate.Template, len(t))
	for id, r := range t {
		out[id] = simulate.Resource{
			Type: r.Type, Properties: simulate.Sent(r.Properties), DependsOn: r.DependsOn,
			DeletionPolicy: r.DeletionPolicy, UpdateReplacePolicy: r.UpdateReplacePolicy,
			ServiceTimeout: r.ServiceTimeout, Fails: r.Fails,
		}
	}
	return out
}

// A StackRequest is what CloudFormation asked for, and what came of it: plain data,
// the same in each run.
type StackRequest struct {
	Type         string // Create, Update or Delete
	LogicalID    string
	ResourceType string
	PhysicalID   string // "" in a Create
	// The properties as the handler got them, without the ServiceToken.
	// OldProperties are nil except in an Update.
	Properties, OldProperties map[string]any

	// Fault is what went wrong with it, once it has.
	Fault fault.Kind
	// Deliveries are the invocations with it, in the order in which they began.
	Deliveries []Delivery
	// Outcome is what CloudFormation takes it for: Succeeded, Failed, Rejected (an answer in a form
	// that it does not accept), TimedOut or Cancelled; "" while it is waited for.
	Outcome string
	// Response is the one that CloudFormation read, or nil.
	Response *Response
}

// A Delivery is one invocation of the function with a request.
type Delivery struct {
	Calls    []Call    // of the handler's methods
	Steps    int       // how often Step was called
	Response *Response // nil if there was none
	// Ended says how the invocation ended, if not with nil: "died", "timed
	// out", or "error", for which Lambda delivers the event again.
	Ended string
	// Record says that not the event was delivered, but the record of its
	// failure, as to an on-failure destination.
	Record bool
	// Link is the number of the invocation among those that the event took,
	// from 1. Two of one number are Lambda's tries.
	Link int
	// Continued says that it answered nothing, since it sent the event on to
	// another invocation.
	Continued bool
}

// A Call is one call of a handler's method.
type Call struct {
	Method     string // Create, Update, Delete or Find
	PhysicalID string // that it was called for
	Returned   string // the ID that Find returned
	Created    string // the ID that Create has named with Created
	Error      string // what it returned, or how it ended
	Code       string // of the error, if it has one, as by cfnresource.CodeOf
	// Abandoned says that the method had not returned when the event was answered: it does not
	// return when its context ends. Lambda then freezes the process, and the method goes on during
	// a later event, or never.
	Abandoned bool
}

// A StackEvent is a row of the stack's events, as the console shows them, oldest first.
type StackEvent struct {
	Time       time.Time
	LogicalID  string // the stack's name in rows about the stack
	PhysicalID string
	Type       string
	Status     string
	Reason     string
}

// String says how a call ended, without the text of its error.
func (c Call) String() string { return simulate.Call(c).String() }

func requestOf(r simulate.Request) StackRequest {
	out := StackRequest{
		Type:          r.Type,
		LogicalID:     r.LogicalID,
		ResourceType:  r.ResourceType,
		PhysicalID:    r.PhysicalID,
		Properties:    r.Properties(),
		OldProperties: r.OldProperties(),
		Outcome:       r.Outcome,
		Response:      (*Response)(r.Response()),
	}
	if r.FaultHit { // else it was injected, and has not struck
		out.Fault = r.Fault.Kind
	}
	for _, d := range r.Deliveries {
		out.Deliveries = append(out.Deliveries, deliveryOf(d))
	}
	return out
}

func deliveryOf(d simulate.Delivery) Delivery {
	out := Delivery{
		Steps:     d.Steps,
		Response:  (*Response)(d.Response),
		Ended:     d.Ended,
		Record:    d.Record,
		Link:      d.Link,
		Continued: d.Continued,
	}
	for _, c := range d.Calls {
		out.Calls = append(out.Calls, Call(c))
	}
	return out
}
