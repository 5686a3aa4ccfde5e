package main

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfntest"
)

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}
