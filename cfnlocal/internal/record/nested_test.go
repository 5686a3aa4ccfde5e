package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// TestDeepTemplatesAreExamined: what the innermost of ten templates needs is known before the start.
// Each of them is examined for both values of its condition, and some are there twice, which
// must not multiply.
func TestDeepTemplatesAreExamined(t *testing.T) {
	dir := t.TempDir()
	write := func(i int, text string) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const last = maxDepth - 1
	for i := range last {
		text := "Parameters: {P: {Type: String, Default: a}}\nConditions: {C: !Equals [!Ref P, a]}\nResources:\n  T: {Type: AWS::SNS::Topic}\n"
		stacks := []string{"A"}
		if i >= last-4 {
			stacks = []string{"A", "B"}
		}
		for _, id := range stacks {
			text += fmt.Sprintf("  %s: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: %q, Parameters: {P: !Ref T}}}\n", id, fmt.Sprint(i+1))
		}
		write(i, text)
	}
	write(last, `
Parameters: {P: {Type: String}}
Resources:
  T: {Type: Custom::Thing, Properties: {ServiceToken: "arn:aws:lambda:us-east-1:123456789012:function:x"}}`)
	rev, err := Read(filepath.Join(dir, "0"))
	if err != nil {
		t.Fatal(err)
	}
	rev.Number, rev.RequiresPrograms = 1, true
	if err := rev.ReadNested(); err != nil {
		t.Fatal(err)
	}
	_, err = rev.Plan(New("shop", engine.Options{Seed: 1}, nil).Stack)
	if err == nil || !strings.Contains(err.Error(), "/Resources/T/Properties/ServiceToken: no program here answers requests to arn:aws:lambda:us-east-1:123456789012:function:x") {
		t.Errorf("error is %v", err)
	}
}
