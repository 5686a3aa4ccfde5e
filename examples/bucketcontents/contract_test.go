package main

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfntest"
)

// contract is with a bucket that has versioning, or one that has not.
func contract(versioned bool) cfntest.Contract {
	return cfntest.Contract{
		New:        func(testing.TB) cfntest.Service { return newBed(versioned).service() },
		Properties: site,
		InPlace:    changed,
		Replacing:  other,
		Refused:    Props{Bucket: "nowhere", Objects: site.Objects},
	}
}

func TestContract(t *testing.T) {
	t.Run("plain", func(t *testing.T) { cfntest.TestHandler(t, contract(false)) })
	t.Run("versioned", func(t *testing.T) { cfntest.TestHandler(t, contract(true)) })
}

func TestExplore(t *testing.T) {
	t.Run("plain", func(t *testing.T) { explore(t, contract(false)) })
	t.Run("versioned", func(t *testing.T) { explore(t, contract(true)) })
}

func explore(t *testing.T, c cfntest.Contract) {
	cfntest.Explore(t, c, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}
