package repo

import (
	"slices"
	"strings"
	"testing"
)

// TestWithoutTheOptionNoClientIsLinked: a function without stackphase and selfinvoke links nothing
// of the AWS SDK. A function with one of them links it, which shows that the test detects it.
func TestWithoutTheOptionNoClientIsLinked(t *testing.T) {
	packages := got(t, packages)
	for program, want := range map[string]bool{"folder": false, "archive": true, "export": true} {
		i := slices.IndexFunc(packages, func(p goPackage) bool { return p.ImportPath == module+"/internal/repo/programs/"+program })
		if i < 0 {
			t.Fatalf("there is no program %s", program)
		}
		deps := packages[i].Deps
		linked := slices.ContainsFunc(deps, func(dep string) bool {
			return strings.HasPrefix(dep, "github.com/aws/aws-sdk-go-v2/") || strings.HasPrefix(dep, "github.com/aws/smithy-go")
		})
		if linked != want || !slices.Contains(deps, "github.com/aws/aws-lambda-go/lambda") {
			t.Errorf("%s links the AWS SDK: %t, want %t", program, linked, want)
		}
		if slices.Contains(deps, "github.com/aws/aws-sdk-go-v2/config") {
			t.Errorf("%s links the AWS SDK's configuration", program)
		}
	}
}
