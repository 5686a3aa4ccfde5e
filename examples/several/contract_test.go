package main

import (
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest"
)

// service returns a broker in memory, on which functions die and fail between
// any two requests.
func service(broker *fakeBroker, state func(id string) any, list func() []string) cfntest.Service {
	function := func() cfntest.Handler { return over(cfntest.Steps(broker)) }
	return cfntest.Service{Function: function, State: state, List: list}
}

var virtualHosts = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		broker := newFakeBroker()
		return service(broker, broker.hostState, broker.hostNames)
	},
	ResourceType: "Custom::VirtualHost",
	Properties:   HostProps{Description: "shop"},
	InPlace:      HostProps{Description: "shop", Tags: []string{"a"}},
}

var queues = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		broker := newFakeBroker()
		return service(broker, broker.queueState, broker.queueNames)
	},
	ResourceType: "Custom::Queue",
	Properties:   QueueProps{VirtualHost: "/", Type: "quorum", MaxLength: 100},
	InPlace:      QueueProps{VirtualHost: "/", Type: "quorum", MessageTTL: time.Hour},
	Replacing:    QueueProps{VirtualHost: "/", Type: "classic", MaxLength: 100},
	Refused:      QueueProps{VirtualHost: "/", Type: "quorum", MaxLength: -1},
}

func TestVirtualHosts(t *testing.T)        { cfntest.TestHandler(t, virtualHosts) }
func TestQueues(t *testing.T)              { cfntest.TestHandler(t, queues) }
func TestExploreVirtualHosts(t *testing.T) { cfntest.Explore(t, virtualHosts) }

func TestExploreQueues(t *testing.T) {
	cfntest.Explore(t, queues, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}

func (f *fakeBroker) hostState(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.vhosts[id]
}

// hostNames leaves out the virtual host that every broker has.
func (f *fakeBroker) hostNames() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.vhosts {
		if name != "/" {
			names = append(names, name)
		}
	}
	return names
}

// queueState returns a queue and its limits, or a policy that is left of one.
func (f *fakeBroker) queueState(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	vhost, name := split(id)
	key := [2]string{vhost, name}
	if f.queues[key] == nil && f.policies[key] == nil {
		return nil
	}
	limits, _ := f.policies[key]["definition"].(object)
	return []object{f.queues[key], limits}
}

func (f *fakeBroker) queueNames() (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, things := range []map[[2]string]object{f.queues, f.policies} {
		for key := range things {
			ids = append(ids, key[0]+"/"+key[1])
		}
	}
	return ids
}
