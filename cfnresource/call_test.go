package cfnresource

import (
	"sync"
	"testing"
)

func TestTheLastCreatedCounts(t *testing.T) {
	var id createdID
	if got := id.get(); got != "" {
		t.Errorf("before Set: %q", got)
	}
	id.set("a")
	id.set("b")
	id.set("")
	if got := id.get(); got != "b" {
		t.Errorf("got %q, want b", got)
	}
}

func TestCreatedAfterTheAnswerIsReported(t *testing.T) {
	var id createdID
	id.set("a")
	var late []string
	if got := id.close(func(id string) { late = append(late, id) }); got != "a" || late != nil {
		t.Errorf("Close returned %q and reported %q", got, late)
	}
	id.set("b")
	id.set("")
	if len(late) != 1 || late[0] != "b" || id.get() != "b" {
		t.Errorf("late %q, the ID %q", late, id.get())
	}
}

// Nothing is lost between the goroutines that set and the one that closes:
// what Close did not return was reported.
func TestCreatedWhileItIsAnswered(t *testing.T) {
	for range 100 {
		var id createdID
		var late []string
		var wg sync.WaitGroup
		wg.Go(func() { id.set("a") })
		got := id.close(func(id string) { late = append(late, id) })
		wg.Wait()
		if (got == "a") == (len(late) == 1) {
			t.Fatalf("Close returned %q, and %q was reported", got, late)
		}
	}
}

// The tokens of requests that are under way must survive a new version.
func TestTokensStay(t *testing.T) {
	if got, want := tokenOf("stack", "R", "request"), "c7ce3fa0-7d03-52bb-ba3f-afcc039b8444"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPartsAreKeptApart(t *testing.T) {
	if tokenOf("a", "bc") == tokenOf("ab", "c") || tokenOf("a") == tokenOf("a", "") {
		t.Error("two requests have one token")
	}
}
