package registrytest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/cfnresource/sdk-go/registry"
)

// A check sends requests, and returns an error if an answer is wrong.
type check struct {
	name string
	run  func(*client) error // nil if the suite skips the check for types of the SDK
}

// untagged is why the checks of tags are skipped. AWS's suite skips them by the
// same member of the schema.
const untagged = "the type's schema says that it is not taggable"

// checks are run in this order: AWS's, then those of faults between calls.
var checks = []check{
	{"contract_create_create", createCreate},
	{"contract_create_read", createRead},
	{"contract_create_delete", createDelete},
	{"contract_create_list", createList},
	{"contract_create_taggable", nil},
	{"contract_update_read", updateRead},
	{"contract_update_list", updateList},
	{"contract_update_tag_updatable", nil},
	{"contract_update_without_create", updateWithoutCreate},
	{"contract_delete_create", deleteCreate},
	{"contract_delete_update", deleteUpdate},
	{"contract_delete_read", deleteRead},
	{"contract_delete_list", deleteList},
	{"contract_delete_delete", deleteDelete},
	{"between_calls_process_dies", processDies},
	{"between_calls_callback_twice", callbackTwice},
	{"between_calls_create_answer_lost", createAnswerLost},
	{"between_calls_throttled", throttled},
}

func (c *client) create() (model, error) {
	m, err := c.succeed(c.new("CREATE", c.wire.create, nil))
	if err == nil {
		err = c.compare("the resource that CREATE answers", c.wire.create, m)
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
	return u, c.compare("the resource that UPDATE answers", c.wire.update, u)
}

func (c *client) delete(m model) error {
	_, err := c.succeed(c.new("DELETE", m, nil))
	return err
}

// identifierOnly returns the model for a READ, which has only the identifier, as in an
// import.
func identifierOnly(m model) model { return model{registry.Identifier: m.id()} }

// checkRead checks that READ answers the resource.
func (c *client) checkRead(want model) error {
	got, err := c.succeed(c.new("READ", identifierOnly(want), nil))
	if err != nil {
		return err
	}
	return c.compare("the resource that READ answers", want, got)
}

// compare checks that a resource has the properties that were requested, except
// secrets.
func (w *wire) compare(what string, want, got model) error {
	for name, value := range want {
		for _, h := range w.nestedSecrets {
			if h.name == name && reflect.DeepEqual(h.sent, value) {
				value = h.shown
			}
		}
		if !slices.Contains(w.secret, name) && !reflect.DeepEqual(got[name], value) {
			return fmt.Errorf("%s has another %s than was asked for, or none", what, name)
		}
	}
	return nil
}

// checkListed checks that LIST shows a resource, or does not if want is false.
func (c *client) checkListed(m model, want bool) error {
	ids, err := c.listed()
	if err == nil && slices.Contains(ids, m.id()) != want {
		return fmt.Errorf("whether LIST shows %s is %t, want %t", m.id(), !want, want)
	}
	return err
}

func createCreate(c *client) error {
	first, err := c.create()
	if err != nil {
		return err
	}
	a, err := c.complete(c.new("CREATE", c.wire.create, nil))
	switch {
	case err != nil:
		return err
	case a.Status == "FAILED" && a.ErrorCode != "AlreadyExists":
		return fmt.Errorf("the second CREATE fails with %s (%s), want AlreadyExists", a.ErrorCode, a.Message)
	case a.Status == "SUCCESS" && a.ResourceModel.id() == first.id():
		return fmt.Errorf("the second CREATE answers %s, which the first made: answer AlreadyExists", first.id())
	}
	return nil
}

func createRead(c *client) error {
	m, err := c.create()
	if err != nil {
		return err
	}
	return c.checkRead(m)
}

func createDelete(c *client) error {
	m, err := c.create()
	if err != nil {
		return err
	}
	return c.delete(m)
}

func createList(c *client) error {
	m, err := c.create()
	if err != nil {
		return err
	}
	return c.checkListed(m, true)
}

func (c *client) updated() (model, error) {
	m, err := c.create()
	if err != nil {
		return nil, err
	}
	return c.update(m)
}

func updateRead(c *client) error {
	m, err := c.updated()
	if err != nil {
		return err
	}
	return c.checkRead(m)
}

func updateList(c *client) error {
	m, err := c.updated()
	if err != nil {
		return err
	}
	return c.checkListed(m, true)
}

func updateWithoutCreate(c *client) error {
	if err := c.expectNotFound(c.new("UPDATE", c.wire.update.with("there-is-none"), c.wire.create)); err != nil {
		return err
	}
	ids, err := c.listed()
	if err == nil && len(ids) > 0 {
		err = fmt.Errorf("an UPDATE of nothing made %d resources", len(ids))
	}
	return err
}

// deleted creates and deletes a resource.
func (c *client) deleted() (model, error) {
	m, err := c.create()
	if err != nil {
		return nil, err
	}
	return m, c.delete(m)
}

func deleteCreate(c *client) error {
	if _, err := c.deleted(); err != nil {
		return err
	}
	_, err := c.create()
	return err
}

func deleteUpdate(c *client) error {
	m, err := c.deleted()
	if err != nil {
		return err
	}
	return c.expectNotFound(c.new("UPDATE", c.wire.update.with(m.id()), m))
}

func deleteRead(c *client) error {
	m, err := c.deleted()
	if err != nil {
		return err
	}
	return c.expectNotFound(c.new("READ", identifierOnly(m), nil))
}

func deleteList(c *client) error {
	m, err := c.deleted()
	if err != nil {
		return err
	}
	return c.checkListed(m, false)
}

func deleteDelete(c *client) error {
	m, err := c.deleted()
	if err != nil {
		return err
	}
	return c.expectNotFound(c.new("DELETE", identifierOnly(m), nil))
}
