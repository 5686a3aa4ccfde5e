package main

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

var contract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		f := &fake{attached: map[string]bool{}}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(&Attachment{f}) },
			State:    f.state,
			List:     f.list,
		}
	},
	Properties: Props{Role: "reader", Policy: "read"},
	Replacing:  Props{Role: "reader", Policy: "list"},
	Skip: map[string]string{
		"stranger-holds-the-name":     "an attachment bears no mark, so that two stacks that want the same one share it",
		"sibling-is-left-alone":       "and so do two resources of one stack",
		"warm-process-serves-several": "the same",
	},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}

// A fake is the service in memory.
type fake struct {
	mu       sync.Mutex
	attached map[string]bool
}

func (f *fake) Attach(ctx context.Context, role, policy string) error {
	return f.do(ctx, func() { f.attached[role+"/"+policy] = true })
}

func (f *fake) Detach(ctx context.Context, role, policy string) error {
	return f.do(ctx, func() { delete(f.attached, role+"/"+policy) })
}

func (f *fake) Attached(ctx context.Context, role, policy string) (attached bool, err error) {
	return attached, f.do(ctx, func() { attached = f.attached[role+"/"+policy] })
}

// do does one thing, with a step before it and after it.
func (f *fake) do(ctx context.Context, work func()) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	work()
	f.mu.Unlock()
	return cfntest.Step(ctx)
}

func (f *fake) state(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.attached[id] {
		return "attached"
	}
	return nil
}

func (f *fake) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.attached))
}
