package play_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A depot is the service whose boxes the handlers of these tests manage. A box
// is made, empty, under a name that the caller chooses or under an ID of the
// depot's own, and filled by a second call: a handler can fail between the two.
type depot struct {
	mu    sync.Mutex
	boxes map[string]*box
	next  int
	mails map[string]int // by what they are about
	doors map[string]int // who has a key to the depot

	notBefore, notAfter bool // it calls no Step there
}

type box struct {
	room    string // chosen when it is made; a box cannot be moved
	tag     string // the StableID of the request that made it
	owner   string // the stack and logical ID of the resource that made it
	token   string // the client token that it was made with
	filled  bool
	filling filling
	locked  bool // somebody changes it, or died while doing so
	retired bool // deleted, but its name is not given out again
	ready   time.Time
	content int // what somebody has put into it

	versions int // how often it was changed
}

// A filling is what can be changed about a box.
type filling struct {
	Size   int // from 0 to 99
	Frozen bool
}

// The errors of a depot.
var (
	errTaken   = errors.New("there is a box of that name")
	errNoName  = cfnresource.Errorf(cfnresource.CodeInvalidRequest, "a box has a name")
	errNoBox   = errors.New("there is no such box")
	errTooBig  = errors.New("a box of that size does not fit")
	errNothing = errors.New("there is nothing to change")
	errLocked  = errors.New("the box is locked")
)

// page is how many boxes a caller reads at once who reads by pages.
const page = 10

func newDepot() *depot {
	return &depot{boxes: make(map[string]*box), mails: make(map[string]int), doors: map[string]int{"porter": 1}}
}

// effect runs do as one request to the service: the process may die, and the
// service may fail or hang, before and after it.
func (d *depot) effect(ctx context.Context, do func() error) error {
	if !d.notBefore {
		if err := simulate.Step(ctx); err != nil {
			return err
		}
	}
	d.mu.Lock()
	err := do()
	d.mu.Unlock()
	if err != nil || d.notAfter {
		return err
	}
	return simulate.Step(ctx)
}

// build makes a box under a name.
func (d *depot) build(ctx context.Context, name string, b box) error {
	return d.effect(ctx, func() error {
		if name == "" {
			return errNoName
		}
		if d.boxes[name] != nil {
			return errTaken
		}
		d.boxes[name] = &b
		return nil
	})
}

// buildNew is build for a Create, which says AlreadyExists of a box that is there.
func (d *depot) buildNew(ctx context.Context, name string, b box) error {
	err := d.build(ctx, name, b)
	if errors.Is(err, errTaken) {
		return cfnresource.AlreadyExists(name)
	}
	return err
}

// assign makes a box under an ID of the depot's, or returns the one that the token made before.
func (d *depot) assign(ctx context.Context, b box) (id string, err error) {
	err = d.effect(ctx, func() error {
		for name, there := range d.boxes {
			if b.token != "" && b.token == there.token {
				id = name
				return nil
			}
		}
		for id == "" || d.boxes[id] != nil {
			d.next++
			id = fmt.Sprintf("box-%d", d.next)
		}
		d.boxes[id] = &b
		return nil
	})
	return id, err
}

// fill sets the filling of a box.
func (d *depot) fill(ctx context.Context, name string, f filling) error {
	return d.change(ctx, name, func(b *box) error {
		if f.Size < 0 || f.Size > 99 {
			return errTooBig
		}
		b.filled, b.filling = true, f
		return nil
	})
}

func (d *depot) change(ctx context.Context, name string, do func(b *box) error) error {
	return d.effect(ctx, func() error {
		b := d.boxes[name]
		if b == nil || b.retired {
			return errNoBox
		}
		return do(b)
	})
}

func (d *depot) remove(ctx context.Context, name string) error {
	return d.effect(ctx, func() error {
		if b := d.boxes[name]; b == nil || b.retired {
			return errNoBox
		}
		delete(d.boxes, name)
		return nil
	})
}

// find returns the name of the first box that fits, or "".
func (d *depot) find(ctx context.Context, fits func(name string, b *box) bool) (found string, err error) {
	err = d.effect(ctx, func() error {
		for _, name := range d.names() {
			if fits(name, d.boxes[name]) {
				found = name
				return nil
			}
		}
		return nil
	})
	return found, err
}

// names returns the names of all boxes that exist, for those who hold the lock.
func (d *depot) names() []string {
	names := slices.Sorted(maps.Keys(d.boxes))
	return slices.DeleteFunc(names, func(name string) bool { return d.boxes[name].retired })
}

// A look is the visible state of a box.
type look struct {
	Room    string
	Filled  bool
	Filling filling
	Content int
}

// service returns a new depot, and the function whose processes manage boxes in it.
func (d *depot) service(process func(*depot) simulate.Function) play.Service {
	return play.Service{
		Function: func() simulate.Function { return process(d) },
		State: func(id string) any {
			d.mu.Lock()
			defer d.mu.Unlock()
			b := d.boxes[id]
			if b == nil || b.retired {
				return nil
			}
			return look{Room: b.room, Filled: b.filled, Filling: b.filling, Content: b.content}
		},
		List: func() []string {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.names()
		},
		Use: func(name string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.boxes[name].content++
		},
		Effects: func() any {
			d.mu.Lock()
			defer d.mu.Unlock()
			return slices.Sorted(maps.Values(d.mails))
		},
		Around: func() any {
			d.mu.Lock()
			defer d.mu.Unlock()
			return maps.Clone(d.doors)
		},
		Occupy: func(name string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.boxes[name] = &box{room: "a stranger's", filled: true, filling: filling{Size: 1}}
		},
		Crowd: func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			for i := range 3 * page {
				d.boxes[fmt.Sprintf("another-%02d", i)] = &box{room: "a stranger's", filled: true}
			}
		},
	}
}

func TestDepot(t *testing.T) {
	d := newDepot()
	ctx := t.Context()
	if err := d.build(ctx, "a", box{room: "hall"}); err != nil {
		t.Fatal(err)
	}
	if err := d.build(ctx, "a", box{}); !errors.Is(err, errTaken) {
		t.Errorf("a second box of one name: %v", err)
	}
	first, err := d.assign(ctx, box{token: "t"})
	if again, err := d.assign(ctx, box{token: "t"}); err != nil || again != first {
		t.Errorf("one token made %q and %q, error %v", first, again, err)
	}
	if err != nil || d.fill(ctx, first, filling{Size: 100}) == nil || d.fill(ctx, first, filling{Size: 99}) != nil {
		t.Errorf("sizes up to 99 fit, error %v", err)
	}
	for _, want := range []error{nil, errNoBox} {
		if err := d.remove(ctx, "a"); !errors.Is(err, want) {
			t.Errorf("removing it: %v, want %v", err, want)
		}
	}
}
