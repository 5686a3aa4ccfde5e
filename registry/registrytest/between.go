package registrytest

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
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
		err = fmt.Errorf("There are %q, want %s alone", ids, m.id())
	}
	return err
}

// processDies makes each call to a new process, as if the one that answered IN_PROGRESS had died.
func processDies(c *client) error {
	c.before = c.restart
	return c.lifecycle()
}

// callbackTwice sends each callback twice.
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
	c.ctx = hook.WithCalls(c.ctx, func(_ context.Context, call hook.Call, method hook.Method) (id string, err error) {
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
