//go:build unix

package copy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a user does who has nothing but Go, when the SDK is published: a project
// of their own, by cfnlocal new and by hand.
func TestFromARelease(t *testing.T) {
	checkout := setUp(t)
	for _, variable := range publish(t, checkout) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}

	dir := t.TempDir()
	shell(t, dir, 10*time.Minute, []string{
		"go run " + sdk + "/cmd/cfnlocal@latest new example.com/me/orders --from subscription",
		"cd orders",
		"grep '" + sdk + " " + published + "' go.mod",
		"if grep replace go.mod; then exit 1; fi",
		"go mod verify",
		"go test ./...",
		"go tool cfnlocal deploy template.yaml",
		"go tool cfnlocal delete orders",
	})

	byHand := filepath.Join(t.TempDir(), "subscription")
	if err := os.CopyFS(byHand, os.DirFS(filepath.Join(checkout, "examples/subscription"))); err != nil {
		t.Fatal(err)
	}
	commands := parse(read(t, byHand, "README.md")).commands(func(section string) bool { return section == "Copy it" })
	shell(t, byHand, 10*time.Minute, append(commands, "go vet ./...", "go tool cfnlocal new returns --from lookup"))
}
