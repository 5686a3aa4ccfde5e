package cfnresource

import "testing"

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
