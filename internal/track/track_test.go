package track_test

import (
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/track"
)

func TestTheLastCountsAndTheEmptyDoesNot(t *testing.T) {
	var id track.ID
	if got := id.Get(); got != "" {
		t.Errorf("before Set: %q", got)
	}
	id.Set("a")
	id.Set("b")
	id.Set("")
	if got := id.Get(); got != "b" {
		t.Errorf("got %q, want b", got)
	}
}

func TestWhatComesAfterCloseIsReported(t *testing.T) {
	var id track.ID
	id.Set("a")
	var late []string
	if got := id.Close(func(id string) { late = append(late, id) }); got != "a" || late != nil {
		t.Errorf("Close returned %q and reported %q", got, late)
	}
	id.Set("b")
	id.Set("")
	if len(late) != 1 || late[0] != "b" || id.Get() != "b" {
		t.Errorf("late %q, the ID %q", late, id.Get())
	}
}

// Nothing is lost between the goroutines that set and the one that closes:
// what Close did not return was reported.
func TestSetAndCloseAtOnce(t *testing.T) {
	for range 100 {
		var id track.ID
		var late []string
		var wg sync.WaitGroup
		wg.Go(func() { id.Set("a") })
		got := id.Close(func(id string) { late = append(late, id) })
		wg.Wait()
		if (got == "a") == (len(late) == 1) {
			t.Fatalf("Close returned %q, and %q was reported", got, late)
		}
	}
}
