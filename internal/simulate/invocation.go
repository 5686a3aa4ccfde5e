package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/response"
)

// An invocation is one process's work on one event, as Lambda runs it. The
// Stack's lock guards what changes.
type invocation struct {
	stack    *Stack
	exchange *exchange
	link     int         // which of its event's chain it is, from 1
	fault    fault.Fault // this invocation's; the exchange's was for the first one
	delivery *Delivery
	kill     context.CancelFunc
	over     <-chan struct{} // closed when it must have ended
	skipTime func()          // ends the handler's time early; nil in virtual time

	ended         string // how; "" if well
	faultHappened bool   // the fault has happened
	undelivered   bool   // it kept the answer from the bucket
	unheard       bool   // it kept Lambda's response to a continuation from the function
	returned      bool   // Invoke has returned: Lambda freezes the process
	outOfTime     bool   // a method's time was over before it returned
	goesOn        bool   // a Step came after Invoke had returned, though there was time
	dead          bool   // the process has ended: nothing that it still seems to do happens
	answers       []sentAnswer
	continuations [][]byte // to further invocations
	method        string   // of the handler, that was called last
	pollHeld      bool     // a Poll was kept waiting in it by a fault
	polled        bool     // a method called a Poll
	pollFailed    bool     // the function that a Poll calls met an error of the service, the last time
	failures      int      // the kit's, for which no pause has been skipped yet
	skipped       int      // how many pauses
	throttled     int      // how often it was throttled
	steppedAt     time.Time
	atOnce        int // how many Steps it took then
}

// A sentAnswer is an answer of the function's, and what package answercheck reads in it.
type sentAnswer struct {
	body     []byte
	response *answercheck.Response
}

// invoke hands a payload to a process, and returns when it has ended.
func (s *Stack) invoke(x *exchange, payload []byte, f fault.Fault, link int, record bool) *invocation {
	inv := &invocation{
		stack:    s,
		exchange: x,
		link:     link,
		fault:    f,
		delivery: &Delivery{Link: link, Record: record},
	}
	s.mu.Lock()
	if link > 1 {
		s.logAboutLocked(x, engine.NoteCall, "  invocation %d of the %s of %s", link, x.sent.RequestType, x.sent.LogicalID)
	}
	x.deliveries = append(x.deliveries, inv.delivery)
	if a := actOf(f.Kind, starting, link); a.does == dies {
		inv.die(a.text)
		inv.ended, inv.delivery.Ended = endedDead, endedDead
	}
	s.mu.Unlock()
	if inv.ended != "" {
		return inv
	}

	// Give the dispatcher its context.
	ctx, cancel := context.WithTimeout(s.base, s.opts.Timeout)
	defer cancel()
	inv.kill, inv.over = cancel, ctx.Done()
	given := ctx
	if s.opts.RealTime {
		given, inv.skipTime = withEarlyEnd(ctx)
	}
	given = context.WithValue(given, invocationKey{}, inv)
	given = hook.WithCalls(given, inv.call)
	given = hook.WithSender(given, inv)
	given = hook.WithChain(given, inv.chain())

	// Run the process until it ends or its time is over.
	result := make(chan error, 1)
	go func() {
		err := errExited
		defer func() {
			if r := recover(); r != nil {
				err = &panicError{fmt.Sprint(r)}
			}
			result <- err
		}()
		p := s.process()
		if s.opts.Warm > 1 {
			s.logAbout(x, engine.NoteTold, "  process %d handles it", p.number)
		}
		_, err = p.Invoke(given, payload)
		s.keepWarm(inv, p)
	}()
	err := inv.wait(ctx, result)

	// Judge how it ended.
	s.mu.Lock()
	defer s.mu.Unlock()
	inv.ended, inv.returned = inv.judge(err), true
	inv.delivery.Ended = inv.ended
	return inv
}

// publishAnswers has CloudFormation read the answers of an invocation that has ended.
func (inv *invocation) publishAnswers() {
	s := inv.stack
	for _, answer := range inv.answers {
		if a := inv.act(readingAnswer); a.does == loses {
			s.faultHappens(inv.exchange, a)
			continue
		}
		s.mu.Lock()
		if inv.exchange.Outcome == "" {
			inv.exchange.response = answer.response
		}
		s.mu.Unlock()
		waited, _ := inv.exchange.live.Answer(inv.exchange.sent.RequestID, answer.body) // the error is that of Save, which has none
		if !waited {
			s.logAbout(inv.exchange, engine.NoteLate, "  CloudFormation no longer waits for this answer")
		}
	}
}

// How an invocation ended.
const (
	endedDead    = "died"
	endedTimeout = "timed out"
	endedError   = "error"
)

var (
	errExited   = errors.New("Invoke ended its goroutine (runtime.Goexit)")
	errTimedOut = errors.New("the function's time was over")
	errDead     = errors.New("the process has ended")
	errRefused  = errors.New("the response bucket cannot be reached")
)

type panicError struct{ text string }

func (e *panicError) Error() string { return "panic: " + e.text }

// wait waits for the result of Invoke. Lambda ends the process when the time is over; then and when
// it has died, there is a second in which Invoke may still return.
func (inv *invocation) wait(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case err := <-result:
		return err
	case <-timer.C:
		return errTimedOut
	}
}

// judge says how the invocation ended, and records violations. The caller holds the lock.
func (inv *invocation) judge(err error) (ended string) {
	s, q := inv.stack, inv.exchange.sent
	var panicking *panicError

	// The first that holds decides: a process that died can do nothing wrong.
	switch {
	// The process has ended, by a fault or by the handler.
	case inv.dead:
		return endedDead
	case errors.Is(err, errTimedOut):
		inv.dead = true
		s.violate("the function's time (%v) was over before Invoke of the %s of %s returned: Lambda ends the process", s.opts.Timeout, q.RequestType, q.LogicalID)
		return endedTimeout
	case errors.As(err, &panicking), errors.Is(err, errExited):
		inv.dead = true
		s.violate("Invoke of the %s of %s did not return, which ends the process: %v", q.RequestType, q.LogicalID, err)
		return endedDead

	// An error is right only if the handler could not do what it had to.
	case inv.undelivered && err == nil:
		s.violate("the answer to the %s of %s could not be delivered, and Invoke returned nil: Lambda does not deliver the event again", q.RequestType, q.LogicalID)
		return ""
	case inv.undelivered, inv.unheard:
		return endedError
	case err != nil:
		s.violate("Invoke of the %s of %s returned an error, for which Lambda delivers the event again: %v", q.RequestType, q.LogicalID, err)
		return endedError

	// A process that ended well answers once or continues.
	case inv.delivery.Continued && len(inv.answers) > 0:
		s.violate("the %s of %s was answered, and yet continues in another invocation", q.RequestType, q.LogicalID)
	case inv.delivery.Continued:
	case len(inv.answers) == 0:
		s.violate("the %s of %s was not answered: CloudFormation waits for its ServiceTimeout, an hour by default", q.RequestType, q.LogicalID)
	case len(inv.answers) > 1:
		s.violate("the %s of %s was answered %d times by one process: CloudFormation reads one of the answers", q.RequestType, q.LogicalID, len(inv.answers))
	}
	return ""
}

// A process is the function in one execution environment.
type process struct {
	Function

	number int // from 1
}

// process returns a process: a warm one if there are as many as Options.Warm says, or a new one.
func (s *Stack) process() (p process) {
	s.mu.Lock()
	if s.opts.Warm > 0 && len(s.warm) == s.opts.Warm {
		p, s.warm = s.warm[0], s.warm[1:]
		s.mu.Unlock()
		return p
	}
	s.processes++
	p.number = s.processes
	s.mu.Unlock()
	p.Function = s.function()
	return p
}

// keepWarm keeps a process for a later event, if it lives and Options.Warm has room for it.
func (s *Stack) keepWarm(inv *invocation, p process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if inv.dead || len(s.warm) == s.opts.Warm {
		return
	}
	s.warm = append(s.warm, p)
}

// Send is the response bucket.
func (inv *invocation) Send(_ context.Context, _ response.URL, body []byte) error {
	s := inv.stack
	s.mu.Lock()
	defer s.mu.Unlock()
	if inv.dead || inv.returned {
		return errDead
	}
	switch a := inv.act(answering); a.does {
	case dies:
		inv.die(a.text)
		return errDead
	case loses:
		inv.undelivered = true
		inv.faultHappens(a.text)
		return errRefused
	}
	// Judge the answer as CloudFormation reads it.
	a, err := answercheck.Read(judgedRequest(inv.exchange.sent), body)
	if err != nil {
		s.violate("CloudFormation would not accept the answer to the %s of %s: %v", inv.exchange.sent.RequestType, inv.exchange.sent.LogicalID, err)
	}
	a.Invocations = inv.link
	// A SUCCESS has to be true: what a Poll waited for is ready, and the service has said so.
	isSuccess, x := a.Status == "SUCCESS", inv.exchange
	isTooSoon := inv.mustWait() && s.now().Before(x.readyAt)
	if isSuccess && isTooSoon {
		s.addViolation(Violation{TooSoon: true, Text: fmt.Sprintf("the %s of %s was answered SUCCESS though the thing that a Poll waited for was not ready: have each method that can be called next wait for it, "+
			"and return Poll's error", x.Type, x.LogicalID)})
	}
	if isSuccess && inv.pollFailed {
		s.addViolation(Violation{TooSoon: true, Text: fmt.Sprintf("the %s of %s was answered SUCCESS though the service failed when a Poll asked it the last time: have the function that Poll calls return the error, "+
			"and the method return Poll's error", x.Type, x.LogicalID)})
	}
	// Keep it, for the stack and for the story.
	if inv.delivery.Response == nil {
		inv.delivery.Response = &a
	}
	inv.answers = append(inv.answers, sentAnswer{bytes.Clone(body), &a})
	s.addPhysicalID(a.PhysicalResourceID)
	s.logAboutLocked(inv.exchange, engine.NoteTold, "  answered %s %s", StatusText(a.Status, a.Reason), a.PhysicalResourceID)
	return nil
}
