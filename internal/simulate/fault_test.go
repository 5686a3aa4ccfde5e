package simulate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// What a user can inject is what can happen.
func TestEachFaultIsOneOfTheTestKit(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../cfntest/fault/fault.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	inKit := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			inKit[strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)] = true
		}
		return true
	})
	var here []string
	for _, k := range Kinds() {
		here = append(here, string(k))
	}
	slices.Sort(here)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(inKit)), here); diff != "" {
		t.Errorf("(-cfntest/fault +the table):\n%s", diff)
	}
}

// Each row is complete, and a Fault of its kind can be injected.
func TestTheTableOfFaults(t *testing.T) {
	ends := []End{EndsWell, EndsFound, EndsUnknown, EndsFailed, EndsOutOfTime, EndsCancelled}
	seen := make(map[fault.Kind]bool)
	for _, row := range kinds {
		if seen[row.kind] || !slices.Contains(ends, row.end) || row.step && row.inChain || len(row.acts) == 0 {
			t.Errorf("%+v is not as it should be", row)
		}
		seen[row.kind] = true
		if err := checkFault(fault.Fault{Kind: row.kind, Step: 1}); err != nil {
			t.Error(err)
		}
	}
	if err := checkFault(fault.Fault{Kind: "explode"}); err == nil {
		t.Error("any kind can be injected")
	}
}

// A word that CloudFormation does not know is refused: taken for the default, it would delete what a test wants to keep.
func TestATemplateOfUnknownWordsIsRefused(t *testing.T) {
	for want, tmpl := range map[string]Template{
		"":                    {"A": {DeletionPolicy: "RetainExceptOnCreate", UpdateReplacePolicy: "Retain"}, "B2": {Type: "AWS::SNS::Topic", Fails: "no"}},
		"DeletionPolicy of A": {"A": {DeletionPolicy: "retain"}},
		"UpdateReplacePolicy": {"A": {UpdateReplacePolicy: "Keep"}},
		"not alphanumeric":    {"a-b": {}},
		"leave Fails out":     {"A": {Fails: "no"}},
	} {
		if err := tmpl.check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := oneOf("OnFailure", "delete", "ROLLBACK", "DELETE"); err == nil {
		t.Error("delete is taken for DELETE")
	}
}
