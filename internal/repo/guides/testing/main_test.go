package mailbox

import (
	"flag"
	"os"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Explore plays a tenth of its histories, but for a thorough run.
func TestMain(m *testing.M) {
	flag.Parse()
	if !testrun.Thorough() {
		if err := flag.Set("test.short", "true"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
