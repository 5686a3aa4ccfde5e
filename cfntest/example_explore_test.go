package cfntest_test

import (
	"fmt"
	"testing"

	"github.com/cfnresource/sdk-go/cfntest"
)

// In a test's file this is
//
//	func TestNoteInEveryHistory(t *testing.T) { cfntest.Explore(t, noteContract) }
//
// which goes three operations deep.
func ExampleExplore() {
	ok := runTest(func(t *testing.T) {
		cfntest.Explore(t, noteContract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
	})
	fmt.Println("ok:", ok)
	// Output: ok: true
}

// Explore prints such a line with what it finds. Here nothing is wrong: the process that dies in
// the rollback of a replacement is followed by one that finishes.
func ExampleReplay() {
	ok := runTest(func(t *testing.T) {
		cfntest.Replay(t, noteContract, "v0 v2/sibling-fails!die-at-step:2@2 delete")
	})
	fmt.Println("ok:", ok)
	// Output: ok: true
}
