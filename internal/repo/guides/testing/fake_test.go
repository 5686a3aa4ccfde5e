package mailbox

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
)

// A fake is the service in memory.
type fake struct {
	mu    sync.Mutex
	boxes map[string]box
}

type box struct {
	Owner string
	Quota int
}

func (f *fake) Open(ctx context.Context, name, owner string) error {
	return f.do(ctx, func() error {
		if _, there := f.boxes[name]; there {
			return mail.ErrExists
		}
		f.boxes[name] = box{Owner: owner}
		return nil
	})
}

func (f *fake) SetQuota(ctx context.Context, name string, megabytes int) error {
	return f.do(ctx, func() error {
		b, there := f.boxes[name]
		if !there {
			return mail.ErrNotFound
		}
		if megabytes < 0 {
			return errors.New("a quota is zero megabytes or more")
		}
		b.Quota = megabytes
		f.boxes[name] = b
		return nil
	})
}

func (f *fake) Close(ctx context.Context, name string) error {
	return f.do(ctx, func() error {
		if _, there := f.boxes[name]; !there {
			return mail.ErrNotFound
		}
		delete(f.boxes, name)
		return nil
	})
}

// do does one thing. The process can die, and the service fail or hang, at each
// Step: before the effect, and after it.
func (f *fake) do(ctx context.Context, effect func() error) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	err := effect()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return cfntest.Step(ctx)
}

// state is what there is under a name, or nil.
func (f *fake) state(name string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b, there := f.boxes[name]; there {
		return b
	}
	return nil
}

func (f *fake) names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.boxes))
}
