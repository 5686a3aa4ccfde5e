package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// contract is with a bucket that has versioning, or one that has not.
func contract(versioned bool) cfntest.Contract {
	objects := slices.Clone(site.Objects)
	objects[len(objects)-1].Key = "orders of May, 100% (été).txt"
	return cfntest.Contract{
		New: func(testing.TB) cfntest.Service {
			b := newBed(versioned)
			b.Page, b.Refuse, b.answers = 40, refused, 20*time.Millisecond
			return b.service()
		},
		Properties: Props{Bucket: site.Bucket, Objects: objects},
		InPlace:    changed,
		Replacing:  other,
		Refused:    Props{Bucket: "nowhere", Objects: site.Objects},
	}
}

// refused returns S3's code for a Step at which it fails, for one of many objects.
func refused(ctx context.Context) string {
	err := cfntest.Step(ctx)
	switch {
	case err == nil:
		return ""
	case cfnresource.CodeOf(err) == cfnresource.CodeAccessDenied:
		return "AccessDenied"
	case cfnresource.CodeOf(err) == cfnresource.CodeThrottling:
		return "SlowDown"
	}
	return "InternalError"
}

func TestContract(t *testing.T) {
	t.Run("plain", func(t *testing.T) { cfntest.TestHandler(t, contract(false)) })
	t.Run("versioned", func(t *testing.T) { cfntest.TestHandler(t, contract(true)) })
}

// A bucket with versioning is the harder one: what is removed leaves a version and a marker.
func TestExplore(t *testing.T) {
	t.Run("plain", func(t *testing.T) { explore(t, contract(false), 1) })
	t.Run("versioned", func(t *testing.T) { explore(t, contract(true), 2) })
}

func explore(t *testing.T, c cfntest.Contract, depth int) {
	cfntest.Explore(t, c, func(o *cfntest.ExploreOptions) { o.Depth = depth })
}
