package registrytest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/registry"
)

// A check sends requests, and returns an error if an answer is wrong.
type check struct {
	name string
	run  func(*client) error
	cure string // what helps
}

// betweenCalls begins the names of the checks in which something breaks between two calls.
const betweenCalls = "between_calls_"

// checks are run in this order: AWS's, then those of faults between calls.
var checks = []check{
	{"contract_create_create", createCreate, "have Create return AlreadyExists for a resource that exists, even if it could take it over"},
	{"contract_create_read", after((*client).create, (*client).checkRead), cureRead},
	{"contract_create_delete", after((*client).create, (*client).delete), cureGone},
	{"contract_create_list", after((*client).create, (*client).checkListed), cureList},
	{"contract_update_read", after((*client).updated, (*client).checkRead), cureUpdate},
	{"contract_update_list", after((*client).updated, (*client).checkListed), cureList},
	{"contract_update_without_create", updateWithoutCreate, cureGone},
	{"contract_delete_create", after((*client).deleted, (*client).createAgain), cureNames},
	{"contract_delete_update", after((*client).deleted, (*client).checkNotUpdated), cureGone},
	{"contract_delete_read", after((*client).deleted, (*client).checkNotRead), cureGone},
	{"contract_delete_list", after((*client).deleted, (*client).checkNotListed), cureList},
	{"contract_delete_delete", after((*client).deleted, (*client).checkNotDeleted), cureGone},
	{"between_calls_process_dies", processDies, cureAgain},
	{"between_calls_callback_twice", callbackTwice, cureAgain},
	{"between_calls_create_answer_lost", createAnswerLost, cureFind},
	{"between_calls_throttled", throttled, cureAgain},
	{"between_calls_slow_service", slowService, cureAgain},
}

// play runs the check, and returns the report of its failure, or "".
func (k check) play(t *testing.T, c *client, service func(*testing.T) Process, log *capture.Log) string {
	t.Helper()
	log.Take()
	var wrong error
	run := func(t *testing.T) {
		c.begin(t.Context(), service(t))
		if wrong = c.makeBeside(); wrong == nil {
			wrong = k.run(c)
		}
		if wrong == nil {
			wrong = c.checkBeside()
		}
	}
	if c.realTime {
		run(t)
	} else if blocked := c.bubble(t, run); blocked != nil {
		wrong = blocked
	}
	if wrong == nil {
		return ""
	}
	return c.report(wrong, log.Last(nil), k.cure)
}

// after returns a check that looks at the resources after some requests about one of them.
func after(requests func(*client) (model, error), look func(*client, model) error) func(*client) error {
	return func(c *client) error {
		m, err := requests(c)
		if err != nil {
			return err
		}
		return look(c, m)
	}
}

func (c *client) create() (model, error) {
	m, err := c.succeed(c.new("CREATE", c.wire.create, nil))
	if err == nil {
		err = c.compareLate("the resource that CREATE answers", c.wire.create, m)
	}
	return m, err
}

func (c *client) update(m model) (model, error) {
	u, err := c.succeed(c.new("UPDATE", c.wire.update.with(m.id()), m))
	switch {
	case err != nil:
		return nil, err
	case u.id() != m.id():
		return nil, fmt.Errorf("the UPDATE of %s answers %s: an update keeps the identifier", m.id(), u.id())
	}
	if err := c.compareLate("the resource that UPDATE answers", c.wire.update, u); err != nil {
		return nil, err
	}
	// An UPDATE has the whole of the new properties: what it leaves out does not stay as it was.
	for _, name := range c.cleared {
		if value, is := u[name]; is && reflect.DeepEqual(value, m[name]) {
			return nil, wrongWith(cureUpdate, "the UPDATE leaves %s out, but the property is as it was", name)
		}
	}
	return u, nil
}

func (c *client) delete(m model) error {
	_, err := c.succeed(c.new("DELETE", m, nil))
	return err
}

// identifierOnly returns the model for a READ, which has only the identifier, as in an import.
func identifierOnly(m model) model { return model{registry.Identifier: m.id()} }

// checkRead checks that READ answers the resource.
func (c *client) checkRead(want model) error {
	got, err := c.succeed(c.new("READ", identifierOnly(want), nil))
	if err != nil {
		return err
	}
	return c.compareLate("the resource that READ answers", want, got)
}

// compareLate compares, and distinguishes a resource that gets its properties after the answer from one
// that never gets them.
func (c *client) compareLate(what string, want, got model) error {
	wrong := c.compare(what, want, got)
	if wrong == nil {
		return nil
	}
	// A change that comes late has another cure than one that never comes.
	later := time.Hour
	if c.realTime {
		later = 10 * time.Second
	}
	guard.Sleep(c.ctx, later)
	now, err := c.succeed(c.new("READ", identifierOnly(got), nil))
	if err == nil && c.compare(what, want, now) == nil {
		return wrongWith(cureLate, "%v. %s later READ has it: the request was answered before the change was done", wrong, later)
	}
	return wrong
}

// compare checks that a resource has the properties that were requested, except secrets.
func (w *wire) compare(what string, want, got model) error {
	for name, value := range want {
		shown, ok := w.shown(name, value)
		if ok && !reflect.DeepEqual(w.ordered(name, got[name]), w.ordered(name, shown)) {
			return fmt.Errorf("%s has another %s than the request, or none", what, name)
		}
	}
	return nil
}

// ordered returns the value of a property, a set in the one order of its elements.
func (w *wire) ordered(name string, value any) any {
	list, isList := value.([]any)
	isSet := isList && slices.Contains(w.sets, name)
	if !isSet {
		return value
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

func (c *client) checkListed(m model) error {
	ids, err := c.there()
	if err == nil && !slices.Contains(ids, m.id()) {
		err = fmt.Errorf("LIST does not show %s", m.id())
	}
	return err
}

func (c *client) checkNotListed(m model) error {
	ids, err := c.listed()
	if err == nil && slices.Contains(ids, m.id()) {
		err = fmt.Errorf("LIST shows %s, which was deleted", m.id())
	}
	return err
}

func createCreate(c *client) error {
	first, err := c.create()
	if err != nil {
		return err
	}
	// The identifier is not the template's, so that a second resource is right as well.
	a, err := c.complete(c.new("CREATE", c.wire.create, nil))
	switch {
	case err != nil:
		return err
	case a.Status == "FAILED" && a.ErrorCode != cfnresource.CodeAlreadyExists:
		return fmt.Errorf("the second CREATE fails with %s (%s), want AlreadyExists", a.ErrorCode, a.Message)
	case a.Status == "SUCCESS" && a.ResourceModel.id() == first.id():
		return fmt.Errorf("the second CREATE answers %s, which the first made: answer AlreadyExists", first.id())
	}
	return nil
}

func (c *client) updated() (model, error) {
	m, err := c.create()
	if err != nil {
		return nil, err
	}
	return c.update(m)
}

func updateWithoutCreate(c *client) error {
	if err := c.expectNotFound(c.new("UPDATE", c.wire.update.with("there-is-none"), c.wire.create)); err != nil {
		return err
	}
	ids, err := c.there()
	if err == nil && len(ids) > 0 {
		err = fmt.Errorf("an UPDATE of no resource has made %q", ids)
	}
	return err
}

func (c *client) deleted() (model, error) {
	m, err := c.create()
	if err != nil {
		return nil, err
	}
	return m, c.delete(m)
}

func (c *client) createAgain(model) error {
	_, err := c.create()
	return err
}

func (c *client) checkNotUpdated(m model) error {
	return c.expectNotFound(c.new("UPDATE", c.wire.update.with(m.id()), m))
}

func (c *client) checkNotRead(m model) error {
	return c.expectNotFound(c.new("READ", identifierOnly(m), nil))
}

func (c *client) checkNotDeleted(m model) error {
	return c.expectNotFound(c.new("DELETE", identifierOnly(m), nil))
}
