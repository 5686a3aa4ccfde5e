// Package mailbox is the project of docs/testing.md: a handler that begins
// naive, in step1, and holds in the end. Each step changes one thing.
package mailbox

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
	step1 "github.com/cfnresource/sdk-go/internal/repo/guides/testing/step1"
	step2 "github.com/cfnresource/sdk-go/internal/repo/guides/testing/step2"
	step3 "github.com/cfnresource/sdk-go/internal/repo/guides/testing/step3"
	step4 "github.com/cfnresource/sdk-go/internal/repo/guides/testing/step4"
	step5 "github.com/cfnresource/sdk-go/internal/repo/guides/testing/step5"
	step6 "github.com/cfnresource/sdk-go/internal/repo/guides/testing/step6"
	step7 "github.com/cfnresource/sdk-go/internal/repo/guides/testing/step7"
	"github.com/cfnresource/sdk-go/internal/repo/quote"
)

var update = flag.Bool("update", false, "rewrite what the guide quotes")

// A step is a handler, and the checks that it fails.
type step struct {
	new   func(mail.API) *cfnresource.Dispatcher
	fails []string
}

var steps = []step{{step1.New, []string{
	"create-redelivered-one-resource", "create-failed-nothing-left", "create-error-after-making", "create-out-of-time-nothing-left",
	"create-died-half-way-is-finished", "create-cancelled-while-running",
	"delete-twice", "delete-never-created", "delete-lost-create", "delete-undecodable-properties", "delete-failed-is-told",
	"delete-died-half-way-is-finished", "update-is-not-a-diff", "update-replaces", "update-of-what-is-gone", "data-same-after-update",
}}, {step2.New, []string{
	"create-redelivered-one-resource", "create-failed-nothing-left", "create-died-half-way-is-finished",
	"create-refused-nothing-left", "create-cancelled-while-running",
	"delete-twice", "delete-never-created", "delete-lost-create", "delete-undecodable-properties", "delete-failed-is-told",
	"delete-died-half-way-is-finished", "update-is-not-a-diff", "replace-redelivered-one-resource", "replace-failed-nothing-left",
	"replace-then-rollback-returns-to-first", "update-of-what-is-gone", "data-same-after-update",
}}, {step3.New, []string{
	"create-failed-nothing-left", "create-refused-nothing-left", "create-cancelled-while-running", "delete-twice", "delete-never-created",
	"delete-lost-create",
	"delete-undecodable-properties", "delete-failed-is-told", "delete-died-half-way-is-finished", "update-is-not-a-diff",
	"replace-failed-nothing-left", "update-of-what-is-gone", "data-same-after-update",
}}, {step4.New, []string{
	"update-is-not-a-diff", "replace-failed-nothing-left", "update-of-what-is-gone", "data-same-after-update",
}}, {step5.New, []string{
	"replace-failed-nothing-left", "data-same-after-update",
}}, {step6.New, []string{
	"data-same-after-update",
}}, {step7.New, nil}}

const variable = "GUIDE_STEP"

// New is the function of the step that is tested: the last, if none is named.
var New = func() func(mail.API) *cfnresource.Dispatcher {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil && n >= 1 && n <= len(steps) {
		return steps[n-1].new
	}
	return steps[len(steps)-1].new
}()

// Each step fails the checks that it is said to fail, and no others; the last
// skips three; and the guide quotes what is printed then.
func TestSteps(t *testing.T) {
	printed := map[string]string{}
	for i, step := range steps {
		n := strconv.Itoa(i + 1)
		printed[n] = run(t, n, "TestMailbox")
		var fails []string
		for _, m := range failure.FindAllStringSubmatch(printed[n], -1) {
			fails = append(fails, m[1])
		}
		if diff := cmp.Diff(step.fails, fails); diff != "" {
			t.Errorf("step %s fails other checks (-want +got):\n%s", n, diff)
		}
	}
	var skips []string
	for _, m := range skipped.FindAllStringSubmatch(printed[strconv.Itoa(len(steps))], -1) {
		skips = append(skips, m[1])
	}
	want := []string{
		"create-never-ready-nothing-left", "stranger-holds-the-name", "update-never-ready-then-rollback", "replace-never-ready-nothing-left",
		"delete-leaves-neighbours", "secrets-stay-out-of-log",
	}
	if diff := cmp.Diff(want, skips); diff != "" {
		t.Errorf("the last step skips other checks (-want +got):\n%s", diff)
	}
	quote.Check(t, "docs/testing.md", map[string]quote.Source{
		"fails": func(args []string) (string, error) {
			var b strings.Builder
			for _, m := range failure.FindAllStringSubmatch(printed[args[0]], -1) {
				b.WriteString("--- FAIL: TestMailbox/" + m[1] + "\n")
			}
			return b.String(), nil
		},
		"says": func(args []string) (string, error) {
			if len(args) != 2 {
				return "", errors.New("want a step and a check")
			}
			return said(printed[args[0]], "TestMailbox/"+args[1])
		},
		"explores": func(args []string) (string, error) { return said(run(t, args[0], "TestExplore"), "TestExplore") },
	}, *update)
}

var (
	failure  = regexp.MustCompile(`(?m)^    --- FAIL: TestMailbox/(\S+)`)
	skipped  = regexp.MustCompile(`(?m)^    --- SKIP: TestMailbox/(\S+)`)
	position = regexp.MustCompile(`(?m)^    \w+_?\w*\.go:\d+: `)
)

// run returns what go test -v prints of a step.
func run(t *testing.T, step, test string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), variable+"="+step)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("step %s: %v\n%s", step, err, out)
	}
	return string(out)
}

// said returns what a test reported first, without the place in the kit.
func said(printed, test string) (string, error) {
	_, rest, found := strings.Cut(printed, "=== RUN   "+test+"\n")
	if !found {
		return "", fmt.Errorf("%s did not run", test)
	}
	at := position.FindAllStringIndex(rest, 2)
	if len(at) < 2 {
		return "", fmt.Errorf("%s reported nothing", test)
	}
	var b strings.Builder
	for line := range strings.Lines(rest[at[0][1]:at[1][0]]) {
		line = strings.TrimPrefix(line, "        ")
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String(), nil
}
