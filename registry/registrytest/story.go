package registrytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// A story tells what has happened, a line for each call.
type story struct {
	began time.Time

	mu    sync.Mutex // a method adds its steps, perhaps after its time
	lines []line
}

type line struct {
	at    time.Duration
	text  string
	times int // that it happened, one after the other
}

func (s *story) tell(format string, args ...any) {
	const longest = 300
	text := fmt.Sprintf(format, args...)
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.lines) - 1; last >= 0 && s.lines[last].text == text {
		s.lines[last].times++
		return
	}
	s.lines = append(s.lines, line{time.Since(s.began).Truncate(time.Second), text, 1})
}

// tellCall adds a call and its answer.
func (s *story) tellCall(r request, a answer) {
	text := r.action
	if id := r.now.id(); id != "" {
		text += " of " + id
	}
	if r.context != nil {
		text = "with its callback, " + text
	} else if r.action == "CREATE" {
		text += " with " + strings.Join(slices.Sorted(maps.Keys(r.now)), ", ")
	}
	text += " is answered " + a.Status
	switch {
	case a.Status == "FAILED":
		text += ": " + string(a.ErrorCode) + ": " + a.Message
	case r.action == "LIST":
		var ids []string
		for _, m := range a.ResourceModels {
			ids = append(ids, m.id())
		}
		text += fmt.Sprintf(": %q", ids)
	case a.ResourceModel.id() != "" && a.ResourceModel.id() != r.now.id():
		text += ": " + a.ResourceModel.id()
	}
	s.tell("%s", text)
}

func (s *story) String() string {
	const first, last = 10, 15
	var b strings.Builder
	s.mu.Lock()
	defer s.mu.Unlock()
	// The first lines say what was set up, and the last ones what went wrong.
	for i, l := range s.lines {
		if left := len(s.lines) - first - last; left > 1 && i >= first && i < first+left {
			if i == first {
				fmt.Fprintf(&b, "%8s  %d more lines\n", "…", left)
			}
			continue
		}
		fmt.Fprintf(&b, "%8v  %s", l.at, l.text)
		if l.times > 1 {
			fmt.Fprintf(&b, " (%d times)", l.times)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A finding is what is wrong with a resource, and what helps where that is known.
type finding struct {
	what, cure string
}

func (f *finding) Error() string { return f.what }

func wrongWith(cure, format string, args ...any) error {
	return &finding{fmt.Sprintf(format, args...), cure}
}

// report is a failure in words: what happened, what is wrong, and what helps.
func (c *client) report(err error, log, cure string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "What happened:\n%s%v.", c.story.String(), err)
	if log != "" {
		fmt.Fprintf(&b, "\nThe end of the log:\n%s", log)
	}
	if f, ok := errors.AsType[*finding](err); ok {
		cure = cmp.Or(f.cure, cure)
	}
	if cure != "" {
		fmt.Fprintf(&b, "\nWhat helps: %s.", cure)
	}
	return b.String()
}

// What helps if a check fails. A [finding] may know better.
const (
	cureRead    = "have Read find the resource by the physical ID alone, and return all properties as the service has them"
	cureUpdate  = "have Update set every property, and clear those that are left out, and have Read show that"
	cureList    = "have List return the ID of each existing resource once, over all pages, and an empty token at the end"
	cureGone    = "have Read, Update and Delete return CodeNotFound for a resource that does not exist, and Delete wait until it is deleted"
	cureAgain   = "make each method safe to call again: check whether an earlier call did the work, keep nothing in memory, and change nothing in a goroutine that outlives its method"
	cureAlone   = "run TestContract, whose checks tell more of a resource that is wrong without a fault"
	cureInputs  = "give Inputs properties of the handler's own type that it accepts, and an Update that it can make in place"
	cureNames   = "free what a resource holds, such as its name, before Delete returns"
	cureCreated = "call Created with the ID as soon as there is one, before you wait for the resource. If the service assigns its ID late, call Created with the ID of the service's job, or with the StableID, by which Create marks the thing and each method finds it: return the service's ID as an attribute"
	cureFound   = "have Read find the resource by the ID in the answer, which is the one passed to Created, or StableID. Return an ID that the service assigns late as an attribute"
	cureFind    = "have Create mark the resource with StableID, and implement Find, or pass IdempotencyToken to the service"
)

// lifecycle creates, updates and deletes a resource. It checks that there is one, and
// none in the end.
func (c *client) lifecycle() error {
	m, err := c.create()
	if err != nil {
		return err
	}
	if err := c.onlyResource(m); err != nil {
		return err
	}
	if m, err = c.update(m); err != nil {
		return err
	}
	if err := cmp.Or(c.checkRead(m), c.onlyResource(m)); err != nil {
		return err
	}
	if err := c.delete(m); err != nil {
		return err
	}
	ids, err := c.there()
	if err == nil && len(ids) > 0 {
		err = fmt.Errorf("After the DELETE there are still %q", ids)
	}
	return err
}

// onlyResource checks that there is no other resource.
func (c *client) onlyResource(m model) error {
	ids, err := c.there()
	if err == nil && (len(ids) != 1 || ids[0] != m.id()) {
		err = fmt.Errorf("The resources are %q, want %s alone", ids, m.id())
	}
	return err
}

// processDies makes each call to a new process, as if the one that answered IN_PROGRESS had died.
func processDies(c *client) error {
	c.before = c.restart
	return c.lifecycle()
}

func callbackTwice(c *client) error {
	c.twice = true
	return c.lifecycle()
}

// createAnswerLost loses the first answer to a CREATE: the process dies, and another
// gets the same request.
func createAnswerLost(c *client) error {
	r := c.new("CREATE", c.wire.create, nil)
	if _, err := c.send(r); err != nil {
		return err
	}
	c.restart()
	a, err := c.complete(r)
	if err != nil {
		return err
	}
	if a.Status == "FAILED" && a.ErrorCode != cfnresource.CodeAlreadyExists {
		return fmt.Errorf("the same CREATE fails with %s (%s), want its resource, or AlreadyExists", a.ErrorCode, a.Message)
	}
	ids, err := c.there()
	if err == nil && len(ids) != 1 {
		err = fmt.Errorf("One CREATE, sent twice, has made %q", ids)
	}
	return err
}

// throttled throttles two of three calls: Read and Find before their work, Update and
// Delete after it, so that repeated calls must do no harm.
func throttled(c *client) error {
	n := 0
	c.calls(c.ctx, func(_ context.Context, call hook.Call, method hook.Method) (id string, err error) {
		n++
		switch again := n%3 != 0; call.Method {
		case "Read", "Find":
			if !again {
				return method()
			}
		case "Delete", "Update":
			if id, err = method(); !again || err != nil {
				return id, err
			}
		default:
			return method()
		}
		return "", cfnresource.Errorf(cfnresource.CodeThrottling, "rate exceeded")
	})
	return c.lifecycle()
}

// slowService ends each call of CREATE, UPDATE and DELETE so soon that even a service that takes only
// seconds is slower. A request that is cut off in this way may fail, but none goes on for ever.
func slowService(c *client) error {
	if c.realTime { // a real service's speed cannot be changed
		return nil
	}
	defer guard.Sleep(c.ctx, leftoverTime) // a method may return late, if it returns
	c.limit = time.Second
	c.story.tell("the service is slow: each call ends after %s", c.limit)
	a, err := c.complete(c.new("CREATE", c.wire.create, nil))
	if made := a.ResourceModel; err == nil && a.Status == "SUCCESS" {
		a, err = c.complete(c.new("UPDATE", c.wire.update.with(made.id()), made))
	}
	// A request may run out of time. If it succeeds, its work has to be done.
	if err != nil || a.Status != "SUCCESS" {
		return err
	}
	if err := c.compareLate("the resource that UPDATE answers", c.wire.update, a.ResourceModel); err != nil {
		return err
	}
	_, err = c.complete(c.new("DELETE", a.ResourceModel, nil))
	return err
}
