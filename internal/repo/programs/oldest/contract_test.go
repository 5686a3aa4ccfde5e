package main

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

var contract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		f := &fake{}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(&Channel{f}) },
			State:    f.state,
			List:     f.ids,
		}
	},
	Properties: Props{Name: "orders", Topic: "new"},
	InPlace:    Props{Name: "orders", Topic: "paid"},
	Replacing:  Props{Name: "returns", Topic: "new"},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth, o.Histories = 2, testrun.Share(200, 0) })
}

// A fake is the service in memory. Its lists are lag old.
type fake struct {
	mu       sync.Mutex
	channels []channel // also those that are deleted
}

const lag = 3 * time.Second

type channel struct {
	mark          string
	state         Props
	made, deleted time.Time
}

func (c channel) thereAt(t time.Time) bool {
	return !c.made.After(t) && (c.deleted.IsZero() || c.deleted.After(t))
}

func (f *fake) Create(ctx context.Context, mark, name, topic string) (id string, err error) {
	return id, f.do(ctx, func() error {
		f.channels = append(f.channels, channel{mark: mark, state: Props{name, topic}, made: time.Now()})
		id = number(len(f.channels) - 1)
		return nil
	})
}

func (f *fake) SetTopic(ctx context.Context, id, topic string) error {
	return f.with(ctx, id, func(c *channel) { c.state.Topic = topic })
}

func (f *fake) Delete(ctx context.Context, id string) error {
	return f.with(ctx, id, func(c *channel) { c.deleted = time.Now() })
}

func (f *fake) Mark(ctx context.Context, id string) (mark string, err error) {
	return mark, f.with(ctx, id, func(c *channel) { mark = c.mark })
}

func (f *fake) List(ctx context.Context, mark string) (ids []string, err error) {
	return ids, f.do(ctx, func() error {
		for i, c := range f.channels {
			if c.mark == mark && c.thereAt(time.Now().Add(-lag)) {
				ids = append(ids, number(i))
			}
		}
		return nil
	})
}

// with works on a channel that there is.
func (f *fake) with(ctx context.Context, id string, work func(*channel)) error {
	return f.do(ctx, func() error {
		for i, c := range f.channels {
			if number(i) == id && c.thereAt(time.Now()) {
				work(&f.channels[i])
				return nil
			}
		}
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no channel %s", id)
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

func (f *fake) state(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, c := range f.channels {
		if number(i) == id && c.thereAt(time.Now()) {
			return c.state
		}
	}
	return nil
}

func (f *fake) ids() (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, c := range f.channels {
		if c.thereAt(time.Now()) {
			ids = append(ids, number(i))
		}
	}
	return ids
}

func number(i int) string { return fmt.Sprintf("channel-%d", i+1) }

// A process dies after it has made a channel, and Lambda delivers the event again
// before a list shows that: the first channel is the resource, and the second is gone.
func TestAProcessThatDiedHasMadeTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		event := cfntest.CreateEvent(contract.Properties)
		alone := &fake{}
		cfntest.Invoke(t, cfnresource.New(&Channel{alone}), event)
		f := &fake{}
		if _, err := f.Create(t.Context(), alone.channels[0].mark, "orders", "old"); err != nil {
			t.Fatal(err)
		}
		got := cfntest.Invoke(t, cfnresource.New(&Channel{f}), event)
		if got.Status != "SUCCESS" || got.PhysicalResourceID != number(0) {
			t.Errorf("answered %+v, want the first channel", got)
		}
		<-time.After(time.Minute)
		if ids := f.ids(); len(ids) != 1 || ids[0] != number(0) {
			t.Errorf("there are %v", ids)
		}
	})
}
