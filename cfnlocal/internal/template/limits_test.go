package template

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// entries is a section of n entries.
func entries(section string, n int, format string) string {
	var b strings.Builder
	b.WriteString(section + ":\n")
	for i := range n {
		fmt.Fprintf(&b, "  "+format+"\n", i)
	}
	return b.String()
}

const oneTopic = "Resources:\n  Topic: {Type: Test::Any::Thing}\n"

// TestLimits: CloudFormation's quotas, each at the limit and one above it.
func TestLimits(t *testing.T) {
	attributes := func(n int) string {
		return "Mappings:\n  M" + entries("", n, "  k%d: {a: b}") + oneTopic
	}
	for _, tc := range []struct {
		name string
		body func(n int) string
		most int
		want string
	}{
		{"resources", func(n int) string { return entries("Resources", n, "T%d: {Type: Test::Any::Thing}") }, 500, "at most 500 resources"},
		{"parameters", func(n int) string {
			return entries("Parameters", n, "P%d: {Type: String, Default: a}") + oneTopic
		}, 200, "at most 200 parameters"},
		{"outputs", func(n int) string { return oneTopic + entries("Outputs", n, "O%d: {Value: a}") }, 200, "at most 200 outputs"},
		{"mappings", func(n int) string { return entries("Mappings", n, "M%d: {a: {b: c}}") + oneTopic }, 200, "at most 200 mappings"},
		{"mapping keys", attributes, 200, "at most 200 keys"},
		{"description", func(n int) string { return "Description: " + strings.Repeat("x", n) + "\n" + oneTopic }, 1024, "at most 1024 bytes"},
		{"logical ID", func(n int) string { return "Resources:\n  " + strings.Repeat("A", n) + ": {Type: Test::Any::Thing}\n" }, 255, "at most 255 characters"},
		{"custom name", func(n int) string {
			return "Resources:\n  A: {Type: 'Custom::" + strings.Repeat("A", n) + "', Properties: {ServiceToken: 'arn:x'}}\n"
		}, 60, "1 to 60 letters"},
		{"default", func(n int) string {
			return "Parameters:\n  P: {Type: String, Default: " + strings.Repeat("A", n) + "}\n" + oneTopic
		}, 4096, "at most 4096 bytes"},
		{"body", func(n int) string { return oneTopic + "#" + strings.Repeat("x", n-len(oneTopic)-1) }, 1_000_000, "at most 1000000"},
		{"depth of YAML", func(n int) string {
			return oneTopic + "Metadata:\n  A: " + strings.Repeat("[", n-2) + strings.Repeat("]", n-2) + "\n"
		}, 101, "nests deeper than 100"},
		{"depth of JSON", func(n int) string {
			return `{"Resources":{"T":{"Type":"Test::Any::Thing"}},"Metadata":{"A":` + strings.Repeat("[", n-2) + strings.Repeat("]", n-2) + "}}"
		}, 101, "nests deeper than 100"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Parse("t", []byte(tc.body(tc.most))); err != nil {
				t.Errorf("at %d: %v", tc.most, err)
			}
			_, err := Parse("t", []byte(tc.body(tc.most+1)))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("at %d: error %v, want one with %q", tc.most+1, err, tc.want)
			}
		})
	}
}

// TestManyErrors: a message lists what fits on a screen, and Errors holds all.
func TestManyErrors(t *testing.T) {
	_, err := Parse("t", []byte(entries("Resources", 30, "T%d: {Typ: Test::Any::Thing}")))
	var all Errors
	if !errors.As(err, &all) || len(all) != 60 {
		t.Fatalf("%d errors, want 60", len(all))
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "and 40 more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	var one *Error
	if !errors.As(err, &one) || one.Line != 2 {
		t.Errorf("first error is %v", one)
	}
}

// TestManyWarnings: a template that has more to warn of than anybody reads costs no more time.
func TestManyWarnings(t *testing.T) {
	parsed, err := Parse("t", []byte(oneTopic+"Metadata:\n"+strings.Repeat("  a: 1\n", 5000)))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := parsed.Resolve(Stack{AccountID: "123456789012", Region: "us-east-1", StackName: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(plan.Warnings); n != 1001 || plan.Warnings[1000].Text != "there are 3999 more warnings" {
		t.Errorf("%d warnings, the last %+v", n, plan.Warnings[n-1])
	}
}

// TestConcurrentUse: a template is resolved for several stacks, and a plan evaluated by several
// goroutines, at once. The race detector is the judge.
func TestConcurrentUse(t *testing.T) {
	parsed, err := Parse("t", []byte("Parameters: {P: {Type: CommaDelimitedList, Default: 'a,b'}}\nConditions: {C: !Equals [a, a]}\nResources:\n  Q: {Type: Test::Any::Queue}\n  T: {Type: Test::Any::Thing, Properties: {A: !If [C, !Ref P, b], B: !Sub '${Q.Arn}'}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			plan, err := parsed.Resolve(testStack)
			if err != nil {
				t.Error(err)
				return
			}
			for range 8 {
				wait.Go(func() {
					if _, err := plan.Resources[1].Properties(fakeRefs{}); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
	wait.Wait()
}

// BenchmarkTemplate reads, resolves and evaluates a template of 500 resources.
func BenchmarkTemplate(b *testing.B) {
	body := []byte(entries("Resources", 499, "Hook%d: {Type: 'Custom::Hook', Properties: {ServiceToken: !GetAtt Provider.Arn, Name: !Sub 'hook-${AWS::StackName}', Tags: [{Key: a, Value: b}]}}") +
		"  Provider: {Type: AWS::Lambda::Function, Properties: {Handler: bootstrap, Runtime: provided.al2023, Code: ./provider}}\n")
	for b.Loop() {
		parsed, err := Parse("t", body)
		if err != nil {
			b.Fatal(err)
		}
		plan, err := parsed.Resolve(testStack)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range plan.Resources {
			if _, err := r.Properties(fakeRefs{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestDirectBody: above 51,200 bytes a template cannot be sent in the request itself, which is
// worth a warning and no more.
func TestDirectBody(t *testing.T) {
	for size, want := range map[int]int{51_200: 0, 51_201: 1} {
		if got := len(mustPlan(t, oneTopic+"#"+strings.Repeat("x", size-len(oneTopic)-1)).Warnings); got != want {
			t.Errorf("%d bytes: %d warnings, want %d", size, got, want)
		}
	}
}
