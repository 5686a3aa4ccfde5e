package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A probe plays scenarios in a world, some at once.
type probe struct {
	*world
	*router
	atOnce int
	begin  func(context.Context) error // makes what the plays need, if there is a need
}

// removal is how long the removal of a stack may take.
const removal = 15 * time.Minute

// playAll plays scenarios, and removes each one's stack. It returns what was seen, in their order.
func (p *probe) playAll(ctx context.Context, plans []*plan, told func(*outcome)) []*outcome {
	all := make([]*outcome, len(plans))
	slots := make(chan struct{}, p.atOnce)
	var wg sync.WaitGroup
	for i, one := range plans {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			all[i] = p.play(ctx, one)
			told(all[i])
		})
	}
	wg.Wait()
	return all
}

func (p *probe) play(ctx context.Context, one *plan) *outcome {
	o := &outcome{plan: one}
	if ctx.Err() != nil {
		o.err = context.Cause(ctx)
		return o
	}
	playing := newPlay(one, p.world)
	p.add(playing)
	limited, end := context.WithTimeoutCause(ctx, p.limit+time.Duration(one.takes().Seconds()*float64(p.second)), errors.New("it did not come to its end"))
	defer end()
	o.history, o.err = playing.run(limited)
	if o.err == nil {
		o.seen = o.history.text(one.depends)
	}
	playing.mu.Lock()
	o.strayed = playing.strayed
	playing.mu.Unlock()
	// Also after Ctrl-C.
	removing, end := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer end()
	o.err = errors.Join(o.err, p.world.remove(removing, p.router, playing.name))
	return o
}
