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
		f := &fake{entries: map[string]string{}}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(&Settings{f}) },
			State:    f.state,
			List:     f.list,
		}
	},
	Properties: Props{Team: "red", Value: "1"},
	InPlace:    Props{Team: "red", Value: "2"},
	Replacing:  Props{Team: "blue", Value: "1"},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}

// A fake is the service in memory.
type fake struct {
	mu      sync.Mutex
	entries map[string]string
}

func (f *fake) Exists(ctx context.Context, name string) (there bool, err error) {
	return there, f.do(ctx, func() error { _, there = f.entries[name]; return nil })
}

func (f *fake) Put(ctx context.Context, name, value string) error {
	return f.do(ctx, func() error { f.entries[name] = value; return nil })
}

func (f *fake) Delete(ctx context.Context, name string) error {
	return f.do(ctx, func() error {
		if _, there := f.entries[name]; !there {
			return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no entry %s", name)
		}
		delete(f.entries, name)
		return nil
	})
}

// do does one thing, with a step before it and after it.
func (f *fake) do(ctx context.Context, work func() error) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	err := work()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return cfntest.Step(ctx)
}

func (f *fake) state(name string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if value, there := f.entries[name]; there {
		return value
	}
	return nil
}

func (f *fake) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.entries))
}
