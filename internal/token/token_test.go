package token_test

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/token"
)

// The tokens of requests that are under way must survive a new version.
func TestTokensStay(t *testing.T) {
	if got, want := token.Of("stack", "R", "request"), "c7ce3fa0-7d03-52bb-ba3f-afcc039b8444"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPartsAreKeptApart(t *testing.T) {
	if token.Of("a", "bc") == token.Of("ab", "c") || token.Of("a") == token.Of("a", "") {
		t.Error("two requests have one token")
	}
}
