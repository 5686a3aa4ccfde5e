package record

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	if got := string(mask.JSON([]byte(properties), mask.Of(secrets))); strings.Contains(got, "1234567890") {
		t.Errorf("they are shown as %s", got)
	}
}

// TestPublicData: an answer with NoEcho has public Data, too. What is shown beside it, as the physical ID or a property, is no
// secret: a reason that names it would say nothing.
func TestPublicData(t *testing.T) {
	q := &engine.Request{LogicalID: "Client", Properties: `{"Name":"orders","Ports":["8080"]}`, Answer: `{"PhysicalResourceId":"cl_0001",
		"NoEcho":true,"Data":{"Id":"cl_0001","Name":"orders","Port":8080,"Secret":"sesame"}}`}
	shown := mask.Text("client cl_0001 (orders:8080) has the secret sesame", mask.Of(secretsOf(q, nil)))
	if want := "client cl_0001 (orders:8080) has the secret ****"; shown != want {
		t.Errorf("%q, want %q", shown, want)
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

// One line says what runs a thing now and what a rollback goes back to. Functions and variables go
// back, and a type does not.
func TestTogether(t *testing.T) {
	built := func(name string, of int) Run {
		return Run{What: theFunction(name), Source: "/code", Built: of > 0, Kept: of > 0, Deployment: of, Since: of}
	}
	run := func(what, command string, of int) Run {
		return Run{What: what, Command: command, Kept: of > 0, Deployment: of, Since: of}
	}
	const fn, typ = "the function Fn", "the type A::B::C"
	for name, tt := range map[string]struct {
		now, kept []Run
		want      []string
	}{
		"the first": {[]Run{run(fn, "x", 0)}, nil, []string{"runs the function Fn: x"}},
		"the same":  {[]Run{run(fn, "x", 0)}, []Run{run(fn, "x", 2)}, []string{"runs the function Fn, since deployment 2: x"}},
		"another": {[]Run{run(fn, "x", 0)}, []Run{run(fn, "y", 2), run(fn, "z", 1)},
			[]string{"runs the function Fn: x; a rollback goes back to that of deployment 2: y, or that of deployment 1: z"}},
		"another type": {[]Run{run(typ, "x", 0)}, []Run{run(typ, "y", 2)}, []string{"runs the type A::B::C: x"}},
		"no more":      {nil, []Run{run(fn, "x", 2)}, []string{"a rollback goes back to the function Fn of deployment 2: x"}},
		"a type no more": {nil, []Run{run(typ, "x", 2)},
			[]string{"runs, as the stack's state says and not this command, the type A::B::C, since deployment 2: x"}},
		"one directory": {[]Run{built("Fn", 0), built("Gn", 0)}, []Run{built("Fn", 1), built("Gn", 1)},
			[]string{"runs the function Fn and Gn, built from /code; a rollback goes back to the build of deployment 1"}},
		"one of two": {[]Run{built("Fn", 0), run("the function Gn", "x", 0)}, []Run{built("Gn", 1)},
			[]string{"runs the function Fn, built from /code", "runs the function Gn: x; a rollback goes back to that of deployment 1, built from /code"}},
	} {
		var got []string
		for _, r := range Together(tt.now, tt.kept, true) {
			got = append(got, r.String())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for want, kept := range map[string][]Run{
		"since deployment 2: x; a rollback goes back to that of deployment 1: y": {run(fn, "x", 2), run(fn, "y", 1)},
		"since deployment 1: y; the rollback replaces that of deployment 2: x":   {run(fn, "y", 1), run(fn, "x", 2)},
	} {
		stuck := Together(nil, kept, false)
		want = "runs, as the stack's state says and not this command, the function Fn, " + want
		if len(stuck) != 1 || stuck[0].String() != want {
			t.Errorf("%v, want %q", stuck, want)
		}
	}
}
