package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A world is the service whose things the model's handlers manage. It keeps
// them in memory, notes every harm that can be seen at once, and tells its
// story. It has no delays of its own, no eventual consistency and no quotas:
// what it answers is true when it answers it.
type world struct {
	mu         sync.Mutex
	things     []*thing
	assigned   int
	serialises bool // an update of a thing that another one works on is a ResourceConflict
	harms      []harm
	telling    bool
	told       []string
}

// A thing is one resource of the service.
type thing struct {
	name   string
	tag    string      // the StableID of the request that made it
	owner  string      // the stack and logical ID, on things that a handler made
	token  string      // the client token that it was made with
	has    *properties // what it was brought to last; nil until then
	state  state
	legacy bool // made by another library
	data   bool // a deployment that held it has completed: users' data is in it
	alive  bool
	busy   *delivery // which update works on it
}

type state int

const (
	ours     state = iota // the stack's, or on the way there
	retained              // left behind on purpose, by a policy
	stranger              // somebody else's
)

var errDead = errors.New("the process has ended")

func (w *world) tell(format string, args ...any) {
	if !w.telling {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(format, args...)
}

// note is tell, and harmed is harm, for those who hold the lock.
func (w *world) note(format string, args ...any) {
	if w.telling {
		w.told = append(w.told, fmt.Sprintf(format, args...))
	}
}

func (w *world) harm(h harm, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.harmed(h, format, args...)
}

func (w *world) harmed(h harm, format string, args ...any) {
	w.harms = append(w.harms, h)
	w.note("  HARM: %s: %s", h, fmt.Sprintf(format, args...))
}

// seek returns the thing that is alive under a name, or nil.
func (w *world) seek(name string) *thing {
	i := slices.IndexFunc(w.things, func(t *thing) bool { return t.alive && t.name == name })
	if i < 0 {
		return nil
	}
	return w.things[i]
}

func (w *world) put(t thing) *thing {
	t.alive = true
	w.things = append(w.things, &t)
	return &t
}

// make makes a thing of a name that the caller chose.
func (w *world) make(d *delivery, name, tag, owner string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.gone() {
		return errDead
	}
	if w.seek(name) != nil {
		return errExists
	}
	w.put(thing{name: name, tag: tag, owner: owner})
	w.note("      made %s", short(name))
	return nil
}

var errExists = errors.New("something of that name exists")

// assign makes a thing and gives it a name. Like most services that take a
// client token, it returns what the token made before, and refuses one whose
// thing is gone.
func (w *world) assign(d *delivery, token, tag, owner string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.gone() {
		return "", errDead
	}
	for _, t := range w.things {
		if token == "" || t.token != token {
			continue
		}
		if !t.alive {
			return "", errors.New("the client token belongs to a thing that was deleted")
		}
		return t.name, nil
	}
	w.assigned++
	t := w.put(thing{name: fmt.Sprintf("svc-%d", w.assigned), tag: tag, owner: owner, token: token})
	w.note("      made %s", t.name)
	return t.name, nil
}

// begin marks the thing as being updated, if the service serialises updates.
func (w *world) begin(d *delivery, name string) (end func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.seek(name)
	if !w.serialises || t == nil {
		return func() {}, nil
	}
	if t.busy != nil && t.busy != d {
		return nil, cfnresource.Errorf(cfnresource.CodeResourceConflict, "an update of it is in progress")
	}
	t.busy = d
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		t.busy = nil
	}, nil
}

// configure brings a thing to properties.
func (w *world) configure(d *delivery, name string, p properties) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.gone() {
		return errDead
	}
	t := w.seek(name)
	if t == nil {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no such thing")
	}
	if t.state == stranger {
		w.harmed("a stranger's resource modified", "%s", short(name))
	}
	t.has = &p
	w.note("      %s is now %v", short(name), p)
	return nil
}

func (w *world) remove(d *delivery, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.gone() {
		return errDead
	}
	t := w.seek(name)
	if t == nil {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no such thing")
	}
	t.alive = false
	w.note("      deleted %s", short(name))
	switch {
	case t.state == stranger:
		w.harmed("a stranger's resource deleted", "%s", short(name))
	case t.state == retained:
		w.harmed("a retained resource deleted", "%s", short(name))
	}
	return nil
}

func (w *world) find(d *delivery, match func(*thing) bool) (*thing, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.gone() {
		return nil, errDead
	}
	for _, t := range w.things {
		if t.alive && match(t) {
			return t, nil
		}
	}
	return nil, nil
}

// short makes StableIDs readable in a story: stack-r-1234567890123456 is
// stable(1234).
func short(id string) string {
	_, hash, ok := strings.Cut(id, stablePrefix)
	if !ok || len(hash) != 16 {
		return id
	}
	return strings.Replace(id, stablePrefix+hash, "stable("+hash[:4]+")", 1)
}

const (
	stackName    = "Stack"
	logicalID    = "R"
	stackID      = "arn:aws:cloudformation:us-east-1:123456789012:stack/" + stackName + "/96896520-7ca9-11f1-99e5-06858cc65c2f"
	generated    = stackName + "-" + logicalID + "-1ABCDEFGHIJK" // what CloudFormation makes up
	stablePrefix = "stack-r-"
)

type deliveryKey struct{}

func deliveryOf(ctx context.Context) *delivery { return ctx.Value(deliveryKey{}).(*delivery) }

// lives reports whether t still exists; a handler that outlives its answer may
// be at it.
func (w *world) lives(t *thing) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return t.alive
}

// is reports whether t has the properties p.
func (w *world) is(t *thing, p properties) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return t.has != nil && *t.has == p
}

// differs reports whether t is of another identity than p.
func (w *world) differs(t *thing, p properties) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return t.has != nil && t.has.identity() != p.identity()
}
