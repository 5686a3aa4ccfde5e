package repo

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Each promise has a page, which says what it covers, what breaks without it,
// how it is kept and tested, and what it does not cover; and the index leads to
// each.
func TestEachPromiseHasItsPage(t *testing.T) {
	index := read(t, "docs/promises.md")
	for n := 1; n <= 6; n++ {
		pages, err := filepath.Glob(filepath.Join(root, "docs/promises", fmt.Sprintf("%d-*.md", n)))
		if err != nil || len(pages) != 1 {
			t.Fatalf("promise %d has the pages %v (%v)", n, pages, err)
		}
		name := filepath.Base(pages[0])
		if !strings.Contains(index, "(promises/"+name+")") {
			t.Errorf("docs/promises.md does not lead to %s", name)
		}
		text := read(t, "docs/promises/"+name)
		for _, heading := range []string{"What is promised", "What breaks without it", "How it is kept", "How it is tested", "What it does not cover"} {
			_, rest, found := strings.Cut(text, "\n## "+heading+"\n")
			if body, _, _ := strings.Cut(rest, "\n## "); !found || len(strings.Fields(body)) < 20 {
				t.Errorf("%s says too little under %q", name, heading)
			}
		}
	}
}
