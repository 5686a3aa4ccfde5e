package blackbox

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// TestAWSLambdaGo runs the cases against a handler on aws-lambda-go's cfn package,
// without the cases about what that package does not promise. It shows that the cases
// find mistakes.
func TestAWSLambdaGo(t *testing.T) {
	testrun.OnlyThorough(t, "it is for comparison")
	// The cases that can be compared.
	var cases []testCase
	for _, c := range allCases() {
		if !c.notCompared {
			for _, s := range c.steps {
				if s.sns {
					c.kind = "sns"
				}
			}
			cases = append(cases, c)
		}
	}

	// Each counts for the worst of its faults.
	var played, hung, refused, errs atomic.Int64
	var mu sync.Mutex
	var failures []string
	t.Run("cases", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				res, _ := runCase(t, c, filepath.Join(binaries, "awslambdago"), true)
				played.Add(1)
				switch {
				case res.hung > 0:
					hung.Add(1)
				case res.refused+res.changed > 0:
					refused.Add(1)
				case len(res.errors) > 0:
					errs.Add(1)
				default:
					return
				}
				mu.Lock()
				defer mu.Unlock()
				failures = append(failures, c.name+": "+tail(strings.Join(res.errors, "; "), 100))
			})
		}
	})
	slices.Sort(failures)
	t.Logf("%d cases with aws-lambda-go/cfn: in %d the stack hangs, in %d CloudFormation would refuse an answer or see another ID, in %d others the "+
		"status is wrong or somebody reads a signed URL or a secret:\n\t%s", played.Load(), hung.Load(), refused.Load(), errs.Load(), strings.Join(failures, "\n\t"))
	if len(failures) == 0 {
		t.Error("aws-lambda-go/cfn passes all cases: they find no mistakes")
	}
}
