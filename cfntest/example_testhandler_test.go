package cfntest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A board is the service of the example: notes under names.
type board struct {
	mu    sync.Mutex
	notes map[string]noteProps
}

var errNoteThere = errors.New("there is a note of that name")

// pin puts a note on the board. As a test's fake should, it calls Step before and after the effect.
func (b *board) pin(ctx context.Context, name string, n noteProps, anew bool) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	_, there := b.notes[name]
	if there && anew {
		b.mu.Unlock()
		return errNoteThere
	}
	b.notes[name] = n
	b.mu.Unlock()
	return cfntest.Step(ctx)
}

func (b *board) remove(ctx context.Context, name string) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	delete(b.notes, name)
	b.mu.Unlock()
	return cfntest.Step(ctx)
}

// State is what there is to see of a note.
func (b *board) state(name string) any {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n, ok := b.notes[name]; ok {
		return n
	}
	return nil
}

func (b *board) names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.notes))
}

type noteProps struct {
	Heading string `cfn:"createOnly"` // a note of another heading is another note
	Lines   int
}

// A note is the handler.
type note struct{ board *board }

func (h note) Create(ctx context.Context, req *cfnresource.CreateRequest[noteProps]) (data struct{}, err error) {
	id := req.StableID()
	if err := h.board.pin(ctx, id, req.Properties, true); errors.Is(err, errNoteThere) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	return data, nil
}

func (h note) Update(ctx context.Context, req *cfnresource.UpdateRequest[noteProps]) (data struct{}, err error) {
	return data, h.board.pin(ctx, req.PhysicalID, req.Properties, false)
}

func (h note) Delete(ctx context.Context, req *cfnresource.DeleteRequest[noteProps]) error {
	return h.board.remove(ctx, req.PhysicalID)
}

// noteContract says what TestHandler has to know of it.
var noteContract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		b := &board{notes: make(map[string]noteProps)}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(note{b}) }, // a new process
			State:    b.state,
			List:     b.names,
		}
	},
	Properties: noteProps{Heading: "Milk", Lines: 2},
	InPlace:    noteProps{Heading: "Milk", Lines: 3},
	Replacing:  noteProps{Heading: "Bread", Lines: 2},
	Skip: map[string]string{
		"secrets-stay-out-of-log": "a note has no secrets",
	},
}

// In a test's file this is
//
//	func TestNote(t *testing.T) { cfntest.TestHandler(t, noteContract) }
func ExampleTestHandler() {
	ok := runTest(func(t *testing.T) { cfntest.TestHandler(t, noteContract) })
	fmt.Println("ok:", ok)
	// Output: ok: true
}
