package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Another user of the machine orders nothing, even with the key.
func TestOtherUsersOrderNothing(t *testing.T) {
	run := testrun.As(t)
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	order := func(as uint32) string {
		return run(as, strangerVariable+"="+s.origin, "AWS_ACCESS_KEY_ID="+s.key.ID, "AWS_SECRET_ACCESS_KEY="+s.key.Secret)
	}
	if said := order(testrun.Nobody); !strings.Contains(said, "StatusCode: 403") {
		t.Errorf("as another user: %s", said)
	}
	s.nothingOrdered()
	if said := order(0); said != "<nil>\n" {
		t.Errorf("as the same user: %s", said)
	}
}
