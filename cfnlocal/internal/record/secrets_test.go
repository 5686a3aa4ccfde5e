package record

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// TestSecretNumbers: what a schema makes a number of what was made of a parameter with
// NoEcho is hidden as it is written.
func TestSecretNumbers(t *testing.T) {
	plans := []*template.Plan{{Secrets: map[string][]template.SecretPath{"Door": {{"Pin"}}}}}
	properties := engine.Properties(`{"Name":"a","Pin":12345678901234567890}`)
	secrets := secretProperties("Door", plans, properties)
	if got := string(mask.JSON([]byte(properties), secrets)); strings.Contains(got, "1234567890") {
		t.Errorf("they are shown as %s", got)
	}
}
