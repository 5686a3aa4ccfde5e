// Package mailbox is the project of docs/testing.md: a handler that begins
// naive and holds in the end. Each step changes one thing.
package mailbox

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mailbox"
	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/naive"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

var update = flag.Bool("update", false, "rewrite what the guide quotes")

// fails are the checks that each step fails, from the first on.
var fails = [][]string{{
	"create-redelivered-one-resource", "create-failed-nothing-left", "create-error-after-making", "create-out-of-time-nothing-left",
	"create-died-half-way-is-finished", "create-cancelled-while-running", "stranger-holds-the-name",
	"delete-twice", "delete-never-created", "delete-lost-create", "delete-failed-is-told",
	"delete-died-half-way-is-finished", "update-is-not-a-diff", "update-replaces", "update-of-what-is-gone",
	"leads-where-create-does", "data-same-after-update",
}, {
	"create-redelivered-one-resource", "create-failed-nothing-left", "create-error-after-making", "create-out-of-time-nothing-left",
	"create-died-half-way-is-finished", "create-cancelled-while-running",
	"delete-twice", "delete-never-created", "delete-lost-create", "delete-failed-is-told",
	"delete-died-half-way-is-finished", "update-is-not-a-diff", "replace-redelivered-one-resource", "replace-failed-nothing-left",
	"replace-then-rollback-returns-to-first", "update-of-what-is-gone", "data-same-after-update",
}, {
	"create-failed-nothing-left", "create-error-after-making", "create-out-of-time-nothing-left",
	"create-died-half-way-is-finished", "create-cancelled-while-running",
	"delete-twice", "delete-never-created", "delete-lost-create",
	"delete-failed-is-told", "delete-died-half-way-is-finished", "update-is-not-a-diff",
	"replace-failed-nothing-left", "update-of-what-is-gone", "leads-where-create-does", "data-same-after-update",
}, {
	"create-died-half-way-is-finished", "update-is-not-a-diff", "replace-failed-nothing-left", "update-of-what-is-gone",
	"leads-where-create-does", "data-same-after-update",
}, {
	"create-died-half-way-is-finished", "replace-failed-nothing-left", "data-same-after-update",
}, {
	"create-died-half-way-is-finished", "data-same-after-update",
}, nil}

// step names the step that is tested.
const step = "GUIDE_STEP"

// New is the function of the step that is tested: the last, if none is named.
func New(api mail.API) *cfnresource.Dispatcher {
	six := step6{mailbox.Mailbox{API: api}}
	five := step5{six}
	four := step4{five}
	three := step3{four}
	switch os.Getenv(step) {
	case "1":
		return naive.New(api)
	case "2":
		return cfnresource.New(&step2{three})
	case "3":
		return cfnresource.New(&three)
	case "4":
		return cfnresource.New(&four)
	case "5":
		return cfnresource.New(&five)
	case "6":
		return cfnresource.New(&six)
	}
	return mailbox.New(api)
}

// Each step fails the checks that it is said to fail, and no others; the last
// skips ten; and the guide quotes what is printed then.
func TestSteps(t *testing.T) {
	printed := map[string]string{}
	for i, want := range fails {
		n := strconv.Itoa(i + 1)
		printed[n] = run(t, n, "TestMailbox")
		var got []string
		for _, m := range failure.FindAllStringSubmatch(printed[n], -1) {
			got = append(got, m[1])
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("step %s fails other checks (-want +got):\n%s", n, diff)
		}
	}
	var skips []string
	for _, m := range skipped.FindAllStringSubmatch(printed[strconv.Itoa(len(fails))], -1) {
		skips = append(skips, m[1])
	}
	want := []string{
		"create-never-ready-nothing-left", "update-never-ready-then-rollback", "update-not-updatable-then-rollback", "replace-never-ready-nothing-left",
		"thing-of-before", "use-outlives-updates", "redelivered-does-no-more", "secrets-stay-out-of-log",
	}
	if diff := gocmp.Diff(want, skips); diff != "" {
		t.Errorf("the last step skips other checks (-want +got):\n%s", diff)
	}
	testrun.Quoted(t, "docs/testing.md", map[string]testrun.Source{
		"change": func(args []string) (string, error) {
			if len(args) != 2 {
				return "", errors.New("want two steps")
			}
			return change(handler(t, args[0]), handler(t, args[1])), nil
		},
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

var declaration = regexp.MustCompile(`(?ms)^// \w[^\n]*\n(?:type (Props) struct|func \(m \*(\w+)\) (\w+)).*?^}\n`)

// handler returns the code of a step: its properties and its methods.
func handler(t *testing.T, n string) string {
	t.Helper()
	files := []string{"earlier_test.go", "mailbox/mailbox.go"}
	if n == "1" {
		files = []string{"naive/mailbox.go"}
	}
	code := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			is, name := m[2], m[1]+m[3]
			if before := strings.HasPrefix(is, "step") && strings.TrimPrefix(is, "step") < n; !before {
				code[name] = cmp.Or(code[name], strings.Replace(m[0], "*"+is, "*Mailbox", 1))
			}
		}
	}
	return strings.Join([]string{code["Props"], code["Create"], code["Update"], code["Delete"]}, "\n")
}

// change returns the difference between two texts, without line numbers.
func change(before, after string) string {
	var b strings.Builder
	for line := range strings.Lines(string(diff.Diff("before", []byte(before), "after", []byte(after)))) {
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@"):
			b.WriteString("@@\n")
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// run returns what go test -v prints of a step.
func run(t *testing.T, n, test string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), step+"="+n)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("step %s: %v\n%s", n, err, out)
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
