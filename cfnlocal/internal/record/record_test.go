package record

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// TestAcceptedTemplatesAreRead: a template that was accepted once is read even if it would be
// refused by now. Otherwise its stack could not be deleted any more.
func TestAcceptedTemplatesAreRead(t *testing.T) {
	for name, body := range map[string]string{
		"a type":        "Resources: {A: {Type: AWS::S3::Bukket}}",
		"an attribute":  "Resources: {A: {Type: AWS::S3::Bucket}}\nOutputs: {O: {Value: !GetAtt A.Arnn}}",
		"a property":    "Resources: {A: {Type: AWS::S3::Bucket, Properties: {BucketNam: b}}}",
		"a missing one": "Resources: {A: {Type: AWS::IAM::Role}}",
		"a key":         "Parameters: {P: {Type: String, Default: c}}\nMappings: {M: {a: {b: c}}}\nResources: {A: {Type: AWS::SNS::Topic, Properties: {TopicName: !FindInMap [M, !Ref P, b]}}}",
		"an export":     "Resources: {A: {Type: AWS::SNS::Topic}}\nOutputs: {O: {Value: a, Export: {Name: e}}, P: {Value: b, Export: {Name: e}}}",
		"a made key":    "Mappings: {M: {a: {b: c}}}\nResources: {A: {Type: AWS::SNS::Topic, Properties: {TopicName: !FindInMap [M, !Sub a, b]}}}",
		"its name":      "Resources: {A: {Type: AWS::SNS::Topic}}\nOutputs: {O: {Value: a, Export: {Name: e_f}}}",
		"a rule":        "Conditions: {C: !Equals [a, a]}\nRules: {R: {Assertions: [{Assert: !If [C, !Equals [a, a], !Equals [a, b]]}]}}\nResources: {A: {Type: AWS::SNS::Topic}}",
		"a snapshot":    "Resources: {A: {Type: AWS::SNS::Topic, DeletionPolicy: Snapshot}}",
	} {
		file := filepath.Join(t.TempDir(), "t.yaml")
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		rev, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		stack := engine.New("shop", engine.Options{}).Stack()
		if _, err := rev.Plan(stack); err == nil {
			t.Errorf("%s: it is accepted anew", name)
		}
		kept, err := json.Marshal(rev)
		if err != nil {
			t.Fatal(err)
		}
		again := new(Revision)
		if err := json.Unmarshal(kept, again); err != nil {
			t.Fatal(err)
		}
		if _, err := again.Plan(stack); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSecretNumbers: a value derived from a NoEcho parameter is hidden also where a schema has turned
// it into a number.
func TestSecretNumbers(t *testing.T) {
	plans := []*template.Plan{{Secrets: map[string][]template.SecretPath{"Door": {{"Pin"}}}}}
	properties := engine.Properties(`{"Name":"a","Pin":12345678901234567890}`)
	secrets := secretProperties("Door", plans, properties)
	if got := string(mask.JSON([]byte(properties), secrets)); strings.Contains(got, "1234567890") {
		t.Errorf("they are shown as %s", got)
	}
}

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
