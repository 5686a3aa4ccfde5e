package main

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

var contract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		hub := NewMemoryHub()
		function := func() cfntest.Function { return cfnresource.New(&Subscription{hub: steps{hub}}) }
		return cfntest.Service{Function: function, State: hub.state, List: hub.names}
	},
	Properties: Props{Topic: "orders", Active: true, Days: 30},
	InPlace:    Props{Topic: "orders", Active: false, Days: 7},
	Replacing:  Props{Topic: "returns", Active: true, Days: 30},
	Refused:    Props{Topic: "orders", Days: 1000},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }
func TestExplore(t *testing.T)  { cfntest.Explore(t, contract) }
