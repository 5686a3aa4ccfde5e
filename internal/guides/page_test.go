// Package guides runs what the guides in docs/ tell their readers to do, and
// holds the code and the output that they quote.
package guides

import (
	"flag"
	"testing"

	"github.com/cfnresource/sdk-go/internal/guides/page"
)

var update = flag.Bool("update", false, "rewrite what the guides quote")

// What the guides quote of files is what the files say.
func TestQuotationsAreTheFiles(t *testing.T) {
	for _, document := range []string{"getting-started", "testing", "cdk", "moving-from-aws-lambda-go", "moving-from-crhelper"} {
		page.Hold(t, "docs/"+document+".md", map[string]page.Source{"file": page.Files(t), "diff": page.Changes(t)}, *update)
	}
}
