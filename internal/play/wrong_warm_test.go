package play_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, which shows in a process that handles
// more than one event.

// A memory is what a process remembers from one event to the next.
type memory[V any] map[string]V

// remember returns what is remembered under a key, and remembers v if that is nothing.
func (m memory[V]) remember(key string, v V) V {
	if before, ok := m[key]; ok {
		return before
	}
	m[key] = v
	return v
}

// mergesDefaults reads properties into what is left of those of the last event.
type mergesDefaults struct {
	named

	last *boxProps
}

func (h mergesDefaults) Create(ctx context.Context, req *creation) (boxData, error) {
	*h.last = req.Properties
	return h.named.Create(ctx, req)
}

func (h mergesDefaults) Update(ctx context.Context, req *updating) (boxData, error) {
	merged := *req
	merged.Properties.Frozen = req.Properties.Frozen || h.last.Frozen // what is false is left out
	*h.last = merged.Properties
	return h.named.Update(ctx, &merged)
}

var _ = wrong(func(d *depot) mergesDefaults { return mergesDefaults{named{d}, new(boxProps)} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")

// remembersRequests takes a request whose RequestID it has seen for a second delivery.
type remembersRequests struct {
	named

	done memory[boxData]
}

func (h remembersRequests) Update(ctx context.Context, req *updating) (boxData, error) {
	if data, ok := h.done[req.RequestID]; ok {
		return data, nil
	}
	data, err := h.named.Update(ctx, req)
	if err == nil {
		h.done[req.RequestID] = data
	}
	return data, err
}

var _ = wrong(func(d *depot) remembersRequests { return remembersRequests{named{d}, memory[boxData]{}} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")

// remembersDeletes deletes a resource's thing once.
type remembersDeletes struct {
	named

	done memory[string] // the RequestID, by logical ID
}

func (h remembersDeletes) Delete(ctx context.Context, req *deletion) error {
	if h.done.remember(req.LogicalID, req.RequestID) != req.RequestID {
		return nil
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(func(d *depot) remembersDeletes { return remembersDeletes{named{d}, memory[string]{}} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several", "recreate-after-delete")

// sizeData are other Data after an Update in place.
type sizeData struct{ Size int }

// tellsSize is a right handler.
type tellsSize struct{ named }

func (h tellsSize) Create(ctx context.Context, req *creation) (sizeData, error) {
	_, err := h.named.Create(ctx, req)
	return sizeData{req.Properties.Size}, err
}

func (h tellsSize) Update(ctx context.Context, req *updating) (sizeData, error) {
	_, err := h.named.Update(ctx, req)
	return sizeData{req.Properties.Size}, err
}

// remembersAnswers answers a resource's Data as it was first.
type remembersAnswers struct {
	tellsSize

	answers memory[sizeData]
}

func (h remembersAnswers) Create(ctx context.Context, req *creation) (sizeData, error) {
	data, err := h.tellsSize.Create(ctx, req)
	return h.answers.remember(req.LogicalID, data), err
}

func (h remembersAnswers) Update(ctx context.Context, req *updating) (sizeData, error) {
	data, err := h.tellsSize.Update(ctx, req)
	return h.answers.remember(req.LogicalID, data), err
}

var _ = wrong(func(d *depot) remembersAnswers { return remembersAnswers{tellsSize{named{d}}, memory[sizeData]{}} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")

// Each type here takes one name for another that is much like it; but for the first,
// which is right.

// findsByStackID is a right handler: what it searches by are the stack and the logical ID.
type findsByStackID struct{ found }

func (h findsByStackID) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool { return b.owner == owner(req.Request) })
}

// findOf reads the box that the event is about before it searches.
func (h found) findOf(ctx context.Context, req *finding, mine func(*box) bool) (id string, err error) {
	fits := func(b *box) bool { return mine(b) && b.room == req.Properties.Room }
	if req.PhysicalID != "" {
		id, err = h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && fits(b) })
	}
	if id == "" && err == nil {
		id, err = h.d.find(ctx, func(_ string, b *box) bool { return fits(b) })
	}
	return id, err
}

// stackName returns the name in the ARN that begins a box's owner, or "".
func stackName(owner string) string {
	_, rest, _ := strings.Cut(owner, "/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// findsByStackName finds what a stack of the same name made.
type findsByStackName struct{ found }

func (h findsByStackName) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool {
		return stackName(b.owner) == stackName(owner(req.Request)) && strings.HasSuffix(b.owner, req.LogicalID)
	})
}

var _ = wrong(func(d *depot) findsByStackName { return findsByStackName{found{d}} },
	unexplored("no history that Explore plays has a second stack"), "stranger-holds-the-name")

// findsByNamePrefix finds also what a stack of a longer name made.
type findsByNamePrefix struct{ found }

func (h findsByNamePrefix) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool {
		of, mine := b.owner, owner(req.Request)
		return of == mine || stackName(of) != stackName(mine) && strings.HasPrefix(stackName(of), stackName(mine)) && strings.HasSuffix(of, req.LogicalID)
	})
}

var _ = wrong(func(d *depot) findsByNamePrefix { return findsByNamePrefix{found{d}} },
	unexplored("no history that Explore plays has a second stack"), "stranger-holds-the-name")

// findsByPrefix finds also what a resource with a longer logical ID made.
type findsByPrefix struct{ found }

func (h findsByPrefix) Find(ctx context.Context, req *finding) (string, error) {
	return h.findOf(ctx, req, func(b *box) bool { return strings.HasPrefix(b.owner, owner(req.Request)) })
}

var _ = wrong(func(d *depot) findsByPrefix { return findsByPrefix{found{d}} },
	unexplored("the stack of a history that Explore plays has one resource"), "sibling-is-left-alone")

// deletesByOwnerPrefix deletes also what a resource with a longer logical ID made.
type deletesByOwnerPrefix struct{ named }

func (h deletesByOwnerPrefix) Delete(ctx context.Context, req *deletion) error {
	if err := h.named.Delete(ctx, req); err != nil {
		return err
	}
	also, err := h.d.find(ctx, func(_ string, b *box) bool { return strings.HasPrefix(b.owner, owner(req.Request)+"T") })
	if also == "" {
		return err
	}
	return gone(h.d.remove(ctx, also))
}

var _ = wrong(func(d *depot) deletesByOwnerPrefix { return deletesByOwnerPrefix{named{d}} },
	unexplored("the stack of a history that Explore plays has one resource"), "sibling-is-left-alone")

// Each type here is a right handler with one fault, which shows where there are two things.

// updatesOwnName updates the box named by the StableID, if there is one.
type updatesOwnName struct{ named }

func (h updatesOwnName) Update(ctx context.Context, req *updating) (data boxData, err error) {
	id := req.StableID()
	if id == req.PhysicalID {
		return h.named.Update(ctx, req)
	}
	err = h.d.fill(ctx, id, req.Properties.filling())
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	return req.Properties.data(), err
}

var _ = wrong(func(d *depot) updatesOwnName { return updatesOwnName{named{d}} },
	unexplored("no resource in a history was made by another program"), "provider-upgrade-keeps-id")

// A service may know no ID but those of one form: then a thing of an older program has one of that form.
func TestAnUpgradeIsPlayedWhereIDsHaveOneForm(t *testing.T) {
	ofOneForm := func(s *play.Service) {
		occupy := s.Occupy
		s.Occupy = func(name string) {
			if strings.HasPrefix(name, "my-stack-") {
				occupy(name)
			}
		}
	}
	for name, c := range map[string]play.Contract{"right": depotContract(rightHandlers["named"]), "wrong": wrongNamed("updatesByStableID").contract()} {
		r := play.RunChecks(t, withService(c, ofOneForm), "provider-upgrade-keeps-id")[0]
		if want := map[string]string{"right": "passed", "wrong": "failed"}[name]; r.Outcome != want {
			t.Errorf("%s: it %s, want %s: %s", name, r.Outcome, want, r.Text)
		}
	}
}

// marksAnew writes the mark of the properties that an Update is to.
type marksAnew struct{ found }

func (h marksAnew) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.found.Update(ctx, req)
	if err == nil {
		err = h.d.change(ctx, req.PhysicalID, func(b *box) error { b.tag = req.StableID(); return nil })
	}
	return data, err
}

var _ = wrong(func(d *depot) marksAnew { return marksAnew{found{d}} },
	unexplored("no resource in a history was made by another program"), "provider-upgrade-keeps-id")

// adoptsUnmarked marks a box by a call of its own, and takes what bears no mark for what it
// has made before.
type adoptsUnmarked struct{ chosen }

func (h adoptsUnmarked) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id := req.Properties.Room
	if err := h.d.buildNew(ctx, id, box{room: req.Properties.Room}); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.fill(ctx, id, req.StableIDOf(id), req.Properties)
}

func (h adoptsUnmarked) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.fill(ctx, req.PhysicalID, req.StableIDOf(req.PhysicalID), req.Properties)
	if errors.Is(err, errNoBox) {
		err = cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	return req.Properties.data(), err
}

// fill marks a box that has no mark, and fills it.
func (h adoptsUnmarked) fill(ctx context.Context, id, mark string, p boxProps) error {
	err := h.d.change(ctx, id, func(b *box) error {
		if b.tag == "" {
			b.tag = mark
		}
		return nil
	})
	if err == nil {
		err = h.d.fill(ctx, id, p.filling())
	}
	return err
}

func (h adoptsUnmarked) Find(ctx context.Context, req *finding) (string, error) {
	return h.d.find(ctx, func(name string, b *box) bool {
		return name == req.Properties.Room && (b.tag == "" || b.tag == req.StableIDOf(name))
	})
}

var _ = wrong(func(d *depot) adoptsUnmarked { return adoptsUnmarked{chosen{found{d}}} },
	unexplored("no history that Explore plays has a second stack").with(func(c *play.Contract) {
		*c = withService(*c, func(s *play.Service) { s.Occupy = nil }) // a stranger's bears no mark
	}),
	"stranger-holds-the-name")

// inOneDocument keeps what fills the boxes in one document: it reads all of it, and writes all of it. If
// versioned, the depot refuses to write over what has changed since, and it is read anew.
type inOneDocument struct {
	named
	versioned bool
}

var errChanged = errors.New("the document has changed")

func (h inOneDocument) write(ctx context.Context, id string, f filling) error {
	for {
		document := map[string]box{}
		h.d.mu.Lock()
		for name, b := range h.d.boxes {
			document[name] = *b
		}
		h.d.mu.Unlock()
		err := h.d.effect(ctx, func() error {
			switch {
			case h.d.boxes[id] == nil:
				return errNoBox
			case f.Size > 99:
				return errTooBig
			}
			for name, b := range h.d.boxes {
				if h.versioned && document[name] != *b {
					return errChanged
				}
			}
			for name, b := range h.d.boxes {
				b.filled, b.filling = document[name].filled, document[name].filling
			}
			h.d.boxes[id].filled, h.d.boxes[id].filling = true, f
			return nil
		})
		if err != errChanged {
			return err
		}
	}
}

func (h inOneDocument) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if err := h.d.buildNew(ctx, req.StableID(), box{room: req.Properties.Room, owner: owner(req.Request)}); err != nil {
		return data, err
	}
	req.Created(req.StableID())
	return req.Properties.data(), h.write(ctx, req.StableID(), req.Properties.filling())
}

func (h inOneDocument) Update(ctx context.Context, req *updating) (boxData, error) {
	if err := h.write(ctx, req.PhysicalID, req.Properties.filling()); !errors.Is(err, errNoBox) {
		return req.Properties.data(), err
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) inOneDocument { return inOneDocument{named: named{d}} },
	unexplored("the stack of a history that Explore plays has one resource"), "siblings-at-once")

// opensOnce keeps the token with which it came to life, which is good for an hour.
type opensOnce struct {
	named

	token *time.Time
}

func (h opensOnce) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if time.Since(*h.token) > time.Hour {
		return data, errExpired
	}
	return h.named.Update(ctx, req)
}

var errExpired = errors.New("the token has expired")

var _ = wrong(func(d *depot) opensOnce {
	now := time.Now()
	return opensOnce{named{d}, &now}
},
	unexplored("no process in a history has a second event"), "time-passes", "warm-process-recovers")

// renews is opensOnce done right.
type renews struct{ opensOnce }

func (h renews) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if data, err = h.opensOnce.Update(ctx, req); errors.Is(err, errExpired) {
		*h.token = time.Now()
		data, err = h.opensOnce.Update(ctx, req)
	}
	return data, err
}

// forgetsOld takes what it has not seen for a year for gone: its own record of it ends then.
type forgetsOld struct {
	named

	records *sync.Map // when a box was last seen, by its ID, for all processes
}

func (h forgetsOld) Delete(ctx context.Context, req *deletion) error {
	if seen, ok := h.records.Load(bornKey{h.d, req.PhysicalID}); ok && time.Since(seen.(time.Time)) > 365*24*time.Hour {
		return nil
	}
	return h.named.Delete(ctx, req)
}

func (h forgetsOld) Create(ctx context.Context, req *creation) (boxData, error) {
	defer func() { h.records.Store(bornKey{h.d, req.StableID()}, time.Now()) }()
	return h.named.Create(ctx, req)
}

var oldRecords sync.Map

var _ = wrong(func(d *depot) forgetsOld { return forgetsOld{named{d}, &oldRecords} },
	unexplored("no history lasts for a year"), "time-passes")

// takesTurns has one box of the depot made at a time, and waits for its turn no longer than it is patient.
type takesTurns struct {
	named
	patience time.Duration
}

func (h takesTurns) Create(ctx context.Context, req *creation) (data boxData, err error) {
	turn := func(mine bool) error {
		return h.d.effect(ctx, func() error {
			switch h.d.mails["turn"] {
			case 0:
				h.d.mails["turn"] = 1
			default:
				if !mine {
					return errLocked
				}
				h.d.mails["turn"] = 0
			}
			return nil
		})
	}
	for began := time.Now(); ; {
		if err = turn(false); !errors.Is(err, errLocked) || time.Since(began) > h.patience {
			break
		}
		if err := sleep(ctx, 2*time.Second); err != nil {
			return data, err
		}
	}
	if err != nil {
		return data, err
	}
	data, err = h.named.Create(ctx, req)
	return data, errors.Join(err, turn(true))
}

func TestThreeAtOnceWaitForTheirTurn(t *testing.T) {
	for patience, want := range map[time.Duration]bool{17 * time.Second: true, time.Hour: false} { // two need 15 seconds
		c := depotContract(func(d *depot) simulate.Function { return process(takesTurns{named{d}, patience}) })
		c.Replacing = nil
		text, _ := play.RunCheck(t, c, "siblings-at-once")
		if got := strings.Contains(text, "slowly v0+v0+v0"); got != want || !want && text != "" {
			t.Errorf("a patience of %s: %q", patience, text)
		}
	}
}

// makesUp returns a password and the time of its making, and remembers both under a key.
type makesUp struct {
	issues
	key     func(id string) string // nil if it remembers nothing
	answers memory[madeUp]
}

type madeUp struct {
	Password string `cfn:"secret"`
	Since    string
}

func (h makesUp) Create(_ context.Context, req *cfnresource.CreateRequest[struct{}]) (madeUp, error) {
	id := req.StableID()
	req.Created(id)
	answer := madeUp{rand.Text(), time.Now().Format(time.DateTime)}
	if h.key == nil {
		return answer, nil
	}
	return h.answers.remember(h.key(id), answer), nil
}

func (h makesUp) Update(context.Context, *cfnresource.UpdateRequest[struct{}]) (madeUp, error) {
	return madeUp{}, nil
}

// What is made up for Data is that of one resource, as it was made last. Two that are made in the
// same second may say so.
func TestAProcessThatReturnsAnothersDataIsFound(t *testing.T) {
	for name, key := range map[string]func(id string) string{
		"nothing":        nil,
		"one answer":     func(string) string { return "" },
		"one of each ID": func(id string) string { return id },
	} {
		c := play.Contract{Properties: struct{}{}, New: func(testing.TB) play.Service {
			return play.Service{Function: func() simulate.Function {
				return process(makesUp{key: key, answers: memory[madeUp]{}})
			}}
		}}
		text, _ := play.RunCheck(t, c, "warm-process-serves-several")
		if strings.Contains(text, "in Password, Since") != (key != nil) || key == nil && text != "" {
			t.Errorf("it remembers %s, and the check says %q", name, text)
		}
	}
}
