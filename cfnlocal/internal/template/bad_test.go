package template

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var testStack = Stack{
	AccountID: "123456789012", Region: "eu-west-1", StackName: "test",
	StackID: "arn:aws:cloudformation:eu-west-1:123456789012:stack/test/6a5e2f70-0000-11f0-8de9-0242ac120002",
}

// TestBadTemplates holds the messages for templates that cannot be deployed: each must say where,
// what is wrong and what to write, since the message is all that its reader has.
func TestBadTemplates(t *testing.T) {
	cases := 0
	for _, file := range archives(t, "testdata/bad/*.txtar") {
		a := readArchive(t, file)
		for _, f := range a.Files {
			name := f.Name
			base, ext, _ := strings.Cut(name, ".")
			if ext != "yaml" && ext != "json" {
				continue
			}
			cases++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+base, func(t *testing.T) {
				body := a.files[name]
				if base == "not-utf8" {
					body += "\xff\xfe"
				}
				got := badness(t, name, body, settings(a.files[base+".parameters"]), settings(a.files[base+".attributes"]))
				if *update {
					a.rewrite(t, file, base+".want", got)
					return
				}
				if diff := cmp.Diff(a.files[base+".want"], got); diff != "" {
					t.Errorf("messages (-want +got):\n%s", diff)
				}
			})
		}
	}
	if cases < 45 {
		t.Errorf("%d cases, want 45 or more", cases)
	}
}

var positioned = regexp.MustCompile(`^[a-z0-9-]+\.(yaml|json)(:\d+:\d+)?: .`)

// badness is the message for a bad template, which must come from Parse or Resolve as Errors with
// positions.
func badness(t *testing.T, name, body string, parameters, attributes map[string]string) string {
	t.Helper()
	parsed, err := Parse(name, []byte(body))
	if err == nil {
		stack := testStack
		stack.Parameters, stack.Attributes = parameters, attributes
		_, err = parsed.Resolve(stack)
	}
	if _, ok := errors.AsType[Errors](err); !ok {
		t.Fatalf("error is %v (%T), want Errors", err, err)
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !positioned.MatchString(line) {
			t.Errorf("no position in %q", line)
		}
	}
	return err.Error() + "\n"
}
