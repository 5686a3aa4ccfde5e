//go:build unix

package copy

import (
	"testing"
	"time"
)

// What a user does who has nothing but Go, when the SDK is published: a project
// of their own, by cfnlocal new.
func TestFromARelease(t *testing.T) {
	setEnv(t, publish(t, setUp(t)))
	shell(t, t.TempDir(), 10*time.Minute, []string{
		"go run " + sdk + "/cfnlocal@latest new example.com/me/orders --from subscription",
		"cd orders",
		"grep '" + sdk + " " + publishedVersion + "' go.mod",
		"if grep replace go.mod; then exit 1; fi",
		"go mod verify",
		"go test ./...",
		"go tool cfnlocal deploy template.yaml",
		"go tool cfnlocal delete orders",
		"cd ..",
		"go run " + sdk + "/cfnlocal@latest new returns --from lookup",
	})
}
