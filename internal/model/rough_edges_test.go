package model

import (
	"os"
	"strings"
	"testing"
)

// What is known not to hold is told to users, by the same name.
func TestRoughEdgesNamesEachLimit(t *testing.T) {
	doc, err := os.ReadFile("../../docs/rough_edges.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		for _, limit := range k.limits {
			if !strings.Contains(string(doc), limit) {
				t.Errorf("docs/rough_edges.md does not name %q", limit)
			}
		}
	}
}
