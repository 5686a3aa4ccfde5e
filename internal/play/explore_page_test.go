package play_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// Each history that is found is a page of its own, if that is asked for: what should
// have been, what happened, and no value of a property.
func TestExploreWritesPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	pages := func(name string) []string {
		found, err := filepath.Glob(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	explore := func(t *testing.T) {
		play.Explore(t, undeletedBoxes, play.ExploreOptions{HTML: dir, Depth: 1})
	}
	runTest(explore)
	found, all := pages("*-1.html"), len(pages("*"))
	if len(found) != 1 {
		t.Fatalf("%v", found)
	}
	runTest(explore) // as a test may that explores twice
	if again := len(pages("*")); again != 2*all {
		t.Errorf("%d pages after %d, want as many again", again, all)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"when the stack is deleted, nothing is left of it.", "There still is my-stack-resource-", "cfntest.Replay(t, contract, &#34;v0&#34;)",
		"<strong>Create</strong> of Resource", "CREATE_COMPLETE", "DELETE_COMPLETE", "the handler&#39;s Create", `class="remains"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	for _, value := range []string{"hall", "attic", "X-Amz-Signature"} {
		if strings.Contains(string(text), value) {
			t.Errorf("the page has %s", value)
		}
	}
}
