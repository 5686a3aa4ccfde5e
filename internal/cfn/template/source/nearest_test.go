package source

import (
	"slices"
	"testing"
)

// TestNearest: a slip is recognised, another word is not.
func TestNearest(t *testing.T) {
	known := []string{"Provider", "ProviderRole", "Topic", "Queue", "A"}
	for name, want := range map[string]string{
		"Provder": "Provider", "provider": "Provider", "ProviderRol": "ProviderRole", "Topics": "Topic", "Quue": "Queue", "Tpoic": "Topic", "B": "A",
		"Subscription": "", "Bucket": "", "": "A",
	} {
		if got := Nearest(name, slices.Values(known)); got != want {
			t.Errorf("nearest(%q) is %q, want %q", name, got, want)
		}
	}
}
