package main

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest"
)

var virtualHosts = cfntest.Contract{
	New: func(t testing.TB) cfntest.Service {
		b := newFake(t)
		return cfntest.Service{Function: b.function, State: b.hostState, List: b.hostNames, Around: func() any { return b.Queues() }}
	},
	ResourceType: "Custom::VirtualHost",
	Properties:   HostProps{Description: "shop"},
	InPlace:      HostProps{Description: "shop", Tags: []string{"a"}},
	Others:       map[string]any{"Custom::Queue": QueueProps{VirtualHost: "/", Type: "quorum"}},
}

var queues = cfntest.Contract{
	New: func(t testing.TB) cfntest.Service {
		b := newFake(t)
		if _, err := b.broker().put(t.Context(), HostProps{}, "vhosts", "shop/eu"); err != nil {
			t.Fatal(err)
		}
		before := func(props any) string { // by a program that gave the name itself
			q, p, id := &Queue{b.broker()}, props.(QueueProps), "//orders-of-before"
			_, err := q.declare(t.Context(), id, p)
			if err := errors.Join(err, q.limit(t.Context(), id, p)); err != nil {
				t.Fatal(err)
			}
			return id
		}
		return cfntest.Service{Function: b.function, State: b.queueState, List: b.queueNames, Around: func() any { return b.VirtualHosts() }, Before: before}
	},
	ResourceType: "Custom::Queue",
	Properties:   QueueProps{VirtualHost: "/", Type: "quorum", MaxLength: 100},
	InPlace:      QueueProps{VirtualHost: "/", Type: "quorum", MessageTTL: time.Hour},
	Replacing:    QueueProps{VirtualHost: "shop/eu", Type: "classic", MaxLength: 100},
	Refused:      QueueProps{VirtualHost: "/", Type: "quorum", MaxLength: -1},
	Others:       map[string]any{"Custom::VirtualHost": HostProps{Description: "shop"}},
}

func TestVirtualHosts(t *testing.T) { cfntest.TestHandler(t, virtualHosts) }
func TestQueues(t *testing.T)       { cfntest.TestHandler(t, queues) }

func TestExploreVirtualHosts(t *testing.T) {
	cfntest.Explore(t, virtualHosts, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}

func TestExploreQueues(t *testing.T) {
	cfntest.Explore(t, queues, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}

// function is a process that can die, over a broker that can fail and hang,
// between any two requests.
func (f fake) function() cfntest.Function { return over(cfntest.Steps(f)) }

func (f fake) hostState(name string) any { return f.VirtualHosts()[name] }

// hostNames leaves out the virtual host that every broker has.
func (f fake) hostNames() []string {
	hosts := f.VirtualHosts()
	delete(hosts, "/")
	return slices.Collect(maps.Keys(hosts))
}

// queueState returns a queue and its limits, or a policy that is left of one.
func (f fake) queueState(id string) any {
	vhost, name := split(id)
	queue, policy := f.Queues()[vhost+" "+name], f.Policies()[vhost+" "+name]
	if queue == nil && policy == nil {
		return nil
	}
	return []any{vhost, queue, policy["definition"]}
}

func (f fake) queueNames() (ids []string) {
	for _, things := range []map[string]object{f.Queues(), f.Policies()} {
		for key := range things {
			ids = append(ids, strings.Replace(key, " ", "/", 1))
		}
	}
	return ids
}
