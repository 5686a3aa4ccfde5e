package registrytest

import (
	"context"
	"errors"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
)

// lifecycle creates, updates and deletes a resource, and checks that there is one, and
// then none.
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
	if err := errors.Join(c.checkRead(m), c.onlyResource(m)); err != nil {
		return err
	}
	if err := c.delete(m); err != nil {
		return err
	}
	ids, err := c.listed()
	if err == nil && len(ids) > 0 {
		err = fmt.Errorf("after the DELETE there are still %q", ids)
	}
	return err
}

// onlyResource checks that there is no resource but onlyResource.
func (c *client) onlyResource(m model) error {
	ids, err := c.listed()
	if err == nil && (len(ids) != 1 || ids[0] != m.id()) {
		err = fmt.Errorf("LIST shows %q, want %s alone", ids, m.id())
	}
	return err
}

// processDies has each call made to a process of its own: the one that answered
// IN_PROGRESS has died.
func processDies(c *client) error {
	c.before = c.restart
	return c.lifecycle()
}

// callbackTwice has each callback come twice.
func callbackTwice(c *client) error {
	c.twice = true
	return c.lifecycle()
}

// createAnswerLost has the first answer to a CREATE lost: the process died, and the
// same request comes to another.
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
	if a.Status == "FAILED" && a.ErrorCode != "AlreadyExists" {
		return fmt.Errorf("the same CREATE fails with %s (%s), want its resource, or AlreadyExists", a.ErrorCode, a.Message)
	}
	ids, err := c.listed()
	if err == nil && len(ids) != 1 {
		err = fmt.Errorf("one CREATE, sent twice, has made %d resources", len(ids))
	}
	return err
}

// throttled has two of three calls of Read and Find throttled, and each Update and
// Delete after its work is done: what is called again must do no harm.
func throttled(c *client) error {
	n := 0
	c.ctx = hook.WithCalls(c.ctx, func(_ context.Context, call hook.Call, method hook.Method) (id string, err error) {
		n++
		switch again := n%3 != 0; call.Method {
		case "Read", "Find":
			if !again {
				return method()
			}
		case "Delete", "Update": //nolint:usestdlibvars // the handler's method
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
