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
		f := &fake{stored: map[string]entry{}}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(&Keys{f, (*store)(f)}) },
			State:    f.state,
			List:     f.list,
		}
	},
	Properties: Props{User: "red", Label: "new"},
	InPlace:    Props{User: "red", Label: "used"},
	Replacing:  Props{User: "blue", Label: "new"},
	Secrets:    []string{"hush-"},
	Timeout:    timeout,
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth, o.Histories = 2, testrun.Share(200, 0) })
}

// A fake is the service and the store in memory. Its lists do not lag.
type fake struct {
	mu     sync.Mutex
	keys   []key
	stored map[string]entry
}

type key struct {
	mark string
	made time.Time
	gone bool
}

type entry struct{ id, label string }

type store fake

func (f *fake) Create(ctx context.Context, mark string) (id, secret string, err error) {
	return id, secret, f.do(ctx, func() error {
		f.keys = append(f.keys, key{mark: mark, made: time.Now()})
		id, secret = number(len(f.keys)-1), fmt.Sprintf("hush-%d", len(f.keys))
		return nil
	})
}

func (f *fake) Delete(ctx context.Context, id string) error {
	return f.do(ctx, func() error {
		for i := range f.keys {
			if number(i) == id && !f.keys[i].gone {
				f.keys[i].gone = true
				return nil
			}
		}
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no key %s", id)
	})
}

func (f *fake) List(ctx context.Context, mark string) (keys []Key, err error) {
	return keys, f.do(ctx, func() error {
		for i, k := range f.keys {
			if k.mark == mark && !k.gone {
				keys = append(keys, Key{number(i), k.made})
			}
		}
		return nil
	})
}

func (s *store) Create(ctx context.Context, name, id, _ string) error {
	return (*fake)(s).do(ctx, func() error {
		if _, there := s.stored[name]; there {
			return cfnresource.Errorf(cfnresource.CodeAlreadyExists, "there is a key %s", name)
		}
		s.stored[name] = entry{id: id}
		return nil
	})
}

func (s *store) ID(ctx context.Context, name string) (id string, err error) {
	return id, (*fake)(s).do(ctx, func() error { id = s.stored[name].id; return nil })
}

func (s *store) Label(ctx context.Context, name, label string) error {
	return (*fake)(s).do(ctx, func() error {
		e, there := s.stored[name]
		if !there {
			return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no key %s", name)
		}
		e.label = label
		s.stored[name] = e
		return nil
	})
}

func (s *store) Delete(ctx context.Context, name string) error {
	return (*fake)(s).do(ctx, func() error {
		if _, there := s.stored[name]; !there {
			return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no key %s", name)
		}
		delete(s.stored, name)
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

// state shows the label of a key, whether the one that is stored is good, and how
// many others were made under its name.
func (f *fake) state(name string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, stored := f.stored[name]
	var good bool
	var others int
	for i, k := range f.keys {
		switch {
		case k.mark != name || k.gone:
		case stored && number(i) == e.id:
			good = true
		default:
			others++
		}
	}
	if !stored && others == 0 {
		return nil
	}
	return struct {
		Label  string
		Good   bool
		Others int
	}{e.label, good, others}
}

func (f *fake) list() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.stored {
		names = append(names, name)
	}
	for _, k := range f.keys {
		if _, stored := f.stored[k.mark]; !k.gone && !stored {
			names = append(names, k.mark)
		}
	}
	return names
}

func number(i int) string { return fmt.Sprintf("key-%d", i+1) }

// Another delivery has made a key, and stores it in a moment: its key is not deleted,
// though it is not stored yet.
func TestAKeyThatIsBeingStoredIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		event := cfntest.CreateEvent(contract.Properties)
		name := cfntest.Invoke(t, cfnresource.New(&Keys{&fake{stored: map[string]entry{}}, &store{stored: map[string]entry{}}}), event).PhysicalResourceID
		f := &fake{stored: map[string]entry{}}
		id, secret, err := f.Create(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(20*time.Second, func() { _ = (*store)(f).Create(t.Context(), name, id, secret) })
		got := cfntest.Invoke(t, cfnresource.New(&Keys{f, (*store)(f)}), event)
		if got.Status != "SUCCESS" || f.keys[0].gone || len(f.keys) != 1 {
			t.Errorf("answered %+v, and there are %+v", got, f.keys)
		}
	})
}
