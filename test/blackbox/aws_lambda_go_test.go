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

// The same cases against a handler on aws-lambda-go's cfn package, without
// those about promises that it does not make. It shows that the cases are hard.
func TestIncumbent(t *testing.T) {
	testrun.OnlyThorough(t, "it is for comparison")
	var cases []testCase
	for _, c := range allCases() {
		if !c.ours {
			for _, s := range c.steps {
				if s.sns {
					c.kind = "sns"
				}
			}
			cases = append(cases, c)
		}
	}
	var played, hung, refused, errs atomic.Int64
	var mu sync.Mutex
	var bad []string
	t.Run("cases", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				res, _ := play(t, c, filepath.Join(binaries, "incumbent"), true)
				played.Add(1)
				switch {
				case res.hung > 0:
					hung.Add(1)
				case res.refused+res.changed > 0:
					refused.Add(1)
				case len(res.wrong) > 0:
					errs.Add(1)
				default:
					return
				}
				mu.Lock()
				defer mu.Unlock()
				bad = append(bad, c.name+": "+tail(strings.Join(res.wrong, "; "), 100))
			})
		}
	})
	slices.Sort(bad)
	t.Logf("%d cases with aws-lambda-go/cfn: in %d the stack hangs, in %d CloudFormation would refuse an answer or see another ID, in %d others the "+
		"status is wrong or somebody reads a signed URL or a secret:\n\t%s", played.Load(), hung.Load(), refused.Load(), errs.Load(), strings.Join(bad, "\n\t"))
	if len(bad) == 0 {
		t.Error("the incumbent does as well: these cases show nothing")
	}
}
