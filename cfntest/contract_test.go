package cfntest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

type pinnedProps struct {
	Heading string `cfn:"createOnly"`
	Lines   int
	Code    string `cfn:"secret"`
}

// pinned is a note with a secret that nothing shows.
type pinned struct{ board *board }

func (p pinnedProps) note() noteProps { return noteProps{Heading: p.Heading, Lines: p.Lines} }

func (h pinned) Create(ctx context.Context, req *cfnresource.CreateRequest[pinnedProps]) (data struct{}, err error) {
	id := req.StableID()
	if err = h.board.pin(ctx, id, req.Properties.note(), true); errors.Is(err, errNoteThere) {
		err = cfnresource.AlreadyExists(id)
	} else if err == nil {
		req.Created(id)
	}
	return data, err
}

func (h pinned) Update(ctx context.Context, req *cfnresource.UpdateRequest[pinnedProps]) (data struct{}, err error) {
	return data, h.board.pin(ctx, req.PhysicalID, req.Properties.note(), false)
}

func (h pinned) Delete(ctx context.Context, req *cfnresource.DeleteRequest[pinnedProps]) error {
	return h.board.remove(ctx, req.PhysicalID)
}

// What a Contract adds to what varies is asked.
func TestWhatAContractSaysOfItsPropertiesIsAsked(t *testing.T) {
	var drawn, asked atomic.Int64
	c := noteContract
	c.Fixed = []string{"Code"}
	c.Draw = func(r *rand.Rand) any {
		drawn.Add(1)
		return pinnedProps{Heading: "Milk", Lines: r.IntN(9), Code: "0000"}
	}
	c.Properties = pinnedProps{Heading: "Milk", Lines: 2, Code: "0000"}
	c.InPlace = pinnedProps{Heading: "Milk", Lines: 3, Code: "0000"}
	c.Replacing = pinnedProps{Heading: "Bread", Lines: 2, Code: "0000"}
	c.New = func(testing.TB) cfntest.Service {
		b := &board{notes: make(map[string]noteProps)}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(pinned{b}) },
			State:    b.state,
			List:     b.names,
			Accepts:  func(_, secret string) bool { asked.Add(1); return secret == "0000" }, // no other one: it is fixed
		}
	}
	if !runTest(func(t *testing.T) { cfntest.TestHandler(t, c) }) || drawn.Load() == 0 || asked.Load() == 0 {
		t.Errorf("a right handler fails, or what its Contract says is not asked: %d properties drawn, %d secrets asked for", drawn.Load(), asked.Load())
	}
	c.Fixed = nil
	if runTest(func(t *testing.T) { cfntest.TestHandler(t, c) }) {
		t.Error("a secret that is not set passes")
	}
}
